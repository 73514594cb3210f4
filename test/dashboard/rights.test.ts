import { expect, it } from "vitest";

import { pages } from "../../api/dashboard/pages.ts";
import { codePassage } from "../api/samples.ts";
import { adminKey } from "../api/setup.ts";
import { exampleOf, rows } from "./rights-rows.ts";
import { setupPages } from "./world.ts";

const [head = [], ...table] = rows
  .trim()
  .split("\n")
  .map((line) => line.trim().split(/ +/));
const places = table.map(([method = "", path = "", subject = "", ...statuses]) => ({
  place: `${method} ${path}`,
  subject,
  statuses: statuses.map(Number),
}));

/** Two libraries with an earlier, a live and a held generation, and a key for every caller. */
async function prepare() {
  const world = await setupPages({ rateLimitSubmissions: 1000, rateLimitAnonymous: 1000 });
  const { addKey, catalog, clock, finish, send } = world;
  const web = { teamspace: "web" };
  const keys: Readonly<Record<string, { readonly key: string; readonly id: string }>> = {
    expired: await addKey(["admin"], { expiresAt: clock.now - 1 }),
    revoked: await addKey(["admin"]),
    read: await addKey(["read"], web),
    submit: await addKey(["submit"], web),
    admin: await addKey(["admin"], web),
    mobile: await addKey(["admin"], { teamspace: "mobile" }),
    instance: await addKey(["admin"]),
    limited: await addKey(["admin"], { ...web, libraries: ["/other/*"] }),
  };
  await catalog.keys.revoke("default", keys["revoked"]?.id ?? "", clock.now);
  const keyOf = (caller: string): string | null =>
    caller === "none" ? null : caller === "operator" ? adminKey : (keys[caller]?.key ?? "");
  const addLibrary = async (id: string, fields: object): Promise<string> => {
    const key = keyOf("submit");
    const body = { docsRepoUrl: `https://git.example.com${id}`, ...fields };
    const added = await send("POST", "/v2/add/repo/git", { body, key });
    await finish((added.body as { runId: string }).runId, [codePassage]);
    for (const held of [false, true]) {
      const refreshed = await send("POST", "/v1/refresh", { body: { libraryName: id }, key });
      await finish((refreshed.body as { runId: string }).runId, [codePassage], held);
    }
    return id;
  };
  const libraries = {
    public: await addLibrary("/acme/widgets", {}),
    private: await addLibrary("/web/own", { private: true }),
  };
  return { ...world, keyOf, libraries };
}

it("has a row for every page and form, and no others", () => {
  const described = new Set(places.map(({ place }) => place));
  const expected = pages.map(({ kind, path }) => `${kind === "form" ? "POST" : "GET"} ${path}`);
  expect([...described].sort()).toEqual(expected.sort());
});

it.each(places)("$place, $subject, has the statuses of its row", async ({ place, subject, statuses }) => {
  const actual: Record<string, number> = {};
  let world = await prepare();
  for (const caller of head) {
    const library = world.libraries[subject === "private" ? "private" : "public"];
    const [method = "", described = ""] = place.split(" ");
    const { path = described, query = {}, fields = {}, file } = exampleOf(place, library, world.keyOf("read") ?? "");
    const target = `${path}?${new URLSearchParams(query).toString()}`;
    const { status } = await world.browse(method === "POST" ? "POST" : "GET", target, {
      key: world.keyOf(caller),
      fields,
      file,
    });
    actual[caller] = status;
    // A refused form changes nothing.
    if (method === "POST" && status < 400) world = await prepare();
  }
  expect(actual).toEqual(Object.fromEntries(head.map((caller, at) => [caller, statuses[at]])));
});
