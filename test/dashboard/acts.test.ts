import { expect, it } from "vitest";

import { codePassage } from "../api/samples.ts";
import { adminKey } from "../api/setup.ts";
import { uidOf } from "../support/uid-of.ts";
import { setupPages } from "./world.ts";

async function prepare() {
  const world = await setupPages();
  await world.finish(await world.submit("/acme/widgets"), [codePassage]);
  const post = (path: string, fields: Readonly<Record<string, string>>) =>
    world.browse("POST", path, { key: adminKey, fields });
  const get = (path: string) => world.browse("GET", path, { key: adminKey });
  return { ...world, post, get };
}

it("decides a pending rename", async () => {
  const { catalog, get, post, submit } = await prepare();
  const uid = await uidOf(catalog, "/acme/widgets");
  const from = "https://git.example.com/acme/widgets";
  await submit("/acme/taken");
  await catalog.libraries.move(uid, { from, to: `${from}-2`, id: "/acme/taken" }, 1);
  const page = await get("/acme/widgets?tab=settings");
  expect(page.text).toContain("The source was renamed");
  expect(page.text).toContain("do=keepId");
  expect((await get("/-/library/act?id=/acme/widgets&do=keepId")).text).toContain("Keep the ID?");
  const refused = await post("/-/library/act", { id: "/acme/widgets", do: "rename" });
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining("Failed") as string]);
  expect((await post("/-/library/act", { id: "/acme/widgets", do: "keepId" })).status).toBe(303);
  expect((await get("/acme/widgets?tab=settings")).text).not.toContain("The source was renamed");
});

it("sets a redirect and removes it", async () => {
  const { get, post, submit, finish } = await prepare();
  await finish(await submit("/acme/gadgets"), [codePassage]);
  const change = (redirect: string, before: string) =>
    post("/-/library/settings", { id: "/acme/widgets", shown: JSON.stringify({ redirect: before }), redirect });
  const toItself = await change("/acme/widgets", "");
  expect(toItself.status).toBe(400);
  expect(toItself.text).toContain("It names /acme/widgets itself");
  expect((await change("/acme/gadgets", "")).status).toBe(303);
  const page = await get("/acme/widgets?tab=settings");
  expect(page.text).toContain('value="/acme/gadgets"');
  // A redirected library has no readers, so no metrics.
  expect(page.text).not.toContain("tab=metrics");
  expect((await change("", "/acme/gadgets")).status).toBe(303);
  expect((await get("/acme/widgets?tab=settings")).text).not.toContain('value="/acme/gadgets"');
});

it("refuses forms with invalid fields", async () => {
  const { post } = await prepare();
  expect((await post("/-/library/act", { id: "/acme/widgets", do: "explode" })).status).toBe(400);
  expect((await post("/-/library/release", { id: "/acme/widgets", do: "explode" })).status).toBe(400);
  const settings = { id: "/acme/widgets", title: "New" };
  expect((await post("/-/library/settings", settings)).status).toBe(400);
  // The previous values only serve to detect changes.
  expect((await post("/-/library/settings", { ...settings, shown: "{not JSON" })).status).toBe(303);
});

it("lists libraries that were never indexed separately, with their next attempt, and deletes them", async () => {
  const { get, post, submit, fail, catalog } = await prepare();
  await fail(await submit("/acme/away"), "source_unreachable", "It is away.");
  await fail(await submit("/acme/gone"), "source_not_found", "It is gone.");
  const start = await get("/");
  expect(start.text).toMatch(/Never indexed.*\/acme\/away.*It is away\..*<h1 id="libraries">(?!.*\/acme\/away)/s);
  const unserved = await get("/?state=unserved");
  for (const id of ["/acme/away", "/acme/gone", "/-/unserved/delete"]) expect(unserved.text).toContain(id);
  expect(unserved.text).not.toContain("/acme/widgets");
  expect((await get("/acme/away")).text).toContain("The next attempt starts automatically");
  expect((await get("/acme/gone")).text).not.toContain("The next attempt starts automatically");
  expect((await get("/-/unserved/delete")).text).toContain("2 libraries");
  expect((await post("/-/unserved/delete", {})).status).toBe(303);
  expect((await get("/")).text).not.toContain("Never indexed <span");
  expect(await catalog.libraries.find([""], "/acme/gone", "")).toBeUndefined();
});
