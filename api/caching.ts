import { hash } from "node:crypto";
import type { Caller } from "../domain/access.ts";
import type { ApiRequest } from "./request.ts";

/** A weak entity tag (compressed and plain bodies share it) from everything that an answer depends on. */
export function entityTag(parts: readonly unknown[]): string {
  return `W/"${hash("sha256", JSON.stringify(parts), "base64url").slice(0, 27)}"`;
}

/** The caching headers of an answer. Shared caches may store only answers to anonymous callers. */
export function cacheHeaders(caller: Caller, tag: string, maxAgeSeconds: number): Record<string, string> {
  return {
    ETag: tag,
    "Cache-Control": `${caller.keyId === null ? "public" : "private"}, max-age=${maxAgeSeconds}`,
    Vary: "Authorization, Accept-Encoding",
  };
}

/** Whether the client has cached the answer with this tag (RFC 9110 §13.1.2, weak comparison). */
export function isFresh({ headers }: Pick<ApiRequest, "headers">, tag: string): boolean {
  const held = headers["if-none-match"];
  if (held === undefined) return false;
  const opaque = (text: string): string => text.trim().replace(/^W\//, "");
  return held.trim() === "*" || held.split(",").some((one) => opaque(one) === opaque(tag));
}
