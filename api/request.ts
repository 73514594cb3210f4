import type { Caller } from "../domain/access.ts";
import { Failure } from "../domain/failures.ts";
import type { Declaration } from "../domain/ports.ts";

/** A request as plain data, so that the API can be called without a socket. */
export interface ApiRequest {
  readonly method: string;
  /** As sent, still percent-encoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** By lower-case name; repeated headers are joined with a comma, or dropped where they cannot be. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly remoteAddress: string;
  /** Reads the whole body. @throws Failure payload_too_large beyond `limit` bytes, validation_error for an incomplete body */
  readBody(limit: number): Promise<Uint8Array>;
  /** Aborts when the client disconnects, a read times out, or the server stops during a stream. */
  readonly signal: AbortSignal;
  /** The caller; only in requests of the server itself, which are not authenticated. */
  readonly by?: Caller;
  /** What a library manifest declares of the library; only in requests of the server itself. */
  readonly declaration?: Declaration | undefined;
}

/** The values of a query by name; undefined ones are left out. */
export type Query = Readonly<Record<string, string | number | undefined>>;

/** A query of some values. */
export function toQuery(values: Query): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, String(value));
  return query;
}

/** A path with a query. */
export function withQuery(path: string, values: Query): string {
  const query = toQuery(values).toString();
  return query === "" ? path : `${path}?${query}`;
}

/** What a request of node:http has before its body. */
interface Head {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly httpVersion: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** A request of node:http as plain data. @throws Failure validation_error for a malformed target, or without Host */
export function toApiRequest(
  { method = "GET", url = "", httpVersion, headers, socket }: Head,
  readBody: ApiRequest["readBody"],
  signal: AbortSignal,
): ApiRequest {
  const plain = Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]);
  const common = {
    method,
    headers: Object.fromEntries(plain),
    remoteAddress: socket.remoteAddress ?? "",
    readBody,
    signal,
  };
  const isAbsolute = /^https?:\/\//i.test(url);
  const isMissingHost = httpVersion === "1.1" && headers["host"] === undefined;
  if (/[^\x21-\x7e]/.test(url) || (isAbsolute ? !URL.canParse(url) : isMissingHost))
    throw new Failure("validation_error", "The request's target or Host header is malformed.");
  // RFC 9112 §3.2: a target in absolute form replaces Host.
  if (isAbsolute) {
    const { pathname, searchParams, host } = new URL(url);
    return { ...common, path: pathname, query: searchParams, headers: { ...common.headers, host } };
  }
  const [path = "", ...query] = url.split("?");
  return { ...common, path, query: new URLSearchParams(query.join("?")) };
}

/** The request without a trailing slash in its path. */
export function withoutSlash<Request extends { readonly path: string }>(request: Request): Request {
  const { path } = request;
  return path.length > 1 && path.endsWith("/") ? { ...request, path: path.slice(0, -1) } : request;
}

/** A path, made safe for a message or a log line. */
export function showPath(path: string): string {
  const shown = path.replace(/[^\x21-\x7e]/g, "?");
  return shown.length > 200 ? `${shown.slice(0, 200)}...` : shown;
}

/** Whether a server with this one as its upstream sent the request. Only local libraries answer it, to prevent loops. */
export function isFromServer({ headers }: Pick<ApiRequest, "headers">): boolean {
  return headers["x-lectern-upstream"] !== undefined;
}
