import { expect, it } from "vitest";

import { codePassage } from "./samples.ts";
import { setup } from "./setup.ts";

/** A library submitted with a key for `/a/*`, and then renamed by its host outside of that. */
async function renamed(fields: object = {}) {
  const world = await setup();
  const { send, addKey, finish, catalog } = world;
  const submitter = await addKey(["submit"], { teamspace: "web", libraries: ["/a/*"] });
  const from = "https://git.example.com/a/x";
  const { body } = await send("POST", "/v2/add/repo/git", {
    body: { docsRepoUrl: from, ...fields },
    key: submitter.key,
  });
  await finish((body as { runId: string }).runId, [codePassage]);
  const move = async (one: string, other: string, id: string) => {
    const uid = (await catalog.libraries.find(["web", ""], "/a/x", ""))?.library.uid ?? "";
    return catalog.libraries.move(uid, { from: one, to: other, id }, world.clock.now);
  };
  await move(from, `${from}-2`, "/acme/widgets");
  const decide = async (accept: unknown, key?: string, libraryName = "/a/x") =>
    send("POST", "/v2/libs/rename", { body: { libraryName, accept }, ...(key !== undefined && { key }) });
  const statusOf = async (key?: string, id = "/a/x") =>
    (await send("GET", `/v2/libs/status?libraryId=${id}`, key === undefined ? {} : { key })).body;
  return { ...world, submitter, move, decide, statusOf, url: `${from}-2` };
}

it("shows a pending rename with its reason to those who may change the library", async () => {
  const { statusOf, submitter, addKey } = await renamed();
  expect(await statusOf()).toMatchObject({
    pendingRename: {
      libraryId: "/acme/widgets",
      reason: "The key that the library was submitted with is not for the new ID.",
      since: "2026-01-02T03:04:05.000Z",
    },
  });
  for (const { key } of [submitter, await addKey(["admin"], { teamspace: "web" })])
    expect(await statusOf(key)).not.toHaveProperty("pendingRename");
});

it("renames the library once an administrator accepts, and the old ID redirects", async () => {
  const { decide, send, statusOf } = await renamed();
  expect(await decide(true)).toMatchObject({ status: 200, body: { libraryName: "/acme/widgets" } });
  expect(await statusOf(undefined, "/acme/widgets")).not.toHaveProperty("pendingRename");
  expect(await send("GET", "/v2/context?libraryId=/a/x&query=widget", { key: null })).toMatchObject({
    status: 301,
    body: { redirectUrl: "/acme/widgets" },
  });
  expect((await send("GET", "/v2/context?libraryId=/acme/widgets&query=widget", { key: null })).status).toBe(200);
  expect(await decide(true, undefined, "/acme/widgets")).toMatchObject({ status: 400 });
});

it("does not propose an ID again that an administrator refused", async () => {
  const { decide, statusOf, move, url } = await renamed();
  expect(await decide(false)).toMatchObject({ status: 200, body: { libraryName: "/a/x" } });
  await move(url, `${url}3`, "/acme/widgets");
  expect(await statusOf()).not.toHaveProperty("pendingRename");
  await move(`${url}3`, `${url}4`, "/acme/third");
  expect(await statusOf()).toMatchObject({ pendingRename: { libraryId: "/acme/third" } });
});

it("says what to do if the ID is in use, and refuses invalid decisions", async () => {
  const { decide, submit, send, statusOf } = await renamed();
  await submit("/acme/widgets");
  expect(await decide(true)).toMatchObject({
    status: 409,
    body: { error: "duplicate_library", message: expect.stringMatching(/Delete that first, .* or refuse/) as string },
  });
  expect(await statusOf()).toMatchObject({ pendingRename: { libraryId: "/acme/widgets" } });
  expect(await decide("yes")).toMatchObject({ status: 400 });
  expect(await decide(true, undefined, "/a/x@1")).toMatchObject({ status: 400 });
  expect((await send("DELETE", "/v2/libs?libraryId=/acme/widgets")).status).toBe(200);
  expect((await decide(true)).status).toBe(200);
});

it("is decided by the library's administrators, within their keys' patterns", async () => {
  const { decide, addKey } = await renamed({ private: true });
  expect((await decide(true)).status).toBe(404);
  const limited = await addKey(["admin"], { teamspace: "web", libraries: ["/a/*"] });
  expect(await decide(true, limited.key)).toMatchObject({ status: 403, body: { error: "access_denied" } });
  const { key } = await addKey(["admin"], { teamspace: "web" });
  expect((await decide(true, key)).status).toBe(200);
});
