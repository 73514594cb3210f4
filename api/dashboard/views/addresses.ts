import { withQuery, type Query } from "../../request.ts";

/** Reserved first segments: libraries whose ID begins with one have their page at another path. */
const taken = /^\/(?:-|api|mcp|auth|\.well-known)\//i;

/** Path of a library's page, for an ID with or without a version. */
export function libraryPath(id: string, query: Query = {}): string {
  if (taken.test(id)) return withQuery("/-/library", { id, ...query });
  // An @ is not encoded: IDs have it before versions, and in scopes of packages.
  const path = id
    .split("/")
    .map((segment) => encodeURIComponent(segment).replaceAll("%40", "@"))
    .join("/");
  return withQuery(path, query);
}

/** An address from outside as a link target; undefined unless it is http or https. */
export function external(address: string): string | undefined {
  return /^https?:\/\//i.test(address) && URL.canParse(address) ? new URL(address).href : undefined;
}
