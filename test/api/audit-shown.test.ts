import { describe, expect, it } from "vitest";

import { recordsOf } from "./audit-records.ts";
import { adminKey, setup } from "./setup.ts";

describe("a record", () => {
  it("contains no secret of a request, wherever it was", async () => {
    const world = await setup();
    const { send, catalog } = world;
    const { key } = await world.addKey(["admin"]);
    const secret = "ghp_0123456789abcdefTOPSECRET";
    const repository = "https://git.example.com/acme/widgets";
    const submit = async (body: object) => send("POST", "/v2/add/repo/git", { body });
    await submit({ docsRepoUrl: repository, gitToken: secret, private: true });
    await submit({ docsRepoUrl: `https://user:${secret}@git.example.com/acme/widgets` });
    await submit({ docsRepoUrl: repository, libraryName: `https://u:${secret}@git.example.com/a/b` });
    await submit({ docsRepoUrl: repository, libraryName: secret });
    await send("POST", "/v1/refresh", { body: { libraryName: "/acme/widgets", gitToken: secret } });
    await send("POST", `/v1/refresh?token=${secret}`, { body: { libraryName: `//u:${secret}@host/x` } });
    await send("DELETE", `/v2/libs?libraryId=${secret}`);
    for (const wrong of [secret, adminKey, key]) {
      await send("DELETE", `/v2/keys?id=${wrong}`);
      await send("DELETE", `/v2/keys?id=${wrong}`, { key: null });
      await send("DELETE", `/v2/credentials/${wrong}`);
      await send("DELETE", `/v2/teamspaces?id=${wrong}&x=${wrong}`, { key: wrong });
    }
    const website = { websiteUrl: `https://docs.example.com/guide?token=${secret}` };
    await send("POST", "/v2/add/website", { body: { ...website, headers: { authorization: `Bearer ${secret}` } } });
    const credential = { kind: "git", name: "acme", host: "git.example.com", data: { token: secret } };
    await send("POST", "/v2/credentials", { body: credential });
    await send("POST", "/v2/credentials", { body: { ...credential, host: `https://u:${secret}@git.example.com` } });
    const newKey = await send("POST", "/v2/keys", { body: { name: "ci", scopes: ["read"] } });
    const { items } = await catalog.audit.list({}, { limit: 100 });
    expect(items.length).toBeGreaterThan(20);
    const text = JSON.stringify(items).toLowerCase();
    for (const hidden of [secret, adminKey, key, (newKey.body as { key: string }).key])
      expect(text).not.toContain(hidden.toLowerCase());
  });

  it("is not shown to administrators of other teamspaces", async () => {
    const world = await setup();
    const { send, addKey } = world;
    const [web, mobile] = [
      await addKey(["admin"], { teamspace: "web" }),
      await addKey(["admin"], { teamspace: "mobile" }),
    ];
    const body = (name: string) => ({ docsRepoUrl: `https://git.example.com/acme/${name}`, private: true });
    await send("POST", "/v2/add/repo/git", { body: body("one"), key: web.key });
    await send("POST", "/v2/add/repo/git", { body: body("two"), key: mobile.key });
    await send("POST", "/v2/add/repo/git", { body: body("three") });
    await send("POST", "/v2/add/repo/git", { body: body("four"), key: null });
    expect(await recordsOf(world, "", web.key)).toMatchObject([{ target: "/acme/one", teamspace: "web" }]);
    for (const query of ["target=/acme/two", `key=${mobile.id}`, "key=admin", "outcome=refused"])
      expect(await recordsOf(world, query, web.key)).toEqual([]);
    for (const other of ["mobile", "default", "nobody"])
      expect((await send("GET", `/v2/audit?teamspace=${other}`, { key: web.key })).status).toBe(403);
    expect(await recordsOf(world)).toHaveLength(4);
    expect(await recordsOf(world, "teamspace=mobile")).toMatchObject([{ key: mobile.id }]);
  });

  it("of a deleted teamspace is not shown to a later one with the same ID", async () => {
    const world = await setup();
    const { send, catalog, clock, addKey } = world;
    const first = await addKey(["admin"], { teamspace: "web" });
    await send("POST", "/v2/keys", { body: { name: "x", scopes: ["read"] }, key: first.key });
    for (const { id } of await catalog.keys.list("web")) await catalog.keys.revoke("web", id, clock.now);
    await catalog.teamspaces.remove("web");
    clock.now += 1000;
    const second = await addKey(["admin"], { teamspace: "web" });
    await send("POST", "/v2/keys", { body: { name: "y", scopes: ["read"] }, key: second.key });
    expect(await recordsOf(world, "since=2020-01-01", second.key)).toMatchObject([{ key: second.id }]);
    expect(await recordsOf(world, "teamspace=web")).toHaveLength(2);
  });
});

it("records are paged and filtered, with errors for wrong parameters", async () => {
  const world = await setup();
  const { send, clock } = world;
  for (const id of ["a", "b", "c"]) {
    await send("POST", "/v2/teamspaces", { body: { id } });
    clock.now += 3_600_000;
  }
  const { body } = await send("GET", "/v2/audit?limit=2");
  const { records, next } = body as { records: { target: string }[]; next: string };
  expect(records.map(({ target }) => target)).toEqual(["c", "b"]);
  const second = await send("GET", `/v2/audit?limit=2&cursor=${encodeURIComponent(next)}`);
  expect(second.body).toMatchObject({ records: [{ target: "a" }], next: null });
  expect(await recordsOf(world, "since=2026-01-02T04:00:00Z")).toMatchObject([{ target: "b" }, { target: "c" }]);
  expect(await recordsOf(world, "until=2026-01-02T05:00:00%2B01:00")).toMatchObject([{ target: "a" }]);
  expect(await recordsOf(world, "since=2026-01-03")).toEqual([]);
  expect(await recordsOf(world, "target=B&action=teamspace.create")).toEqual([]);
  for (const wrong of ["since=yesterday", "action=all", "outcome=good", "limit=0", "cursor=x", "limit=101"])
    expect([wrong, (await send("GET", `/v2/audit?${wrong}`)).status]).toEqual([wrong, 400]);
});
