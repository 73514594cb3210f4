import type { ApiRequest } from "./request.ts";
import type { Issuer } from "./tokens.ts";

/** Path of the protected resource metadata (RFC 9728 §3). */
export const metadataPath = "/.well-known/oauth-protected-resource";

/** Paths of the resources: the server, its API, and the addresses for agents. */
export const resourcePaths = ["", "/mcp", "/api", "/api/mcp"] as const;

/**
 * The WWW-Authenticate header of a 401 (RFC 6750 §3, RFC 9728 §5.1): where to sign in, with which scopes, and whether the sent
 * token was invalid.
 */
export function challenge(issuer: Issuer, { path, headers }: Pick<ApiRequest, "path" | "headers">): string {
  const resource = path === "/mcp" || path === "/api/mcp" ? path : "";
  const parts = [
    `resource_metadata="${issuer.resource}${metadataPath}${resource}"`,
    ...(issuer.scopes.length > 0 ? [`scope="${issuer.scopes.join(" ")}"`] : []),
    ...(headers["authorization"] === undefined ? [] : [`error="invalid_token"`]),
  ];
  return `Bearer ${parts.join(", ")}`;
}
