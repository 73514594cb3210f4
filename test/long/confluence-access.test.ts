import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { pageOf } from "../contracts/confluence.ts";
import { startConfluence } from "../support/confluence.ts";
import { startLectern, temporaryFolder } from "../support/lectern-process.ts";

const token = "ATATT3xFfGF0-very-secret-scoped-token";
const email = "docs-bot@example.com";
const scopes = [
  "read:space:confluence",
  "read:page:confluence",
  "read:content.metadata:confluence",
  "read:content-details:confluence",
  "read:content.restriction:confluence",
];
const day = 86_400_000;
const dayFromNow = (days: number): string => new Date(Date.now() + days * day).toISOString().slice(0, 10);

/** A site, which is also the Confluence gateway of a server. */
async function world(env: Record<string, string> = {}) {
  const site = await startConfluence();
  const folder = await temporaryFolder();
  const settings = { FETCH_ALLOW: "127.0.0.1", HOST_INTERVAL: "0", ...env };
  const start = () => startLectern(folder.path, { ...settings, CONFLUENCE_GATEWAY_URL: site.origin });
  const server = await start();
  onTestFinished(async () => {
    await server.kill("SIGTERM");
    await site.close();
    await folder[Symbol.asyncDispose]();
  });
  site.add("Home", pageOf("Homing"));
  const make = (data: object, more: object = {}) =>
    server.call("POST", "/v2/credentials", {
      kind: "confluence",
      name: "wiki",
      host: site.origin,
      data: { type: "personal", token, email, ...data },
      ...more,
    });
  // The body of published clients, without a secret.
  const body = {
    cloudId: site.cloudId,
    siteUrl: site.origin,
    spaceKey: "ENG",
    spaceName: "Engineering",
    title: "Engineering",
    description: "How we build",
    projectId: "p-1",
  };
  const add = (more: object = {}) => server.call("POST", "/v2/add/confluence", { ...body, ...more });
  return { site, server, folder: folder.path, start, make, body, add };
}

it("is refused without a credential of the teamspace, and read with its newest one for the site", async () => {
  const { site, server, folder, make, add } = await world();
  expect(await add()).toMatchObject({
    status: 403,
    body: { error: "forbidden", message: expect.stringMatching(/POST \/api\/v2\/credentials/) as unknown },
  });
  // Only a cloud ID marks a site on another host as Confluence Cloud, so this is tested as a Data Center.
  const refused = await make({});
  expect(refused).toMatchObject({
    status: 422,
    body: { message: expect.stringMatching(/its type is pat/) as unknown },
  });
  const { status, body } = await make({ type: "pat", expires: dayFromNow(20) }, { host: `${site.origin}/confluence` });
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body).toMatchObject({
    host: site.host,
    warning: expect.stringMatching(/"wiki" stops working on 20/) as unknown,
  });
  const inDataCenter = { cloudId: undefined, siteUrl: `${site.origin}/confluence` };
  expect(await add(inDataCenter)).toMatchObject({ status: 200, body: { libraryName: "/confluence/eng" } });
  expect(await server.settled("/confluence/eng")).toMatchObject({
    state: "finalized",
    private: true,
    notes: [expect.stringMatching(/stops working on/) as unknown],
  });
  expect(site.tokens).toContain(`Bearer ${token}`);

  site.trouble.revoked = true;
  await server.call("POST", "/v1/refresh", { libraryName: "/confluence/eng" });
  expect(await server.settled("/confluence/eng")).toMatchObject({
    state: "finalized",
    runs: [
      { outcome: "failed", failure: { message: expect.stringMatching(/read with the credential "wiki"/) as unknown } },
      {},
    ],
  });
  expect(await server.call("GET", "/v2/context?libraryId=/confluence/eng&query=homing")).toMatchObject({ status: 200 });
  expect(await filesWith(folder, token)).toEqual([]);
  expect(server.stderr() + server.stdout()).not.toContain(token);
});

it("sends a scoped token to the gateway, for the site's tenant only", async () => {
  const { site, server, add } = await world();
  const confluenceCredential = { type: "scoped", token, email };
  const wrong = await add({ cloudId: "another-tenant", confluenceCredential });
  expect(wrong.status).toBe(200);
  expect(await server.settled("/confluence/eng")).toMatchObject({
    state: "error",
    runs: [{ failure: { error: "source_refused", message: expect.stringMatching(/is not that of/) as unknown } }],
  });
  expect(site.tokens.size).toBe(0);
  await server.call("DELETE", "/v2/libs?libraryId=/confluence/eng");
  expect(await add({ confluenceCredential })).toMatchObject({ status: 200 });
  expect(await server.settled("/confluence/eng")).toMatchObject({ state: "finalized" });
  const apiPaths = site.requests.filter((path) => !path.startsWith("/_edge"));
  expect(apiPaths.every((path) => path.startsWith(`/ex/confluence/${site.cloudId}/wiki/`))).toBe(true);
  expect([...site.tokens]).toEqual([`Basic ${Buffer.from(`${email}:${token}`).toString("base64")}`]);
  expect(await server.call("GET", "/v2/context?libraryId=/confluence/eng&query=homing")).toMatchObject({
    body: expect.stringContaining(`${site.origin}/wiki/spaces/ENG/pages/`) as unknown,
  });
});

