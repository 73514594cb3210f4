import { expect, it } from "vitest";

import { setup } from "./setup.ts";

/** A server with the teamspace `web`. */
async function withWeb() {
  const world = await setup();
  const created = await world.send("POST", "/v2/teamspaces", { body: { id: "web", title: "Web team" } });
  expect(created).toMatchObject({ status: 200, body: { id: "web", title: "Web team" } });
  const makeKey = async (scopes: string[], more: object = {}, key?: string) => {
    const body = { name: "test", scopes, ...more };
    return world.send("POST", "/v2/keys", { body, ...(key !== undefined && { key }) });
  };
  const keyOf = async (scopes: string[], more: object = { teamspace: "web" }) =>
    (await makeKey(scopes, more)).body as { key: string; id: string };
  return { ...world, makeKey, keyOf };
}

it("lists teamspaces including the default one, and refuses duplicate and invalid IDs", async () => {
  const { send } = await withWeb();
  const { body } = await send("GET", "/v2/teamspaces");
  expect(body).toEqual({
    teamspaces: [
      { id: "default", title: "default", createdAt: expect.any(String) as string },
      { id: "web", title: "Web team", createdAt: "2026-01-02T03:04:05.000Z" },
    ],
  });
  expect(await send("POST", "/v2/teamspaces", { body: { id: "web" } })).toMatchObject({
    status: 409,
    body: { error: "duplicate_teamspace" },
  });
  for (const id of ["", "-", "Web", "a b", "a:b", "-a", "x".repeat(64)])
    expect([id, (await send("POST", "/v2/teamspaces", { body: { id } })).status]).toEqual([id, 400]);
});

it("lets administrators create keys: those of the instance for any existing teamspace, others for their own", async () => {
  const { makeKey, keyOf, send } = await withWeb();
  const { key, id } = await keyOf(["admin"]);
  expect((await send("GET", "/v2/keys", { key })).body).toMatchObject({ keys: [{ id, teamspace: "web" }] });
  expect((await send("GET", "/v2/keys?teamspace=web")).body).toMatchObject({ keys: [{ id }] });
  expect((await send("GET", "/v2/keys")).body).toEqual({ keys: [] });
  expect(await makeKey(["read"], { teamspace: "nobody" })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining("/api/v2/teamspaces") as string },
  });
  for (const teamspace of ["default", "nobody"])
    expect(await makeKey(["read"], { teamspace }, key)).toMatchObject({ status: 403, body: { error: "forbidden" } });
  expect((await makeKey(["read"], { teamspace: "web" }, key)).body).toMatchObject({ teamspace: "web" });
  expect((await makeKey(["read"], {}, key)).body).toMatchObject({ teamspace: "web" });
});

it("deletes a teamspace once its libraries are deleted and its keys revoked", async () => {
  const { keyOf, send, engine } = await withWeb();
  const { key, id } = await keyOf(["admin"]);
  const body = { docsRepoUrl: "https://git.example.com/web/own", private: true };
  expect((await send("POST", "/v2/add/repo/git", { body, key })).status).toBe(200);
  const remove = async () => send("DELETE", "/v2/teamspaces?id=web");
  expect(await remove()).toMatchObject({ status: 409, body: { error: "teamspace_in_use" } });
  expect((await send("DELETE", "/v2/libs?libraryId=/web/own", { key })).status).toBe(200);
  expect(engine.cancelled).toHaveLength(1);
  expect((await remove()).status).toBe(409);
  expect((await send("DELETE", `/v2/keys?id=${id}`)).status).toBe(200);
  expect((await remove()).status).toBe(200);
  expect(await remove()).toMatchObject({ status: 400, body: { error: "validation_error" } });
  expect(await send("DELETE", "/v2/teamspaces?id=default")).toMatchObject({ status: 400 });
});

it("lets an administrator of a teamspace change its private libraries, but not its public ones", async () => {
  const { keyOf, send } = await withWeb();
  const { key } = await keyOf(["admin"]);
  for (const [name, own] of [
    ["own", true],
    ["open", false],
  ] as const) {
    const body = { docsRepoUrl: `https://git.example.com/web/${name}`, private: own };
    expect((await send("POST", "/v2/add/repo/git", { body, key })).status).toBe(200);
    const changed = await send("PATCH", "/v2/libs", { body: { libraryName: `/web/${name}`, title: "T" }, key });
    expect(changed).toMatchObject(own ? { status: 200 } : { status: 403, body: { error: "forbidden" } });
  }
  // Private libraries are hidden from the instance's administrators too.
  expect((await send("DELETE", "/v2/libs?libraryId=/web/own")).status).toBe(404);
  expect((await send("DELETE", "/v2/libs?libraryId=/web/open")).status).toBe(200);
});

it("does not reveal to other administrators whether a path exists", async () => {
  const { keyOf, send } = await withWeb();
  const { key } = await keyOf(["admin"]);
  for (const path of ["/srv/docs/handbook", "/etc"])
    expect(await send("POST", "/v2/add/folder", { body: { path }, key })).toMatchObject({
      status: 403,
      body: { error: "forbidden" },
    });
});

it("does not let keys that may only refresh a public library set its token", async () => {
  const { keyOf, send, submit, finish, catalog } = await withWeb();
  await finish(await submit("/acme/widgets"), []);
  const credential = async () => (await catalog.libraries.find([""], "/acme/widgets", ""))?.library.credential;
  const body = { libraryName: "/acme/widgets", gitToken: "another" };
  for (const more of [{ teamspace: "web" }, {}]) {
    const { key } = await keyOf(["submit"], more);
    expect(await send("POST", "/v1/refresh", { body, key })).toMatchObject({
      status: 403,
      body: { error: "forbidden" },
    });
  }
  expect(await credential()).toBeNull();
  expect((await catalog.runs.openRuns()).length).toBe(0);
  expect((await send("POST", "/v1/refresh", { body })).status).toBe(200);
  expect(await credential()).not.toBeNull();
});
