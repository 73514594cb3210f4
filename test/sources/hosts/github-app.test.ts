import { generateKeyPairSync, verify } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import type { GitHubApp } from "../../../domain/kinds/git.ts";
import { createGitHubApps } from "../../../sources/lib/hosts/github-app.ts";
import { listOwner } from "../../../sources/lib/hosts/listing.ts";
import { startHostApi, type HostAnswer, type HostApi, type HostRequest } from "../../support/host-api.ts";
import { openGitTestbed } from "../git/setup.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = privateKey.export({ type: "pkcs1", format: "pem" }).toString();
const app: GitHubApp = { appId: "12345", privateKey: pem };
const hour = 3_600_000;

/** The claims of a bearer's JWT, if it is signed with the App's key by RS256. */
function claimsOf(authorization = ""): { iat: number; exp: number; iss: string } | undefined {
  const [head = "", claims = "", signature = ""] = authorization.replace("Bearer ", "").split(".");
  const parse = (part: string): never => JSON.parse(Buffer.from(part, "base64url").toString()) as never;
  if (signature === "" || (parse(head) as { alg: string }).alg !== "RS256") return undefined;
  const isRight = verify("sha256", Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature, "base64url"));
  return isRight ? parse(claims) : undefined;
}

/**
 * The endpoints for Apps of GitHub's API: an App that is installed for `acme` as 7. Tokens are ghs_1, ghs_2 …
 * https://docs.github.com/rest/apps/apps
 */
function appApi(now: () => number): (request: HostRequest) => HostAnswer {
  let made = 0;
  return ({ method, url, headers, body }) => {
    const path = url.pathname.replace(/^\/api\/v3/, "");
    if (path === "/installation/repositories") {
      if (headers.authorization !== `Bearer ghs_${made}`) return { status: 401 };
      const repositories = ["docs", "widgets"].map((name) => ({
        html_url: `${url.origin.replace("api.", "")}/acme/${name}`,
        private: true,
      }));
      return { body: { total_count: 2, repository_selection: "selected", repositories } };
    }
    const claims = claimsOf(headers.authorization);
    const seconds = now() / 1000;
    if (claims?.iss !== "12345" || claims.iat > seconds || claims.exp <= seconds || claims.exp > seconds + 600)
      return { status: 401, body: { message: "A JSON web token could not be decoded" } };
    if (/^\/(?:repos\/acme\/\w+|orgs\/acme)\/installation$/.test(path))
      return { body: { id: 7, account: { login: "acme" } } };
    if (method !== "POST" || path !== "/app/installations/7/access_tokens") return { status: 404 };
    expect(body).toEqual({ permissions: { contents: "read", metadata: "read" } });
    made += 1;
    return { status: 201, body: { token: `ghs_${made}`, expires_at: new Date(now() + hour).toISOString() } };
  };
}

async function start(clock = { now: Date.now() }): Promise<HostApi & { readonly clock: { now: number } }> {
  const api = await startHostApi(appApi(() => clock.now));
  onTestFinished(() => api.close());
  return { ...api, clock };
}

const repository = new URL("https://github.com/acme/widgets.git");
const signal = AbortSignal.timeout(60_000);

it("makes a token for the installation of the owner, and keeps it until shortly before its end", async () => {
  const { client, requests, clock } = await start();
  const apps = createGitHubApps(client, () => clock.now);
  expect(await apps.tokenFor(app, repository, signal)).toBe("ghs_1");
  expect(await apps.tokenFor(app, new URL("https://github.com/acme/docs"), signal)).toBe("ghs_1");
  expect(requests.map(({ method, url }) => `${method} ${url.host}${url.pathname}`)).toEqual([
    "GET api.github.com/repos/acme/widgets/installation",
    "POST api.github.com/app/installations/7/access_tokens",
  ]);
  clock.now += hour - 6 * 60_000;
  expect(await apps.tokenFor(app, repository, signal)).toBe("ghs_1");
  clock.now += 2 * 60_000;
  expect(await apps.tokenFor(app, repository, signal)).toBe("ghs_2");
});

it("takes the installation of the credential, and requests one token for many readers", async () => {
  const { client, requests } = await start();
  const apps = createGitHubApps(client);
  const tokens = await Promise.all(
    Array.from({ length: 5 }, () => apps.tokenFor({ ...app, installationId: "7" }, repository, signal)),
  );
  expect(new Set(tokens).size).toBe(1);
  expect(requests).toHaveLength(1);
});

it("gives the token of an App to nobody with another key", async () => {
  const { client } = await start();
  const apps = createGitHubApps(client);
  await apps.tokenFor(app, repository, signal);
  const other = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const stolen = { ...app, privateKey: other.export({ type: "pkcs8", format: "pem" }).toString() };
  await expect(apps.tokenFor(stolen, repository, signal)).rejects.toMatchObject({ code: "source_refused" });
});

it("says that an App is not installed for an owner", async () => {
  const { client } = await start();
  const asking = createGitHubApps(client).tokenFor(app, new URL("https://github.com/other/x"), signal);
  await expect(asking).rejects.toMatchObject({
    code: "source_refused",
    message: expect.stringContaining("is not installed for other on github.com"),
  });
});

it("lists the repositories that the App may read", async () => {
  const { client } = await start();
  const owner = { host: "github", url: "https://github.com/acme" } as const;
  const { repositories } = await listOwner({ client, apps: createGitHubApps(client) }, owner, app, signal);
  expect(repositories.map(({ address }) => address)).toEqual([
    "https://github.com/acme/docs",
    "https://github.com/acme/widgets",
  ]);
});

const bed = await openGitTestbed();

it("reads a repository with tokens of the App, and makes a new one for a request after the end of the last", async () => {
  const auth = { user: "x-access-token", password: "" };
  const served = await bed.server.repository("acme/private", { "README.md": "# One", "docs/a.md": "# A" }, { auth });
  const answers = appApi(Date.now);
  let life = hour;
  for (const path of ["repos/acme/private/installation", "app/installations/7/access_tokens"])
    bed.server.answer(`api/v3/${path}`, (request, response) => {
      void json(request).then((body: unknown) => {
        const url = new URL(request.url ?? "", "http://server.test");
        const { status = 200, body: sent } = answers({
          method: request.method ?? "",
          url,
          headers: request.headers,
          body,
        });
        const { token, ...others } = sent as { token?: string };
        // The host takes the latest token only.
        if (token !== undefined) auth.password = token;
        const made = token !== undefined && { token, expires_at: new Date(Date.now() + life).toISOString() };
        response.writeHead(status).end(JSON.stringify({ ...others, ...made }));
      });
    });
  const spec = bed.spec(served.url, { host: "github" });
  const state = await bed.resolve(spec, null, { credential: app });
  expect(auth.password).toBe("ghs_1");
  life = 60_000;
  const other = { ...app, installationId: "7" };
  const { items } = await bed.read(spec, state, { credential: other });
  expect(items.map(({ page }) => page.key)).toEqual(["README.md", "docs/a.md"]);
  expect(auth.password).not.toBe("ghs_2");
});

async function json(request: AsyncIterable<Uint8Array>): Promise<unknown> {
  const text = Buffer.concat(await Array.fromAsync(request)).toString();
  return text === "" ? undefined : JSON.parse(text);
}
