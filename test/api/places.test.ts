import { expect, it } from "vitest";

import { uidOf } from "../support/uid-of.ts";
import { codePassage, prosePassage, withCodes } from "./samples.ts";
import { setup } from "./setup.ts";

const place = "/srv/docs/Our handbook";
const url = "file:///srv/docs/Our%20handbook";

/** A server with a folder as a library. */
async function folderLibrary() {
  const world = await setup();
  const added = await world.send("POST", "/v2/add/folder", { body: { path: place, title: "handbook" } });
  const sources = [{ path: "code/a b.js", url: `${url}/code/a%20b.js#L1-L2`, lines: [1, 2] as const }];
  const passage = withCodes(codePassage, [{ language: "js", code: "a();", sources }]);
  await world.finish((added.body as { runId: string }).runId, [
    {
      ...passage,
      blocks: passage.blocks.map((block) =>
        block.type === "code" ? { ...block, url: `${url}/guide/start.md#L5-L9` } : block,
      ),
      page: { title: "Widgets", url: `${url}/guide/start.md` },
      source: { path: "guide/start.md", url: `${url}/guide/start.md#L3-L9`, lines: [3, 9], revision: "1" },
    },
    {
      ...prosePassage,
      page: { title: "Why", url: `${url}/README.md` },
      source: { path: "README.md", url: `${url}/README.md`, revision: "1" },
    },
  ]);
  return world;
}

const routes = [
  "/v2/context?libraryId=/docs/handbook&query=widget",
  "/v2/context?libraryId=/docs/handbook&query=widget&type=json",
  "/v2/context?libraryId=/docs/handbook&query=widget&type=json&kind=code",
  "/v2/libs",
  "/v2/libs/status?libraryId=/docs/handbook",
];

it.each(routes)("%s shows the path of a folder only to those who may change its library", async (route) => {
  const { send, addKey } = await folderLibrary();
  const read = async (key: string | null) => JSON.stringify((await send("GET", route, { key })).body);
  const editor = await addKey(["admin"], { libraries: ["/docs/*"] });
  expect(await read(editor.key)).toContain("/srv/docs/Our");
  const keys = [(await addKey(["read"])).key, (await addKey(["submit"])).key, null];
  for (const key of keys) expect(await read(key)).not.toContain("/srv/docs");
});

it("cites a folder's files by their relative path and lines", async () => {
  const { send } = await folderLibrary();
  const { body } = await send("GET", "/v2/context?libraryId=/docs/handbook&query=widget&type=json", { key: null });
  expect(body).toMatchObject({
    codeSnippets: [{ codeId: "guide/start.md#L5-L9", codeList: [{ sources: ["code/a%20b.js#L1-L2"] }] }],
    infoSnippets: [{ pageId: "README.md" }],
  });
  const { body: text } = await send("GET", "/v2/context?libraryId=/docs/handbook&query=widget", { key: null });
  expect(text).toContain("Source: guide/start.md#L3-L9\n");
  expect(text).toContain("Included from code/a%20b.js#L1-L2\n");
});

it("has another ETag for an answer with the path", async () => {
  const { send } = await folderLibrary();
  const route = "/v2/context?libraryId=/docs/handbook&query=widget";
  const { headers } = await send("GET", route);
  const cached = { "if-none-match": headers["ETag"] ?? "" };
  expect((await send("GET", route, { headers: cached })).status).toBe(304);
  expect((await send("GET", route, { headers: cached, key: null })).status).toBe(200);
});

it("shows readers `folder` as the source of a folder, and the address of a repository", async () => {
  const { send, addKey, submit } = await folderLibrary();
  await submit("/acme/widgets");
  const { key } = await addKey(["read"]);
  expect((await send("GET", "/v2/libs", { key })).body).toMatchObject({
    libraries: [{ source: "https://git.example.com/acme/widgets" }, { source: "folder" }],
  });
});

it("shows the path of a folder in conflicts of its ID only to those who may change its library", async () => {
  const { send, addKey, catalog, submit, finish } = await folderLibrary();
  const resubmit = (key?: string) =>
    send("POST", "/v2/add/openapi-upload", {
      ...(key !== undefined && { key }),
      headers: { "content-type": "multipart/form-data; boundary=x", "content-length": "1000" },
      readBody: async () =>
        Buffer.from(
          '--x\r\nContent-Disposition: form-data; name="openapiFile"; filename="handbook.json"\r\n\r\n{}\r\n--x--\r\n',
        ),
    });
  expect(await resubmit()).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining("/srv/docs/Our handbook") as string },
  });
  for (const more of [{}, { teamspace: "web" }])
    for (const scope of ["submit", "admin"] as const) {
      if (scope === "admin" && !("teamspace" in more)) continue;
      const answer = await resubmit((await addKey([scope], more)).key);
      expect(answer).toMatchObject({
        status: 409,
        body: { message: expect.stringContaining("from a folder of the server") as string },
      });
      expect(JSON.stringify(answer.body)).not.toContain("/srv");
    }
  await finish(await submit("/acme/widgets"), [codePassage]);
  const uid = await uidOf(catalog, "/acme/widgets");
  const from = "https://git.example.com/acme/widgets";
  await catalog.libraries.move(uid, { from, to: `${from}2`, id: "/docs/handbook" }, 1);
  const decided = await send("POST", "/v2/libs/rename", {
    key: (await addKey(["admin"])).key,
    body: { libraryName: "/acme/widgets", accept: true },
  });
  expect(decided).toMatchObject({ status: 409, body: { message: expect.stringContaining("/srv/docs") as string } });
});
