import type { Logger } from "pino";
import type { Issuer } from "../api/oauth.ts";
import type { Config } from "./config.ts";
import type { OidcOptions } from "../api/dashboard/oidc.ts";
import { Failure } from "../domain/failures.ts";
import { createFetchClient } from "../sources/lib/fetch/client.ts";
import { createGuard } from "../sources/lib/fetch/guard.ts";
import { userAgent } from "./package-info.ts";

/** Maximum size of a document of the issuer, in bytes. */
const maxDocument = 1_000_000;

/** Paths below PUBLIC_URL that clients use as the audience of tokens. */
const resources = ["", "/", "/mcp", "/api", "/api/mcp"];

/** The issuer of the settings, with a client for its documents; undefined: none. */
export function openIssuer(
  config: Config,
  log: Pick<Logger, "warn">,
): { readonly issuer: Issuer; readonly oidc?: OidcOptions; close(): Promise<void> } | undefined {
  const { oauthIssuer, oauthAudience, oauthClientId: clientId, publicUrl } = config;
  if (oauthIssuer === null || publicUrl === null) return undefined;
  // The issuer's host is allowed here only, not for sources.
  const guard = createGuard({ allow: [...config.fetchAllow, new URL(oauthIssuer).host] });
  const client = createFetchClient({ guard, userAgent, resolveLocally: config.resolveLocally, maxBytes: maxDocument });
  const issuer: Issuer = {
    issuer: oauthIssuer,
    resource: publicUrl,
    audiences: oauthAudience.length > 0 ? oauthAudience : resources.map((path) => `${publicUrl}${path}`),
    groupsClaim: config.oauthGroupsClaim,
    userClaim: config.oauthUserClaim,
    scopes: config.oauthScopes,
    async fetchJson(url, signal) {
      const response = await client.request(url, { headers: { accept: "application/json" }, maxRedirects: 0, signal });
      const text = await response.text();
      if (response.status !== 200) throw new Failure("source_invalid", `${url.href} answered ${response.status}.`);
      try {
        return JSON.parse(text) as unknown;
      } catch (cause) {
        throw new Failure("source_invalid", `${url.href} is not JSON.`, { cause });
      }
    },
    onProblem: (error) => log.warn({ err: error }, "the keys of the token issuer cannot be refreshed"),
  };
  const [audience] = oauthAudience;
  const oidc: OidcOptions | undefined =
    clientId === null
      ? undefined
      : {
          issuer: oauthIssuer,
          clientId,
          clientSecret: config.oauthClientSecret,
          scopes: config.oauthScopes,
          // An issuer with its own resource names does not accept addresses (RFC 8707).
          audience: audience === undefined ? { resource: publicUrl } : { audience },
          redirectUri: `${publicUrl}/-/oidc/callback`,
          async fetch(address, { method, headers, body, signal }) {
            const response = await client.request(new URL(address), {
              method: method === "POST" ? "POST" : "GET",
              headers,
              maxRedirects: 0,
              ...(body !== undefined && { body }),
              ...(signal && { signal }),
            });
            const type = response.headers["content-type"];
            return new Response(await response.text(), {
              status: response.status,
              ...(type !== undefined && { headers: { "content-type": type } }),
            });
          },
        };
  return { issuer, ...(oidc && { oidc }), close: () => client.close() };
}
