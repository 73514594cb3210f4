import type { Scheme, SecurityChoice } from "./security.ts";

/** Ways to authenticate, in words; "" where none is needed. */
export function authenticationWords(choices: readonly SecurityChoice[]): string {
  const ways = choices.map((choice) =>
    choice
      .map(({ scheme, scopes }) => {
        const asked = scopes.length === 0 ? "" : `, ${scopes.map((scope) => `\`${scope}\``).join(", ")}`;
        return `${credentialOf(scheme)} (\`${scheme.name}\`${asked})`;
      })
      .join(" and "),
  );
  const needed = ways.filter((way) => way !== "");
  if (needed.length === 0) return "";
  return `${needed.join(", or ")}${needed.length < ways.length ? ", or none" : ""}`;
}

/** What a request needs by a scheme. */
function credentialOf({ type, detail, parameter }: Scheme): string {
  switch (type) {
    case "apiKey":
      return `API key in ${detail} \`${parameter}\``;
    case "http":
      return `HTTP ${detail} authentication`;
    case "oauth2":
      return "OAuth 2 access token";
    case "openIdConnect":
      return "OpenID Connect token";
    case "mutualTLS":
      return "client certificate";
    default:
      return type;
  }
}

/** What a scheme is, as a sentence. */
export function schemeSentence({ type, detail, parameter }: Scheme): string {
  switch (type) {
    case "apiKey":
      return `API key, sent as ${detail} \`${parameter}\`.`;
    case "http":
      return `HTTP ${detail} authentication, in the header \`Authorization\`.`;
    case "oauth2":
      return "OAuth 2, an access token in the header `Authorization`.";
    case "openIdConnect":
      return "OpenID Connect.";
    case "mutualTLS":
      return "A client certificate (mutual TLS).";
    default:
      return type;
  }
}
