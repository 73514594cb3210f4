import { expect, it } from "vitest";
import { codeBlock, textBlock, type Fault, type NewBlock, type NotionServer } from "../support/notion-server.ts";
import { bare, textOf } from "../support/notion-pages.ts";
import { setup } from "./notion-setup.ts";
const broken: Fault = { status: 502, body: "bad gateway" };

function many(notion: NotionServer, count: number): string {
  const root = notion.addPage({ title: "Root", blocks: textOf("Root") });
  for (let page = 0; page < count; page += 1)
    notion.addPage({ title: `Page${page}`, parent: { page: root }, blocks: textOf(`Page${page}`) });
  return root;
}

it("asks again as late as the host wants", async () => {
  const { notion, index } = await setup();
  const root = many(notion, 3);
  let refusals = 0;
  notion.fault = ({ path }) => {
    if (!path.endsWith("/children") || refusals >= 5) return undefined;
    refusals += 1;
    return {
      status: 429,
      headers: { "retry-after": "0" },
      body: { object: "error", status: 429, code: "rate_limited", message: "slow" },
    };
  };
  expect((await index([root])).read).toHaveLength(4);
  expect(refusals).toBe(5);
});

it("requests fewer entries at once from a host that fails, until it has them", async () => {
  const { notion, index, codes } = await setup();
  const blocks = Array.from({ length: 120 }, (_, at) => codeBlock(`call(${at});`, "javascript"));
  const root = notion.addPage({ title: "Root", blocks });
  notion.fault = ({ path, query }) =>
    path.endsWith("/children") && Number(query.get("page_size")) > 20 ? broken : undefined;
  const result = await index([root]);
  expect(codes(result)).toHaveLength(120);
  expect(notion.requests.map(({ query }) => query.get("page_size"))).toContain("12");
});

it("keeps the last result of a page that cannot be read, and of the pages below it", async () => {
  const { notion, index, codes } = await setup();
  const root = notion.addPage({ title: "Root", blocks: textOf("Root") });
  const one = notion.addPage({ title: "One", parent: { page: root }, blocks: textOf("One") });
  notion.addPage({ title: "Deep", parent: { page: one }, blocks: textOf("Deep") });
  await index([root]);
  notion.write(one, textOf("Two"), "2026-02-01T00:00:00.000Z");
  notion.fault = ({ path }) => (path.includes(`/blocks/${bare(one)}`) ? broken : undefined);
  const second = await index([root]);
  expect(second.left[bare(one)]).toMatch(/^source_unreachable: .*502/);
  expect(codes(second)).toEqual(["deep();", "one();", "root();"]);
  notion.fault = () => undefined;
  expect(codes(await index([root]))).toEqual(["deep();", "root();", "two();"]);
});

it.each<[string, (notion: NotionServer) => void, RegExp]>([
  [
    "repeats itself",
    (notion) => {
      notion.odd = ({ path }, answer) =>
        path.endsWith("/children") ? { ...answer, has_more: true, next_cursor: "cursor-0" } : answer;
    },
    /repeats itself/,
  ],
  [
    "ends early",
    (notion) => {
      notion.odd = ({ path }, answer) =>
        path.endsWith("/children") ? { ...answer, has_more: true, next_cursor: null } : answer;
    },
    /more entries, but no cursor/,
  ],
  [
    "has no entries at all",
    (notion) => {
      notion.odd = ({ path }, answer) => (path.endsWith("/children") ? { object: "list", has_more: false } : answer);
    },
    /is not a list/,
  ],
  [
    "is no JSON",
    (notion) => {
      notion.odd = ({ path }, answer) => (path.endsWith("/children") ? "<html>" : answer);
    },
    /not JSON/,
  ],
])("notices a list that %s", async (_, spoil, reason) => {
  const { notion, index } = await setup();
  const root = notion.addPage({ title: "Root", blocks: textOf("Root") });
  const sound = notion.addPage({ title: "Sound", blocks: textOf("Sound") });
  await index([sound]);
  spoil(notion);
  const { left } = await index([root, sound]);
  expect(left[bare(root)]).toMatch(reason);
});

it("says why a run ends whose token was revoked, or may not read content", async () => {
  const { notion, index, source, specOf, credential } = await setup();
  const root = many(notion, 2);
  await index([root]);
  notion.capabilities.clear();
  const resolve = () => source.resolve(specOf([root]), null, { signal: new AbortController().signal, credential });
  await expect(resolve()).rejects.toMatchObject({
    code: "source_refused",
    message: expect.stringMatching(/"Read content"/) as string,
  });
  notion.tokens.clear();
  const refused = await resolve().catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: "source_refused",
    message: expect.stringMatching(/does not accept the token/) as string,
  });
  expect(JSON.stringify(refused)).not.toContain(credential.token);
});

