import type { ApiRequest } from "./request.ts";
import type { Issuer } from "./tokens.ts";

/** Where the root of a host says how to sign in to a resource of it (RFC 9728 §3). */
export const metadataPath = "/.well-known/oauth-protected-resource";

/** The paths of resources that clients know: the server as a whole, its API, and the addresses for agents. */
export const resourcePaths = ["", "/mcp", "/api", "/api/mcp"] as const;

/**
 * What a client that is not let in is told by WWW-Authenticate (RFC 6750 §3, RFC 9728 §5.1): where to sign in, with which scopes,
 * and whether what it sent was wrong.
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
