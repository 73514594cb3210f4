import { expect, it } from "vitest";

import { createApp } from "../../api/app.ts";
import { createPolicies } from "../../domain/policies.ts";
import { uidOf } from "../support/uid-of.ts";
import { messageOf, withLibraries } from "./policy-world.ts";
import { codePassage } from "./samples.ts";
import { adminKey, getRequest } from "./setup.ts";

const day = 86_400_000;

type World = Awaited<ReturnType<typeof withLibraries>>;

it("applies from the next request on in every process", async () => {
  const { patch, ask, options, catalog, clock } = await withLibraries("/acme/widgets");
  // Another process has its own cache of the catalog.
  const policies = createPolicies(catalog.teamspaces, () => clock.now);
  const other = createApp({ ...options, ports: { ...options.ports, policies } });
  const askOther = async () => other(getRequest("/api/v2/context?libraryId=/acme/widgets&query=widget"));
  for (const [change, status] of [
    [{ disable: ["public_repos"] }, 403],
    [{ enable: ["public_repos"] }, 200],
    [{ disable: ["public_repos"] }, 403],
  ] as const) {
    await patch({ sourceTypes: change });
    expect([(await askOther()).status, (await ask()).status]).toEqual([status, status]);
  }
});

it("invalidates cached answers, and is checked before them", async () => {
  const { patch, ask } = await withLibraries("/acme/widgets");
  const tag = (await ask()).headers["ETag"] ?? "";
  const cached = { headers: { "if-none-match": tag } };
  expect((await ask("/acme/widgets", cached)).status).toBe(304);
  await patch({ sourceTypes: { disable: ["websites"] } });
  expect(await ask("/acme/widgets", cached)).toMatchObject({ status: 200 });
  await patch({ sourceTypes: { disable: ["public_repos"] } });
  expect((await ask("/acme/widgets", cached)).status).toBe(403);
});

it.each([
  ["/acme/widgets", true],
  ["/ACME", true],
  ["git.example.com", true],
  ["example.com", true],
  ["/acm", false],
  ["/acme/widget", false],
  ["it.example.com", false],
  ["other.git.example.com", false],
])("an entry %s matches /acme/widgets of git.example.com: %s", async (entry, fits) => {
  const { filter, ask } = await withLibraries("/acme/widgets");
  await filter({ blockedLibraries: { add: [entry] } });
  expect((await ask()).status).toBe(fits ? 403 : 200);
});

it("checks known properties, and names unknown ones", async () => {
  const { filter, patch, ask, send, clock, catalog } = await withLibraries("/acme/widgets");
  const trust = (trustScore: number | null) =>
    send("PATCH", "/v2/libs", { body: { libraryName: "/acme/widgets", trustScore } });
  const reset = () => patch({ libraryFilters: { quality: { minTrustScore: null, requireVerified: false } } });
  await filter({ minTrustScore: 7 });
  expect(await messageOf(ask())).toContain("its trust score is not known, and 7 at least is required");
  await trust(6);
  expect(await messageOf(ask())).toContain("its trust score is 6, and 7 at least is required");
  await trust(7);
  expect(await messageOf(ask())).toBe("");
  await reset();
  await filter({ repoFilters: { minStars: 1 } });
  expect(await messageOf(ask())).toContain("its number of stars is not known");
  await filter({ repoFilters: { minStars: null }, websiteFilters: { minBacklinks: 5 } });
  expect(await messageOf(ask())).toBe("");
  await filter({ maxAgeDays: 30 });
  clock.now += 30 * day;
  expect(await messageOf(ask())).toBe("");
  clock.now += 1;
  expect(await messageOf(ask())).toContain("was read 30 days ago, and 30 at most are allowed");
  await filter({ maxAgeDays: null, repoFilters: { allowedLicenses: { add: ["MIT", "GPL-3.0"] } } });
  expect(await messageOf(ask())).toContain("its licence is not known");
  const uid = await uidOf(catalog, "/acme/widgets");
  for (const [licences, expected] of [
    [[["mit"]], ""],
    [[["Apache-2.0", "MIT"]], ""],
    [[["MIT"], ["Apache-2.0", "ISC"]], "its licence is Apache-2.0 or ISC, which is not among the allowed ones"],
    [[["GPL-3.0-only"]], ""],
    [[["GPL-3.0-or-later"]], "its licence is GPL-3.0-or-later"],
    [[], "its licence is not known"],
  ] as const) {
    await catalog.libraries.update(uid, { licences });
    expect(await messageOf(ask())).toContain(expected);
    expect((await ask()).status).toBe(expected === "" ? 200 : 403);
  }
});

it("checks the served version: a recent version of an old library can be read", async () => {
  const { filter, ask, finish, send, catalog, clock } = await withLibraries("/acme/widgets");
  const uid = await uidOf(catalog, "/acme/widgets");
  await catalog.libraries.keepRefs(uid, [{ name: "v2", kind: "tag", revision: "b" }]);
  clock.now += 40 * day;
  const { body } = await send("POST", "/v1/refresh", { body: { libraryName: "/acme/widgets/v2" } });
  await finish((body as { runId: string }).runId, [codePassage]);
  await filter({ maxAgeDays: 30 });
  expect([(await ask()).status, (await ask("/acme/widgets/v2")).status]).toEqual([403, 200]);
  expect((await ask("/acme/widgets/latest")).status).toBe(200);
});

