import { afterAll, beforeAll, expect, it } from "vitest";
import { connectOverHttp, revisions, textOf } from "../support/agent.ts";
import { startNpmRegistry } from "../support/npm-registry.ts";
import { startServers } from "./setup.ts";

const registry = await startNpmRegistry();
const { server, git, add, refresh, context } = await startServers(() => ({
  NPM_CONFIG_REGISTRY: registry.url,
  NPM_CONFIG_USERCONFIG: "/dev/null",
}));
afterAll(() => registry.close());

const guide = (call: string): string => `# Guide\n\nPolish it so:\n\n\`\`\`js\n${call};\n\`\`\`\n`;
const files = (call: string) => ({ "README.md": guide(call) });

interface SearchResult {
  readonly id: string;
  readonly description: string;
  readonly versions: readonly string[];
  readonly registry?: { readonly kind: string };
  readonly linked?: readonly object[];
  readonly answering?: object;
}

/** The results of a search, with or without a key. */
async function search(libraryName: string, key?: string, query = "polish"): Promise<readonly SearchResult[]> {
  const parameters = new URLSearchParams({ libraryName, query });
  const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const response = await fetch(`${server.url}/api/v2/libs/search?${parameters.toString()}`, { headers });
  return ((await response.json()) as { results: SearchResult[] }).results;
}

async function keyWith(body: object): Promise<string> {
  const { body: made } = await server.call("POST", "/v2/keys", { name: "reader", scopes: ["read"], ...body });
  return (made as { key: string }).key;
}

const repository = await git.repository("acme/tools.git", {
  "packages/shine/package.json": '{"name": "@acme/shine", "version": "2.0.0"}',
  "packages/shine/README.md": guide("fromRepository()"),
  "docs/guide.md": guide("ofAll()"),
});
await repository.tag("v2.0.0");

beforeAll(async () => {
  const manifest = { repository: { type: "git", url: `git+${repository.url}`, directory: "packages/shine" } };
  const version = (call: string) => ({ files: files(call), manifest });
  registry.publish("@acme/shine", {
    "1.0.0": version("shineOfOld()"),
    "1.5.0": version("shine()"),
    "2.0.0": version("shineNow()"),
  });
  await add(repository.url);
  await server.settled("/acme/tools");
  await server.call("POST", "/v2/add/package", { name: "@acme/shine" });
  await server.settled("/npm/@acme/shine");
  await refresh("/npm/@acme/shine@1.5.0");
  await server.settled("/npm/@acme/shine@1.5.0");
});

it("finds a package and the library of its repository, and tells them apart, with the versions of the package", async () => {
  const results = await search("@acme/shine");
  expect(results.map(({ id }) => id)).toEqual(["/npm/@acme/shine", "/acme/tools"]);
  expect(results).toMatchObject([
    {
      description: expect.stringContaining("The npm package @acme/shine; its repository is /acme/tools.") as string,
      versions: ["2.0.0", "1.5.0"],
      registry: { kind: "npm", url: registry.url },
      linked: [{ libraryId: "/acme/tools", relation: "repository", isConfirmed: true }],
    },
    {
      description: expect.stringContaining("The repository of the package /npm/@acme/shine.") as string,
      linked: [{ libraryId: "/npm/@acme/shine", relation: "package", isConfirmed: true }],
    },
  ]);
  const status = await server.settled("/npm/@acme/shine");
  expect(status).toMatchObject({ repository: repository.url, linked: [{ libraryId: "/acme/tools" }] });
  expect(await server.settled("/acme/tools")).toMatchObject({
    repository: null,
    linked: [{ libraryId: "/npm/@acme/shine", relation: "package" }],
  });
});

it("keeps the link when the host renames the repository", async () => {
  const renamed = await git.repository("acme/instruments.git", {});
  await renamed.git("fetch", "--quiet", repository.path, "+refs/*:refs/*");
  git.redirect("acme/tools.git", "acme/instruments.git");
  await refresh("/acme/tools");
  const moved = async () => (await server.call("GET", "/v2/libs/status?libraryId=/acme/instruments")).status;
  await expect.poll(moved, { timeout: 20_000 }).toBe(200);
  await server.settled("/acme/instruments");
  const [own, other] = await search("@acme/shine");
  expect([own?.id, other?.id]).toEqual(["/npm/@acme/shine", "/acme/instruments"]);
  expect(own?.description).toContain("its repository is /acme/instruments.");
});

