import { Failure } from "../domain/failures.ts";
import { isLoopback, plainAddress } from "./ip-addresses.ts";
import type { ApiRequest } from "./request.ts";
import type { ApiSettings } from "./options.ts";

/** Response headers that a page of an allowed origin may read. */
const exposed =
  "ETag, Location, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, WWW-Authenticate, X-Lectern-Library, X-Request-Id";

/** Headers that a page of an allowed origin may send; X-Namespace and Authorization-Extras come from Temporal's Web UI. */
const accepted =
  "Authorization, Authorization-Extras, Content-Type, X-Namespace, If-None-Match, Mcp-Method, Mcp-Name, MCP-Protocol-Version, X-Context7-Source, X-Context7-Server-Version, X-Context7-Client-IDE, X-Context7-Client-Version, X-Context7-Transport, X-Lectern-Teamspace";

/** Special callers of a path. */
interface Audience {
  /** Temporal's Web UI, whose origins are allowed. */
  readonly forTemporalUi?: boolean;
  /** Health checks, which may send any Host: nothing is refused. */
  readonly forProbes?: boolean;
  /** MCP clients: an Origin that is neither the server's own nor allowed is refused on any listen address. */
  readonly forPrograms?: boolean;
}

/**
 * Protects a server on loopback, or with a known public address, from DNS rebinding: Host must be local or the public host;
 * Origin must be absent, the server's own, or allowed. Returns the CORS headers. @throws Failure forbidden
 */
export function createOriginCheck({
  loopback,
  publicUrl,
  allowedOrigins,
  temporalUiOrigins,
}: Pick<ApiSettings, "loopback" | "publicUrl" | "allowedOrigins" | "temporalUiOrigins">): (
  request: Pick<ApiRequest, "headers">,
  audience?: Audience,
) => Record<string, string> {
  const publicAddress = publicUrl === null ? undefined : new URL(publicUrl);
  const isOwn = (host: string): boolean =>
    host === publicAddress?.hostname || isLoopback(host.replace(/^\[(.*)\]$/, "$1"));
  const toOrigins = (urls: readonly string[]): ReadonlySet<string> => new Set(urls.map((url) => new URL(url).origin));
  const everywhere = toOrigins(allowedOrigins);
  const withTemporalUi = toOrigins([...allowedOrigins, ...temporalUiOrigins]);

  return ({ headers: { host, origin } }, { forTemporalUi = false, forProbes = false, forPrograms = false } = {}) => {
    const checked = (loopback || publicAddress !== undefined) && !forProbes;
    const origins = forTemporalUi ? withTemporalUi : everywhere;
    const cors = origins.size > 0 ? { Vary: "Origin" } : {};
    // Every browser sends Host; a request without it is HTTP/1.0, such as the check of a load balancer.
    if (checked && host !== undefined && !isOwn(hostName(host))) {
      throw new Failure(
        "forbidden",
        "This server accepts requests to local host names and the host of PUBLIC_URL only. Set PUBLIC_URL to the address you use; a proxy has to pass the Host header on.",
      );
    }
    if (origin === undefined) return cors;
    if (origins.has(origin)) {
      return { ...cors, "Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": exposed };
    }
    // Behind a TLS proxy the server does not know that its own origin is https.
    const isSame =
      origin === `http://${host ?? ""}` || (publicAddress === undefined && origin === `https://${host ?? ""}`);
    if ((checked || forPrograms) && origin !== publicAddress?.origin && !isSame) {
      throw new Failure("forbidden", "Web pages of this origin may not call this server.");
    }
    return cors;
  };
}

/** The answer to a preflight request of an allowed origin. */
export function preflightHeaders(methods: readonly string[]): Record<string, string> {
  return {
    "Access-Control-Allow-Methods": methods.join(", "),
    "Access-Control-Allow-Headers": accepted,
    "Access-Control-Max-Age": "600",
  };
}

/** The host of a Host header without its port, in lower case; "" for none. */
function hostName(host: string): string {
  return /^(\[[\da-f:.]+\]|[^:]+)(?::\d+)?$/i.exec(host)?.[1]?.toLowerCase() ?? "";
}

/** Headers that a proxy adds. */
const forwarding = ["x-forwarded-for", "forwarded", "via", "x-real-ip"] as const;

/**
 * Whether a program on this machine sends the request. A proxy on this machine adds a header, or has another name
 * (PUBLIC_URL).
 */
export function isLocal(
  { publicUrl }: Pick<ApiSettings, "publicUrl">,
  { remoteAddress, headers }: Pick<ApiRequest, "remoteAddress" | "headers">,
): boolean {
  const peer = plainAddress(remoteAddress);
  return (
    publicUrl === null &&
    peer !== undefined &&
    isLoopback(peer) &&
    forwarding.every((name) => headers[name] === undefined)
  );
}
