import type { GitHost } from "../../../domain/source.ts";

/** The user name and password of Git over http for a secret: a token, or `user:password`, which a colon tells. */
export function gitPair(host: GitHost, secret: string, tokenUser = "git"): string {
  const colon = secret.indexOf(":");
  const [user, token] = [secret.slice(0, Math.max(0, colon)), secret.slice(colon + 1)];
  // An API token of an Atlassian account: the API takes it with the account's email address, Git with this name.
  if (host === "bitbucket" && token.startsWith("ATATT") && (user === "" || user.includes("@")))
    return `x-bitbucket-api-token-auth:${token}`;
  if (colon >= 0) return secret;
  const users = {
    github: "x-access-token",
    gitlab: "oauth2",
    bitbucket: "x-token-auth",
    gitea: tokenUser,
    git: tokenUser,
  };
  return `${users[host]}:${secret}`;
}

/** The value of an authorization header for a user name and password. */
export function basic(pair: string): string {
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}

/** The header with a token for the API of a kind of host; `azure` is Azure DevOps, which takes a token as the password. */
export function apiHeaders(host: GitHost | "azure", secret: string): Readonly<Record<string, string>> {
  if (secret.includes(":")) return { authorization: basic(secret) };
  if (host === "gitlab") return { "private-token": secret };
  if (host === "gitea") return { authorization: `token ${secret}` };
  return { authorization: host === "azure" ? basic(`:${secret}`) : `Bearer ${secret}` };
}