it("hides a linked library from callers who may not see it", async () => {
  const limited = await keyWith({ libraries: ["/npm/*"] });
  const [only, ...others] = await search("@acme/shine", limited);
  expect(others).toEqual([]);
  expect(only).not.toHaveProperty("linked");
  expect(JSON.stringify(only)).not.toContain("instruments");
  const secret = await git.repository("acme/vault.git", {
    "package.json": '{"name": "vault", "version": "1.0.0"}',
    ...files("vaultOfRepository()"),
  });
  registry.publish("vault", { "1.0.0": { files: files("vault()"), manifest: { repository: secret.url } } });
  await add(secret.url, { private: true, libraryName: "/acme/secret" });
  await server.settled("/acme/secret");
  await server.call("POST", "/v2/add/package", { name: "vault" });
  await server.settled("/npm/vault");
  expect((await search("vault")).map(({ id }) => id)).toEqual(["/npm/vault"]);
  expect(JSON.stringify(await search("vault"))).not.toContain("secret");
  const members = await search("vault", await keyWith({}));
  expect(members.map(({ id }) => id).toSorted()).toEqual(["/acme/secret", "/npm/vault"]);
  expect(members.find(({ id }) => id === "/npm/vault")?.linked).toMatchObject([{ libraryId: "/acme/secret" }]);
  const block = (change: object) => ({ libraryFilters: { mode: "quality", quality: { blockedLibraries: change } } });
  await server.call("PATCH", "/v2/policies", block({ add: ["/acme/instruments"] }));
  expect(await search("@acme/shine")).toHaveLength(1);
  expect(await server.settled("/npm/@acme/shine")).toMatchObject({ linked: [] });
  await server.call("PATCH", "/v2/policies", block({ remove: ["/acme/instruments"] }));
});

it("accepts a package with its version in a search, in /v2/resolve and by an agent, and answers from it or the nearest", async () => {
  const exact = { version: "1.5.0", isAsked: true };
  expect((await search("@acme/shine@1.5.0"))[0]).toMatchObject({ id: "/npm/@acme/shine@1.5.0", answering: exact });
  expect((await search("npm:@acme/shine@^1"))[0]).toMatchObject({ id: "/npm/@acme/shine@^1", answering: exact });
  expect((await search("@acme/shine", undefined, "polish with @acme/shine@1.5.0?"))[0]).toMatchObject({
    answering: exact,
  });
  const [nearest] = await search("@acme/shine@1.4.9");
  expect(nearest).toMatchObject({ id: "/npm/@acme/shine@1.4.9", answering: { version: "1.5.0", isAsked: false } });
  expect(nearest?.description).toContain("Version 1.4.9 is not indexed; the nearest that is: 1.5.0.");
  const one = (query: string) => server.call("GET", `/v2/resolve?${query}`);
  expect(await one("name=@acme/shine@1.5.0")).toMatchObject({
    body: { found: "exact", ask: "/npm/@acme/shine@1.5.0" },
  });
  expect(await one("name=@acme/shine@^1")).toMatchObject({ body: { found: "exact", indexedVersion: "1.5.0" } });
  expect(await one("name=@acme/shine@1.4.9")).toMatchObject({ body: { found: "nearest", indexedVersion: "1.5.0" } });
  expect(await one("name=@acme/shine")).toMatchObject({ body: { indexedVersion: "2.0.0" } });
  expect(await one("name=requests==2.32.3")).toMatchObject({
    body: { registry: "pypi", libraryId: "/pypi/requests", version: "2.32.3", found: "none" },
  });
  expect(await one("name=a@1&version=2")).toMatchObject({ status: 400 });

  const reader = await keyWith({});
  for (const revision of revisions) {
    const agent = await connectOverHttp(`${server.url}/mcp`, revision, { Authorization: `Bearer ${reader}` });
    const ask = async (version: string) => {
      const resolved = await agent.callTool({
        name: "resolve-library-id",
        arguments: { libraryName: `@acme/shine@${version}`, query: "polish" },
      });
      const text = textOf(resolved);
      const libraryId = /- Library ID: (\S+)/.exec(text)?.[1] ?? "";
      const answer = await agent.callTool({ name: "query-docs", arguments: { libraryId, query: "polish" } });
      return { text, answer: textOf(answer) };
    };
    const exactOne = await ask("1.5.0");
    expect(exactOne.text).toContain("- Its repository: /acme/instruments");
    expect(exactOne.answer).toContain("This is /npm/@acme/shine@1.5.0.");
    expect(exactOne.answer).toContain("shine();");
    const nearestOne = await ask("1.4.9");
    expect(nearestOne.answer).toContain(
      "This is /npm/@acme/shine@1.5.0, the nearest version that is indexed: 1.4.9 is not.",
    );
    expect(nearestOne.answer).toContain("shine();");
    // A version that the registry has but is not indexed: a key that may not submit reads the nearest.
    expect((await ask("1.0.0")).answer).toContain("1.0.0 is not.");
  }
  expect((await context("/npm/@acme/shine", "polish")).body).toMatchObject({ version: "2.0.0" });
  // A key that may submit has it indexed.
  expect(await context("/npm/@acme/shine@1.0.0", "polish")).toMatchObject({ status: 202 });
  await server.settled("/npm/@acme/shine@1.0.0");
  expect(JSON.stringify((await context("/npm/@acme/shine@1.0.0", "polish")).body)).toContain("shineOfOld();");
});
