import { expect, it } from "vitest";
import { codesOf } from "../../domain/passage.ts";
import { bare, textOf } from "../support/notion-pages.ts";
import { setup } from "./notion-setup.ts";

it("reads all pages that are shared, with rows and what is below them", async () => {
  const { notion, index, codes } = await setup();
  const root = notion.addPage({ title: "Handbook", blocks: textOf("Handbook") });
  notion.addPage({ title: "Below", parent: { page: root }, blocks: textOf("Below") });
  notion.addPage({ title: "Hidden", blocks: textOf("Hidden"), isShared: false });
  const { sources } = notion.addDatabase({ title: "Runbooks", description: "What to do when it burns." });
  notion.addPage({
    title: "Disk",
    parent: { source: sources[0] ?? "" },
    properties: { State: { type: "select", select: { name: "Ready" } } },
    blocks: textOf("Disk"),
  });
  const first = await index();
  expect(first.read).toEqual(["Below", "Disk", "Handbook", "Runbooks"]);
  expect(codes(first)).toEqual(["below();", "disk();", "handbook();"]);
  expect(JSON.stringify(first.passages)).toContain("**State**: Ready");
  const again = await index();
  expect(again.unchanged).toBe(true);
  expect(again.requests.filter((line) => line.includes("/blocks/"))).toEqual([]);
});

it("reads named pages with what is below them, and nothing else", async () => {
  const { notion, index } = await setup();
  const root = notion.addPage({ title: "Handbook", blocks: textOf("Handbook") });
  const below = notion.addPage({ title: "Below", parent: { page: root }, blocks: textOf("Below") });
  notion.addPage({ title: "Deep", parent: { page: below }, blocks: textOf("Deep") });
  notion.addPage({ title: "Other", blocks: textOf("Other") });
  const database = notion.addDatabase({ title: "Runbooks", parent: below });
  notion.addPage({ title: "Row", parent: { source: database.sources[0] ?? "" }, blocks: textOf("Row") });
  const { read, passages } = await index([root]);
  expect(read).toEqual(["Below", "Deep", "Handbook", "Row"]);
  const [code] = passages.flatMap(codesOf);
  expect(code?.language).toBe("javascript");
  expect(passages.map(({ source }) => source.url)).toContain(`https://www.notion.so/${bare(root)}`);
  // A page shows the names of what is below it.
  const served = JSON.stringify(passages);
  expect(served).toContain(`- [Below](https://www.notion.so/${bare(below)})`);
  expect(served).toContain(`- [Runbooks](https://www.notion.so/${bare(database.id)})`);
});