it("names the scope that a token lacks, when its credential is made and when it is used", async () => {
  const { site, server, add, make } = await world();
  const scoped = { type: "scoped", cloudId: site.cloudId };
  for (const scope of scopes) {
    site.trouble.lacks.add(scope);
    expect(await make(scoped)).toMatchObject({
      status: 422,
      body: { error: "source_refused", message: expect.stringContaining(`lacks the scope ${scope}`) as unknown },
    });
    site.trouble.lacks.clear();
  }
  expect(await make(scoped)).toMatchObject({ status: 200, body: { host: site.host } });
  site.trouble.lacks.add("read:content-details:confluence");
  await add({ confluenceCredential: { type: "scoped", token, email } });
  expect(await server.settled("/confluence/eng")).toMatchObject({
    runs: [
      { failure: { message: expect.stringMatching(/lacks the scope read:content-details:confluence/) as unknown } },
    ],
  });
});

it("asks for restrictions that a search leaves out, and fails if the token may not", async () => {
  const { site, server, add } = await world();
  site.add("Secret", pageOf("Secrecy"), { restricted: true });
  site.trouble.silent = true;
  await add({ confluenceCredential: { type: "personal", token, email } });
  expect(await server.settled("/confluence/eng")).toMatchObject({ live: { counts: { pages: 1 } } });
  site.trouble.lacks.add("read:content.restriction:confluence");
  await server.call("POST", "/v1/refresh", { libraryName: "/confluence/eng" });
  expect(await server.settled("/confluence/eng")).toMatchObject({
    state: "finalized",
    runs: [{ outcome: "failed" }, {}],
  });
});

it("knows the ancestors of a folder that its token may not read", async () => {
  const { site, server, add } = await world();
  const top = site.add("Board", pageOf("Boarding"), { restricted: true });
  const folder = site.add("Minutes", "", { type: "folder", parent: top });
  site.add("May", pageOf("Maying"), { parent: folder });
  site.add("Free", pageOf("Freeing"), { parent: site.add("Open", "", { type: "folder" }) });
  site.trouble.lacks.add("read:folder:confluence");
  await add({ confluenceCredential: { type: "scoped", token, email } });
  expect(await server.settled("/confluence/eng")).toMatchObject({ live: { counts: { pages: 2 } } });
});

it("reads no selected page far below a restricted one", async () => {
  const { site, server, add } = await world();
  const top = site.add("Board", pageOf("Boarding"), { restricted: true });
  const middle = site.add("Minutes", pageOf("Minuting"), {
    parent: site.add("Year", pageOf("Years"), { parent: top }),
  });
  const pageIds = [site.add("May", pageOf("Maying"), { parent: middle }), site.add("Free", pageOf("Freeing"))];
  await add({ pageIds, includeSubPages: false, confluenceCredential: { type: "personal", token, email } });
  expect(await server.settled("/confluence/eng")).toMatchObject({ live: { counts: { pages: 1 } } });
  expect(
    JSON.stringify((await server.call("GET", "/v2/context?libraryId=/confluence/eng&query=may")).body),
  ).not.toContain("maying(");
});

it("continues a killed run without repeating all requests", async () => {
  const { site, server, start, add } = await world();
  for (let number = 0; number < 450; number += 1) site.add(`Page ${number}`, pageOf(`Thing${number}`));
  const bodies = (): string[] => site.requests.filter((path) => path.includes("body-format"));
  // The third hundred is never answered.
  const wait = setInterval(() => (site.trouble.hangs ||= bodies().length >= 3), 1);
  onTestFinished(() => clearInterval(wait));
  await add({ confluenceCredential: { type: "personal", token, email } });
  await expect.poll(() => bodies().length, { timeout: 60_000 }).toBeGreaterThanOrEqual(3);
  await server.kill("SIGKILL");
  clearInterval(wait);
  site.trouble.hangs = false;
  const before = site.requests.length;
  const again = await start();
  onTestFinished(() => again.kill("SIGTERM").then(() => undefined));
  expect(await again.settled("/confluence/eng")).toMatchObject({
    state: "finalized",
    live: { counts: { pages: 451 } },
  });
  const after = site.requests.slice(before);
  expect(after.filter((path) => /\/spaces\/\d+\/pages/.test(path))).toEqual([]);
  expect(after.filter((path) => path.includes("body-format")).length).toBeLessThan(5);
});

/** Files below a folder that have a text in them. */
async function filesWith(folder: string, secret: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && (await readFile(path)).includes(secret)) found.push(path);
  }
  return found;
}
