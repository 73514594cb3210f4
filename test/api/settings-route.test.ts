import { expect, it } from "vitest";

import { codePassage } from "./samples.ts";
import { setup } from "./setup.ts";

it("returns the settings of a library and the options of its kind", async () => {
  const { submit, finish, send } = await setup();
  await finish(await submit("/acme/widgets", { branch: "next", folders: ["docs"] }), [codePassage]);
  const read = async () =>
    (await send("GET", "/v2/libs/settings?libraryId=/acme/widgets")).body as {
      options: { name: string; value: unknown; schema: object }[];
    };
  const valueOf = async (name: string) => (await read()).options.find((one) => one.name === name)?.value;
  expect(await read()).toMatchObject({
    kind: "git",
    title: null,
    rules: [],
    schedule: null,
    screen: null,
    verified: null,
  });
  expect([await valueOf("branch"), await valueOf("folders"), await valueOf("excludeFiles")]).toEqual([
    "next",
    ["docs"],
    null,
  ]);
  const chosen = { title: "Widgets", rules: ["Be short."], schedule: 3, screen: "off", trustScore: 7, verified: true };
  await send("PATCH", "/v2/libs", {
    body: { libraryName: "/acme/widgets", ...chosen, branch: null, excludeFiles: ["a.md"], skipVersionFiltering: true },
  });
  expect(await read()).toMatchObject(chosen);
  expect([await valueOf("branch"), await valueOf("excludeFiles"), await valueOf("skipVersionFiltering")]).toEqual([
    null,
    ["a.md"],
    true,
  ]);
});

it("returns the options of a website by the names for changing them", async () => {
  const { send, finish } = await setup();
  const base = "https://docs.example.com/guide/a";
  const body = { websiteUrl: "https://docs.example.com/guide/", websiteBaseUrl: base, maxPages: 20 };
  const added = (await send("POST", "/v2/add/website", { body })).body as { runId: string; libraryName: string };
  await finish(added.runId, [codePassage]);
  const { body: settings } = await send("GET", `/v2/libs/settings?libraryId=${added.libraryName}`);
  expect((settings as { options: object[] }).options).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: "websiteBaseUrl", value: base }),
      expect.objectContaining({ name: "maxPages", value: 20 }),
      expect.objectContaining({ name: "scope", value: "subpages" }),
    ]),
  );
});

it("lists what a key may do with a library", async () => {
  const { submit, finish, send, addKey } = await setup();
  await finish(await submit("/acme/widgets"), [codePassage]);
  const permitted = async (scope: "read" | "submit" | "admin", teamspace: string) => {
    const { key } = await addKey([scope], { teamspace });
    const { body } = await send("GET", "/v2/libs/status?libraryId=/acme/widgets", { key });
    return (body as { permitted: string[] }).permitted;
  };
  expect(await permitted("read", "default")).toEqual(["metrics"]);
  expect(await permitted("submit", "default")).toEqual(["refresh", "metrics"]);
  expect(await permitted("admin", "default")).toEqual(["refresh", "metrics", "note", "change"]);
  expect(await permitted("admin", "mobile")).toEqual(["refresh", "note"]);
});
