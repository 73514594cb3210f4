import { expect, it } from "vitest";
import { codeBlock, rich, textBlock, type Json, type NewBlock } from "../../support/notion-server.ts";
import { documentOf } from "./reading.ts";

let count = 0;
/** A word that no other block has. */
const word = (): string => `word${++count}`;
const id = (): string => (++count).toString(16).padStart(32, "f");
const external = (): Json => ({ type: "external", external: { url: `https://example.com/${++count}` } });

/** Blocks that hold no others. */
const leaves: Readonly<Record<string, () => NewBlock>> = {
  paragraph: () => textBlock("paragraph", [...rich(`${word()} `), ...rich(word(), { bold: true }), ...rich(word())]),
  code: () => codeBlock(word(), "text", `${word()} ${word()}`),
  "code without code": () => codeBlock(" ", "text", word()),
  "code of a file": () => codeBlock(word(), "text", `${word()}.ts`),
  equation: () => ({ type: "equation", equation: { expression: `${word()} + ${word()}` } }),
  image: () => ({ type: "image", image: { ...external(), caption: rich(word()) } }),
  bookmark: () => ({ type: "bookmark", bookmark: { url: "https://example.com/a", caption: rich(word()) } }),
  embed: () => ({ type: "embed", embed: { url: "https://example.com/a", caption: rich(`${word()} [${word()}]`) } }),
  pdf: () => ({ type: "pdf", pdf: { ...external(), name: word(), caption: rich(word(), {}, "https://example.com") } }),
  video: () => ({ type: "video", video: { ...external(), caption: rich(word()) } }),
  file: () => ({ type: "file", file: { type: "file", file: { url: "x" }, name: word(), caption: rich(word()) } }),
  child_page: () => ({ type: "child_page", id: id(), child_page: { title: word() } }),
  child_database: () => ({ type: "child_database", id: id(), child_database: { title: word() } }),
  table: () => ({
    type: "table",
    table: { has_column_header: true },
    children: [1, 2].map(() => ({
      type: "table_row",
      table_row: { cells: [rich(word()), rich(`${word()}\n${word()}`)] },
    })),
  }),
  "unknown block": () => ({ type: "next_year", next_year: { rich_text: rich(word()), caption: rich(word()) } }),
};

type Wrap = (children: readonly NewBlock[]) => NewBlock;
const textual = (type: string, more: Json = {}): [string, Wrap] => [
  type,
  (children) => textBlock(type, word(), more, children),
];

/** Blocks that may hold others. */
const containers: readonly (readonly [name: string, wrap: Wrap])[] = [
  ...["paragraph", "bulleted_list_item", "numbered_list_item", "to_do", "toggle", "quote", "callout", "template"].map(
    (type) => textual(type),
  ),
  textual("heading_1", { is_toggleable: true }),
  textual("heading_4", { is_toggleable: true }),
  ["callout without words", (children) => textBlock("callout", [], { icon: { emoji: "💡" } }, children)],
  ["long toggle", (children) => textBlock("toggle", Array.from({ length: 60 }, word).join(" "), {}, children)],
  ["meeting_notes", (children) => ({ type: "meeting_notes", meeting_notes: { title: rich(word()) }, children })],
  ["synced_block", (children) => ({ type: "synced_block", synced_block: { synced_from: null }, children })],
  [
    "column_list",
    (children) => ({ type: "column_list", column_list: {}, children: [{ type: "column", column: {}, children }] }),
  ],
  ["tab", (children) => ({ type: "tab", tab: {}, children: [textBlock("paragraph", word(), {}, children)] })],
];

/** The words of a block in the API's form, in their order: names and rich texts, then its caption. */
function wordsIn({ children = [], type, ...more }: NewBlock): string[] {
  const { caption, ...first } = more[type] as Json;
  const shown = JSON.stringify([first, caption], (key, value: unknown) => (key === "text" ? undefined : value));
  return [...(shown.match(/word\d+/g) ?? []), ...children.flatMap(wordsIn)];
}

/** The words that are served of blocks, in their order; the label of a tab once for all that is in it. */
async function wordsOf(blocks: readonly NewBlock[]): Promise<string[]> {
  const texts = (await documentOf(blocks)).blocks.flatMap((block) => {
    if (block.type === "heading") return [block.text];
    if (block.type !== "code") return [block.markdown];
    return [block.tab?.label, block.code, block.file, ...(block.marks ?? [])];
  });
  const found: string[] = texts.join(" ").match(/word\d+/g) ?? [];
  const labels = new Set(texts.flatMap((text) => /^\*\*(word\d+):\*\*/.exec(text ?? "")?.[1] ?? []));
  return found.filter((one, at) => !labels.has(one) || found.indexOf(one) === at);
}

const pairs = containers.flatMap(([outer, wrap]) =>
  containers.map(([inner, inside]) => [`a ${inner} in a ${outer}`, wrap, inside] as const),
);

it.each(pairs)("serves each word once and in order: %s", async (_, wrap, inside) => {
  for (const leaf of Object.values(leaves)) {
    const blocks = [wrap([inside([leaf()])]), wrap([leaf(), inside([])]), leaf()];
    expect(await wordsOf(blocks)).toEqual(blocks.flatMap(wordsIn));
  }
});

it("serves the names of pages and databases in a page as a list of links", async () => {
  const [one, two, three] = [id(), id(), id()];
  const { blocks } = await documentOf([
    { type: "child_page", id: one, child_page: { title: "Set up" } },
    { type: "child_database", id: two, child_database: { title: "Tasks" } },
    { type: "link_to_page", link_to_page: { type: "page_id", page_id: three } },
    { type: "link_to_page", link_to_page: { type: "comment_id", comment_id: three } },
  ]);
  const home = "https://www.notion.so";
  expect(blocks.map((block) => block.type === "prose" && block.markdown)).toContain(
    `- [Set up](${home}/${one})\n- [Tasks](${home}/${two})\n- <${home}/${three}>`,
  );
});

it("writes marks that spans share around all of them", async () => {
  const address = "https://example.com/a";
  const text = [
    ...rich("Read"),
    ...rich(" the ", {}, address),
    ...rich("whole", { bold: true }, address),
    ...rich("some", { bold: true, italic: true }, address),
    ...rich("ness", { bold: true }, address),
    ...rich(" `a` b ", { code: true }),
    ...rich("<div> &amp;\nit"),
  ];
  const { blocks } = await documentOf([textBlock("paragraph", text)]);
  expect(blocks.at(-1)).toMatchObject({
    markdown: `Read [the **whole*some*ness**](${address}) \`\` \`a\` b \`\` \\<div> \\&amp;\nit`,
  });
});
