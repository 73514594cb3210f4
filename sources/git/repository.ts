import { Failure } from "../../domain/failures.ts";
import type { GitHost } from "../../domain/source.ts";

/** What goes with a request to a repository. */
export interface Credentials {
  readonly authorization: string | null;
  readonly secrets: readonly string[];
}

/** For a request without a token. */
export const noCredentials: Credentials = { authorization: null, secrets: [] };

/** User names that go with tokens (docs/onAuth.md of isomorphic-git). A secret with a colon is user and password. */
export function toCredentials(host: GitHost, secret: string | null, tokenUser: string): Credentials {
  if (secret === null || secret === "") return noCredentials;
  const users = {
    github: "x-access-token",
    gitlab: "oauth2",
    bitbucket: "x-token-auth",
    gitea: tokenUser,
    git: tokenUser,
  };
  const pair = secret.includes(":") ? secret : `${users[host]}:${secret}`;
  const encoded = Buffer.from(pair).toString("base64");
  return { authorization: `Basic ${encoded}`, secrets: [encoded, secret, pair.slice(pair.indexOf(":") + 1)] };
}

/** The address to ask: no query, no fragment, no slash at its end. @throws Failure validation_error */
export function parseRepositoryUrl(text: string): URL {
  if (!URL.canParse(text))
    throw new Failure(
      "validation_error",
      `"${text.slice(0, 80)}" is not the address of a repository. Give one such as https://git.example.com/owner/name.`,
    );
  const url = new URL(text);
  url.hash = "";
  url.search = "";
  url.pathname = url.pathname.replace(/(?<!\/)\/+$/, "");
  return url;
}
