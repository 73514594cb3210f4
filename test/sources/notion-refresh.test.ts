import { expect, it } from "vitest";
import { bare, textOf } from "../support/notion-pages.ts";
import type { NewBlock, NotionServer } from "../support/notion-server.ts";
import { setup } from "./notion-setup.ts";

/** A tree of pages: a root with two below it, one of which has one below that. */
function tree(notion: NotionServer) {
  const root = notion.addPage({ title: "Root", blocks: textOf("Root") });
  const one = notion.addPage({ title: "One", parent: { page: root }, blocks: textOf("One") });
  const two = notion.addPage({ title: "Two", parent: { page: root }, blocks: textOf("Two") });
  const deep = notion.addPage({ title: "Deep", parent: { page: one }, blocks: textOf("Deep") });
  const other = notion.addPage({ title: "Other", blocks: textOf("Other") });
  return { root, one, two, deep, other };
}

it("reads again what was edited, and only that", async () => {
  const { notion, index, codes } = await setup();
  const { root, deep } = tree(notion);
  await index([root]);
  notion.write(deep, textOf("Deep", "edited();"), "2026-02-01T00:00:00.000Z");
  const second = await index([root]);
  expect(codes(second)).toEqual(["edited();", "one();", "root();", "two();"]);
  expect(second.requests.filter((line) => line.includes("/blocks/"))).toEqual([
    `GET /v1/blocks/${bare(deep)}/children`,
  ]);
});

it("reads again what was edited within the minute of the last reading, as it may have missed that", async () => {
  const { notion, index, codes } = await setup();
  const { root, two } = tree(notion);
  const now = new Date().toISOString();
  notion.write(two, textOf("Two"), now);
  await index([root]);
  notion.write(two, textOf("Two", "later();"), now);
  expect(codes(await index([root]))).toContain("later();");
});

it("drops what is in the trash, what moved away and what is no longer shared, each with the reason", async () => {
  const { notion, index } = await setup();
  const { root, one, two, deep, other } = tree(notion);
  await index([root]);
  notion.edit(two, { isTrashed: true });
  notion.move(deep, other);
  const second = await index([root]);
  expect(second.read).toEqual(["One", "Root"]);
  expect(second.left[bare(two)]).toMatch(/^gone: .*trash/);
  expect(second.left[bare(deep)]).toMatch(/^gone: .*moved/);
  notion.edit(one, { isShared: false });
  const third = await index([root]);
  expect(third.read).toEqual(["Root"]);
  expect(third.left[bare(one)]).toMatch(/^refused: .*not shared/);
  expect(Object.keys(third.left)).toEqual([bare(one)]);
  expect(third.manifest.notes?.join(" ")).toContain(bare(one));
  expect((await index([root])).left).toEqual({});
});

it("keeps a page that moved within the pages that are read", async () => {
  const { notion, index } = await setup();
  const { root, two, deep } = tree(notion);
  await index([root]);
  notion.move(deep, two);
  const second = await index([root]);
  expect(second.read).toEqual(["Deep", "One", "Root", "Two"]);
  expect(second.manifest.pages.find(({ title }) => title === "Deep")?.from?.slice(-32)).toBe(bare(two));
});

it("keeps a page in a column while it stays there, and drops it once it moved away", async () => {
  const { notion, index } = await setup();
  const column = (inside: readonly NewBlock[]) => ({ type: "column", column: {}, children: inside });
  const blocks = [
    { type: "column_list", column_list: {}, children: [column(textOf("Left")), column(textOf("Right"))] },
  ];
  const root = notion.addPage({ title: "Root", blocks });
  const [list = ""] = notion.blocksOf(root);
  const [left = ""] = notion.blocksOf(list);
  const inside = notion.addPage({ title: "Inside", parent: { block: left }, blocks: textOf("Inside") });
  const other = notion.addPage({ title: "Other", blocks: textOf("Other") });
  expect((await index([root])).read).toEqual(["Inside", "Root"]);
  const again = await index([root]);
  expect(again.read).toEqual(["Inside", "Root"]);
  expect(again.requests.filter((line) => line.includes("/blocks/"))).toEqual([]);
  notion.move(inside, other);
  expect((await index([root])).read).toEqual(["Root"]);
});

it("lists submitted pages that are refused, and fails if all are", async () => {
  const { notion, index, source, specOf, credential } = await setup();
  const { root, two, other } = tree(notion);
  notion.edit(other, { isShared: false });
  const { left, read } = await index([root, other]);
  expect(read).toContain("Root");
  expect(left[bare(other)]).toMatch(/^refused: .*not shared.*Connections/);
  // It is listed each time, as it was submitted.
  expect((await index([root, other])).left[bare(other)]).toMatch(/^refused/);
  const resolve = (ids: readonly string[]) =>
    source.resolve(specOf(ids), null, { signal: new AbortController().signal, credential });
  await expect(resolve([other])).rejects.toMatchObject({ code: "source_not_found" });
  notion.edit(two, { isTrashed: true });
  await expect(index([two])).rejects.toMatchObject({ code: "source_refused" });
});

it("sees edits of synced blocks, although the page that shows them is unchanged", async () => {
  const { notion, index, codes } = await setup();
  const origin = notion.addPage({ title: "Origin" });
  notion.write(
    origin,
    [{ type: "synced_block", synced_block: { synced_from: null }, children: textOf("Shared") }],
    "2026-01-05T10:00:00.000Z",
  );
  const [original = ""] = notion.blocksOf(origin);
  const mirror = notion.addPage({
    title: "Mirror",
    blocks: [{ type: "synced_block", synced_block: { synced_from: { type: "block_id", block_id: original } } }],
  });
  expect(codes(await index([mirror]))).toEqual(["shared();"]);
  expect((await index([mirror])).unchanged).toBe(true);
  notion.replace(original, textOf("Shared", "renewed();"));
  expect(codes(await index([mirror]))).toEqual(["renewed();"]);
});

it("sees rows that come and go, and properties that change", async () => {
  const { notion, index } = await setup();
  const { id, sources } = notion.addDatabase({
    title: "Runbooks",
    description: "What to do when it burns, step by step.",
  });
  const state = (name: string) => ({ State: { type: "select", select: { name } } });
  const source = sources[0] ?? "";
  const disk = notion.addPage({
    title: "Disk",
    parent: { source },
    properties: state("Draft"),
    blocks: textOf("Disk"),
  });
  const net = notion.addPage({ title: "Net", parent: { source }, blocks: textOf("Net") });
  expect((await index([id])).read).toEqual(["Disk", "Net", "Runbooks"]);
  notion.edit(disk, { properties: state("Ready"), edited: "2026-02-01T00:00:00.000Z" });
  notion.edit(net, { isTrashed: true });
  notion.addPage({ title: "Power", parent: { source }, blocks: textOf("Power") });
  const second = await index([id]);
  expect(second.read).toEqual(["Disk", "Power", "Runbooks"]);
  expect(JSON.stringify(second.passages)).toContain("**State**: Ready");
});
