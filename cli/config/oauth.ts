import { z } from "zod";
import * as format from "./formats.ts";
import { setting } from "./reading.ts";

/** Loopback hosts, on which an issuer needs no TLS. */
const local = new Set(["localhost", "127.0.0.1", "[::1]"]);

function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && format.isWebUrl(text) && (url.protocol === "https:" || local.has(url.hostname));
}

/** Settings of the issuer of tokens. */
export const oauthSettings = {
  oauthIssuer: setting({
    meaning:
      "OAuth issuer, exactly as its access tokens (JWT) name it, such as https://login.example.com/realms/acme. May be a private host. Needs PUBLIC_URL.",
    schema: format.orNull(
      z.string().refine(isIssuer, format.must("an https URL without credentials, query and fragment")),
    ),
  }),
  oauthAudience: setting({
    meaning: "OAuth audiences accepted in tokens. Not set: PUBLIC_URL, alone and with /mcp, /api or /api/mcp.",
    schema: format.list(z.string()),
  }),
  oauthScopes: setting({
    meaning: "OAuth scopes that clients request.",
    schema: format.list(
      z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, format.mustList("scopes without spaces, quotes and backslashes")),
    ),
  }),
  oauthClientId: setting({
    meaning:
      "OAuth client for signing in to the dashboard; its redirect address is PUBLIC_URL/-/oidc/callback. Not set: people sign in with keys.",
    schema: format.orNull(z.string()),
  }),
  oauthClientSecret: setting({
    meaning: "Secret of that client. Not set: a public client with PKCE.",
    schema: format.orNull(z.string()),
    secret: true,
  }),
  oauthGroupsClaim: setting({
    default: "groups",
    meaning: "OAuth claim with a user's groups; dots separate nested names, as in realm_access.roles.",
    schema: z.string(),
  }),
  oauthUserClaim: setting({
    default: "sub",
    meaning: "OAuth claim that names a user in access rules and records. The issuer must never reassign its values.",
    schema: z.string(),
  }),
};

/** Problems with combinations of valid settings. */
export function oauthProblems(
  config: Readonly<Record<"oauthIssuer" | "publicUrl" | "oauthClientId" | "oauthClientSecret", string | null>>,
): readonly string[] {
  if (config.oauthClientId === null && config.oauthClientSecret !== null)
    return ["OAUTH_CLIENT_SECRET needs OAUTH_CLIENT_ID, the client that it belongs to."];
  if (config.oauthClientId !== null && config.oauthIssuer === null)
    return ["OAUTH_CLIENT_ID needs OAUTH_ISSUER, the issuer that knows this client."];
  if (config.oauthIssuer === null || config.publicUrl !== null) return [];
  return ["OAUTH_ISSUER needs PUBLIC_URL, which is the resource that clients sign in to and the audience of tokens."];
}