it("refuses a token of another workspace", async () => {
  const { notion, source, specOf, credential } = await setup();
  const signal = new AbortController().signal;
  const resolve = (workspaceId: string) => source.resolve({ ...specOf(), workspaceId }, null, { signal, credential });
  await expect(resolve("another")).rejects.toMatchObject({ message: expect.stringMatching(/Acme/) as string });
  await expect(resolve(notion.workspaceId.replaceAll("-", ""))).resolves.toMatchObject({ revision: "" });
});

it("goes on where a killed run was, and requests little again", async () => {
  const { notion, index } = await setup();
  const root = many(notion, 300);
  const stop = new AbortController();
  let requests = 0;
  notion.fault = ({ path }) => {
    requests += path.endsWith("/children") ? 1 : 0;
    if (requests > 250) stop.abort(new Error("killed"));
    return undefined;
  };
  await expect(index([root], { signal: stop.signal })).rejects.toThrow("killed");
  notion.fault = () => undefined;
  const { read, requests: again } = await index([root], { attempt: 2 });
  expect(read).toHaveLength(301);
  expect(again.filter((line) => line.endsWith("/children")).length).toBeLessThan(250);
});

it("reads more rows than a query has, and a page with thousands of blocks", async () => {
  const { notion, index, codes } = await setup();
  const { id, sources } = notion.addDatabase({ title: "Rows" });
  notion.limit = 150;
  for (let row = 0; row < 400; row += 1)
    notion.addPage({
      title: `Row${row}`,
      parent: { source: sources[0] ?? "" },
      created: new Date(Date.UTC(2026, 0, 1, 0, row)).toISOString(),
      blocks: row % 100 === 0 ? textOf(`Row${row}`) : [],
    });
  const { manifest } = await index([id]);
  expect(manifest.pages).toHaveLength(401);
  notion.limit = 10_000;
  const blocks: NewBlock[] = Array.from({ length: 3000 }, (_, at) =>
    at % 3 === 0
      ? codeBlock(`call(${at});`, "javascript")
      : textBlock("paragraph", `Paragraph ${at} says what comes next.`),
  );
  const long = notion.addPage({ title: "Long", blocks });
  expect(codes(await index([long]))).toHaveLength(1000);
});

it("reads synced blocks that mirror each other once, and nothing below the limit of depth", async () => {
  const { notion, index, codes } = await setup();
  const synced = (from: string | null, children: readonly NewBlock[] = []): NewBlock => ({
    type: "synced_block",
    synced_block: { synced_from: from === null ? null : { type: "block_id", block_id: from } },
    children,
  });
  const root = notion.addPage({ title: "Root", blocks: [synced(null)] });
  const [original = ""] = notion.blocksOf(root);
  notion.replace(original, [...textOf("Root"), synced(original)]);
  let nested: NewBlock = codeBlock("deep();", "javascript");
  for (let depth = 0; depth < 40; depth += 1) nested = textBlock("bulleted_list_item", `Item ${depth}`, {}, [nested]);
  const deep = notion.addPage({ title: "Deep", blocks: [...textOf("Page"), nested] });
  const result = await index([root, deep]);
  expect(codes(result)).toEqual(["page();", "root();"]);
  expect(result.manifest.pages.find(({ title }) => title === "Deep")?.notes?.join(" ")).toMatch(/deeper than 30/);
});

it("lists from both ends what exceeds one list, and adds a note if that is not all", async () => {
  const { notion, index } = await setup();
  notion.limit = 30;
  notion.addDatabase({ title: "Rows" });
  const add = (from: number, to: number) => {
    for (let page = from; page < to; page += 1)
      notion.addPage({
        title: `Page${page}`,
        edited: new Date(Date.UTC(2026, 0, 1, 0, page)).toISOString(),
        blocks: textOf(`Page${page}`),
      });
  };
  add(0, 50);
  const whole = await index();
  expect(whole.read).toHaveLength(50);
  expect(whole.manifest.notes).toBeUndefined();
  add(50, 80);
  expect((await index()).manifest.notes?.join(" ")).toMatch(/only a part/);
});

it("notes on a page that Notion lists only a part of its blocks", async () => {
  const { notion, index } = await setup();
  const root = notion.addPage({ title: "Root", blocks: textOf("Root") });
  notion.odd = ({ path }, answer) =>
    path.endsWith("/children") ? { ...answer, request_status: { type: "incomplete" } } : answer;
  const { manifest } = await index([root]);
  expect(manifest.pages[0]?.notes).toContain("Notion lists only a part of its blocks.");
});
