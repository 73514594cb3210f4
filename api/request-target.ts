/** The target of a node:http request. */
interface Head {
  readonly url?: string | undefined;
  readonly httpVersion: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Path, query and host of a target in origin or absolute form (RFC 9112 §3.2); undefined: malformed. */
export function parseTarget({
  url = "",
  headers,
  httpVersion,
}: Head): { path: string; query: URLSearchParams; host?: string } | undefined {
  if (/[^\x21-\x7e]/.test(url)) return undefined;
  if (/^https?:\/\//i.test(url)) {
    if (!URL.canParse(url)) return undefined;
    const { pathname, searchParams, host } = new URL(url);
    return { path: pathname, query: searchParams, host };
  }
  if (httpVersion === "1.1" && headers["host"] === undefined) return undefined;
  const mark = url.indexOf("?");
  const path = mark === -1 ? url : url.slice(0, mark);
  return { path, query: new URLSearchParams(mark === -1 ? "" : url.slice(mark + 1)) };
}

/** Headers by lower-case name, repeated ones joined with a comma. */
export function plainHeaders({ headers }: Pick<Head, "headers">): Record<string, string | undefined> {
  const plain: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(headers)) plain[name] = Array.isArray(value) ? value.join(", ") : value;
  return plain;
}

/** The request without a trailing slash of its path, which changes nothing. */
export function withoutSlash<Request extends { readonly path: string }>(request: Request): Request {
  const { path } = request;
  return path.length > 1 && path.endsWith("/") ? { ...request, path: path.slice(0, -1) } : request;
}

/** A path, made safe for a message or a log line. */
export function showPath(path: string): string {
  const shown = path.replace(/[^\x21-\x7e]/g, "?");
  return shown.length > 200 ? `${shown.slice(0, 200)}...` : shown;
}
