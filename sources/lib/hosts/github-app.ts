import { createHash, sign } from "node:crypto";
import { Failure } from "../../../domain/failures.ts";
import type { GitHubApp } from "../../../domain/kinds/git.ts";
import { objectOf } from "../../../extract/json.ts";
import type { FetchClient } from "../fetch/client.ts";
import { timeOf } from "../fetch/json.ts";
import { askApi, type ApiAnswer } from "./api.ts";

/** The API of a GitHub server: github.com and the tenants of ghe.com have it on a separate host, GitHub Enterprise Server at a path. */
export function githubBase({ host, origin }: URL): string {
  return host === "github.com" || host.endsWith(".ghe.com") ? `https://api.${host}` : `${origin}/api/v3`;
}

/** Headers of every request to the API. */
export const githubHeaders = { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" };

/** Makes tokens of GitHub Apps. */
export interface GitHubApps {
  /**
   * A token of the installation for the owner of a repository, or at an address of the owner itself, that reads contents and lasts
   * five minutes at least. @throws Failure source_refused if the App is not installed there, and what `askApi` throws
   */
  tokenFor(app: GitHubApp, url: URL, signal: AbortSignal): Promise<string>;
}

/** A token is made anew this long before its end, in milliseconds. */
const margin = 5 * 60_000;

/** Maximum number of kept tokens. */
const maxKept = 1000;

/** Creates the maker of tokens, which keeps them in memory until shortly before their end. */
export function createGitHubApps(client: Pick<FetchClient, "request">, now: () => number = Date.now): GitHubApps {
  const kept = new Map<string, Promise<{ readonly token: string; readonly end: number }>>();

  async function makeToken(
    app: GitHubApp,
    url: URL,
    signal: AbortSignal,
  ): Promise<{ readonly token: string; readonly end: number }> {
    const base = githubBase(url);
    const headers = { ...githubHeaders, authorization: `Bearer ${jwtOf(app, now())}` };
    const ask = (path: string, body?: object): Promise<ApiAnswer | undefined> =>
      askApi({
        client,
        url: new URL(`${base}${path}`),
        headers,
        signal,
        ...(body && { method: "POST", body }),
      });
    const id = app.installationId ?? (await findInstallation(url, ask));
    const permissions = { contents: "read", metadata: "read" };
    const made = id === undefined ? undefined : await ask(`/app/installations/${id}/access_tokens`, { permissions });
    if (made === undefined) {
      const owner = url.pathname.split("/")[1] ?? "";
      const message = `The GitHub App ${app.appId} is not installed for ${owner} on ${url.host}. Install it there, for the repositories that are to be read.`;
      throw new Failure("source_refused", message);
    }
    const { token, expires_at: expires } = objectOf(made.body);
    const end = timeOf(expires);
    if (typeof token !== "string" || end === null)
      throw new Failure("source_invalid", `${url.host} answers without an installation token.`);
    return { token, end };
  }

  return {
    async tokenFor(app, url, signal) {
      // With the key, so that an App's ID alone gives nobody the token of another credential.
      const owner = app.installationId ?? url.pathname.split("/")[1] ?? "";
      const key = createHash("sha256")
        .update(JSON.stringify([url.origin, owner.toLowerCase(), app.appId, app.privateKey]))
        .digest("base64");
      for (let pending = kept.get(key); pending !== undefined; pending = kept.get(key)) {
        const known = await pending.catch(() => undefined);
        if (known && known.end - now() > margin) return known.token;
        if (kept.get(key) === pending) kept.delete(key);
      }
      const making = makeToken(app, url, signal);
      making.catch(() => kept.get(key) === making && kept.delete(key));
      kept.set(key, making);
      for (const oldest of kept.keys()) if (kept.size > maxKept) kept.delete(oldest);
      return (await making).token;
    },
  };
}

/** The installation of an App for a repository or its owner; undefined: there is none. */
async function findInstallation(
  { pathname }: URL,
  ask: (path: string) => Promise<ApiAnswer | undefined>,
): Promise<string | undefined> {
  const [owner = "", name = ""] = pathname.split("/").filter((part) => part !== "");
  const repository = name.replace(/(?:\.wiki)?(?:\.git)?$/i, "");
  const places = name === "" ? [`/orgs/${owner}`, `/users/${owner}`] : [`/repos/${owner}/${repository}`];
  for (const place of places) {
    const { id } = objectOf((await ask(`${place}/installation`))?.body);
    if (typeof id === "number") return String(id);
  }
  return undefined;
}

/**
 * The token that an App proves itself with: begun a minute ago, as clocks differ, and ended before the ten minutes that GitHub allows.
 * https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
 */
function jwtOf({ appId, privateKey }: GitHubApp, now: number): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const seconds = Math.floor(now / 1000);
  const claims = { iat: seconds - 60, exp: seconds + 540, iss: appId };
  const signed = `${part({ alg: "RS256", typ: "JWT" })}.${part(claims)}`;
  return `${signed}.${sign("sha256", Buffer.from(signed), privateKey).toString("base64url")}`;
}
