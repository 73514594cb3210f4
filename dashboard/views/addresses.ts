/** First segments of addresses that are not libraries': one whose ID begins so has its page elsewhere. */
const taken = /^\/(?:-|api|mcp|auth|\.well-known)\//i;

/** Path of a library's page, by its ID with a version or without; `query` is added to it. */
export function libraryPath(id: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  if (taken.test(id)) return withQuery("/-/library", { id, ...query });
  // An @ is written as it is: IDs have it before versions, and in scopes of packages.
  const path = id
    .split("/")
    .map((segment) => encodeURIComponent(segment).replaceAll("%40", "@"))
    .join("/");
  return withQuery(path, query);
}

/** A path with a query; what is undefined is left out. */
export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((field): field is [string, string] => field[1] !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

/** An address from outside as a link's target; undefined unless it is one of the web, which runs nothing here. */
export function external(address: string): string | undefined {
  return /^https?:\/\//i.test(address) && URL.canParse(address) ? new URL(address).href : undefined;
}