it("does not reveal a private library, and does not affect other teamspaces", async () => {
  const world = await withLibraries("/acme/widgets");
  const { addKey, patch, send } = world;
  const web = (await addKey(["admin"], { teamspace: "web" })).key;
  const read = (await addKey(["read"], { teamspace: "web" })).key;
  await addPrivate(world, web);
  await patch({ sourceTypes: { disable: ["private_sources"] } }, { key: web });
  const target = "/v2/context?libraryId=/web/own&query=widget";
  expect(await send("GET", target, { key: read })).toMatchObject({ status: 403, body: { error: "access_denied" } });
  const [hidden, missing] = await Promise.all(
    [target, target.replace("own", "none")].map((one) => send("GET", one, { key: adminKey })),
  );
  expect(hidden?.status).toBe(404);
  expect(hidden?.body).toEqual(JSON.parse(JSON.stringify(missing?.body).replaceAll("/web/none", "/web/own")));
  expect((await send("GET", "/v2/context?libraryId=/acme/widgets&query=widget", { key: read })).status).toBe(200);
  // Its administrators can still change it.
  const title = { libraryName: "/web/own", title: "Ours" };
  expect((await send("PATCH", "/v2/libs", { body: title, key: web })).status).toBe(200);
});

async function addPrivate({ send, finish }: World, key: string): Promise<void> {
  const body = { docsRepoUrl: "https://git.example.com/web/own", private: true };
  const added = await send("POST", "/v2/add/repo/git", { body, key });
  await finish((added.body as { runId: string }).runId, [codePassage]);
}

it("adds the rules of a teamspace to its answers, for all libraries and for one", async () => {
  const { send, ask, addKey } = await withLibraries("/acme/widgets", "/acme/gears");
  const web = (await addKey(["admin"], { teamspace: "web" })).key;
  const key = (await addKey(["read"], { teamspace: "web" })).key;
  const change = (rules: object) => send("PATCH", "/v2/teamspaces/web", { body: { rules }, key: web });
  expect(await change({ global: ["Prefer pnpm."], libraries: { "/Acme/widgets": ["Pin v2."] } })).toMatchObject({
    status: 200,
    body: { id: "web", rules: { global: ["Prefer pnpm."], libraries: { "/Acme/widgets": ["Pin v2."] } } },
  });
  await send("PATCH", "/v2/libs", { body: { libraryName: "/acme/widgets", rules: ["Be exact."] } });
  const rulesOf = async (id: string, as: string | null) => {
    const { body } = await send("GET", `/v2/context?libraryId=${id}&query=widget&type=json`, { key: as });
    return (body as { rules?: object }).rules;
  };
  const expected = { global: ["Prefer pnpm."], libraryOwn: [], libraryTeam: ["Be exact.", "Pin v2."] };
  expect(await rulesOf("/acme/widgets", key)).toEqual(expected);
  expect(await rulesOf("/acme/gears", key)).toEqual({ ...expected, libraryTeam: [] });
  expect(await rulesOf("/acme/gears", null)).toBeUndefined();
  const { body: text } = await ask("/acme/widgets", { key });
  expect(text).toContain("- Prefer pnpm.\n");
  expect(text).toContain("- Be exact.\n- Pin v2.\n");
  const tag = (await ask("/acme/widgets", { key })).headers["ETag"];
  await change({ libraries: { "/acme/widgets": null } });
  expect((await ask("/acme/widgets", { key })).headers["ETag"]).not.toBe(tag);
  expect((await change({ global: [] })).body).toEqual({ id: "web", rules: { global: [], libraries: {} } });
  expect(await rulesOf("/acme/gears", key)).toBeUndefined();
  for (const [rules, message] of [
    [{ global: ["a\nb"] }, "must be one line"],
    [{ libraries: { "/acme/widgets@v2": ["x"] } }, "without a version"],
    [{ libraries: { acme: ["x"] } }, "not a library ID"],
  ] as const)
    expect(JSON.stringify((await change(rules)).body)).toContain(message);
  expect(await send("GET", "/v2/teamspaces/nobody")).toMatchObject({ status: 400 });
});

it("gives an agent the reason of a refusal", async () => {
  const { filter, send } = await withLibraries("/acme/widgets");
  await filter({ blockedLibraries: { add: ["/acme"] } });
  const call = { name: "query-docs", arguments: { libraryId: "/acme/widgets", query: "widget" } };
  const { body } = await send("POST", "/mcp", {
    body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: call },
    headers: { accept: "application/json, text/event-stream" },
    key: null,
  });
  expect(JSON.stringify(body)).toContain("it is blocked");
});

it("filters searches, and searches further if too few results are left", async () => {
  const others = Array.from({ length: 205 }, (_, at) => `/acme/widgets-${at}`);
  const { filter, send, patch, addKey } = await withLibraries(...others, "/other/widgets");
  const search = async (key: string | null = null) => {
    const { body } = await send("GET", "/v2/libs/search?libraryName=widgets&query=how", { key });
    const { results, searchFilterApplied } = body as { results: { id: string }[]; searchFilterApplied: boolean };
    return { ids: results.map(({ id }) => id), searchFilterApplied };
  };
  expect(await search()).toMatchObject({ ids: { length: 30 }, searchFilterApplied: false });
  await patch({ libraryFilters: { mode: "select", select: { allowedLibraries: { add: ["/other/widgets"] } } } });
  expect(await search()).toEqual({ ids: ["/other/widgets"], searchFilterApplied: true });
  await filter({ blockedLibraries: { add: ["/other", "/acme/widgets-0"] } });
  const { ids } = await search();
  expect([ids.length, ids.includes("/acme/widgets-0"), ids.includes("/other/widgets")]).toEqual([30, false, false]);
  const { key } = await addKey(["read"], { libraries: ["/other/*", "/acme/widgets-7"] });
  expect(await search(key)).toEqual({ ids: ["/acme/widgets-7"], searchFilterApplied: true });
});
