import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { codeBlock, rich, textBlock, type NewBlock } from "../../support/notion-server.ts";
import { seededRandom } from "../../../tools/bench/measure.ts";
import { codesIn, generate } from "./generated.ts";
import { passagesOf } from "./reading.ts";

const codesOf = (passages: Awaited<ReturnType<typeof passagesOf>>): string[] =>
  passages.flatMap(({ blocks }) =>
    blocks.flatMap((block) => ("codes" in block ? block.codes.map(({ code }) => code) : [])),
  );

it("has the code of generated pages byte for byte, however deep it stands", async () => {
  const random = seededRandom(33);
  let expected = 0;
  let exact = 0;
  for (let page = 0; page < 20; page += 1) {
    const blocks = generate(100, random);
    const wanted = codesIn(blocks);
    const found = new Set(codesOf(await passagesOf(`Page ${page}`, blocks)));
    expected += wanted.length;
    exact += wanted.filter((code) => found.has(code)).length;
  }
  expect(expected).toBeGreaterThan(250);
  expect(exact / expected).toBe(1);
});

it("reads odd shapes for what they are", async () => {
  const odd = [
    {},
    { type: "paragraph" },
    { type: "paragraph", paragraph: { rich_text: null } },
    { type: "code", code: { rich_text: [{ type: "text" }, 7, null], language: 3 } },
    { type: "table", table: null, children: [{ type: "table_row", table_row: { cells: [null, "no"] } }] },
    { type: "heading_2", heading_2: { rich_text: [{ plain_text: "\0" }] } },
    { type: "never_seen", never_seen: { rich_text: rich("A block that nobody knows still says this sentence.") } },
    {
      type: "file",
      file: { type: "file", file: { url: "https://signed.example/a?X-Amz-Signature=abc" }, name: "plan.pdf" },
    },
    textBlock("paragraph", rich("A link that would run something stays a text.", {}, "javascript:alert(1)")),
    codeBlock("   \n", "python"),
  ] as unknown as NewBlock[];
  const served = JSON.stringify(await passagesOf("Odd", odd));
  expect(served).toContain("nobody knows");
  expect(served).toContain("plan.pdf");
  expect(served).toContain("would run something");
  expect(served).not.toMatch(/javascript:|Amz|u0000/);
});

/** A handwritten page with every type of block. */
const page: readonly NewBlock[] = [
  textBlock("paragraph", [
    ...rich("The widget is a small machine. It is "),
    ...rich("bold", { bold: true }),
    ...rich(", "),
    ...rich("slanted", { italic: true }),
    ...rich(", "),
    ...rich("gone", { strikethrough: true }),
    ...rich(" and "),
    ...rich("widget `x`", { code: true }),
    ...rich(", and its energy is "),
    { type: "equation", equation: { expression: "mc^2" }, plain_text: "mc^2", annotations: {}, href: null },
    ...rich(". See "),
    {
      type: "mention",
      mention: { type: "page", page: { id: "1" } },
      plain_text: "the handbook",
      annotations: {},
      href: "https://www.notion.so/0123456789abcdef0123456789abcdef",
    },
    ...rich(" or "),
    ...rich("this block", {}, "/0123456789abcdef0123456789abcdef#fedc"),
    ...rich("."),
  ]),
  { type: "table_of_contents", table_of_contents: {} },
  textBlock("heading_1", "Set up"),
  textBlock("callout", "Have a token ready.", { icon: { type: "emoji", emoji: "💡" } }, [
    textBlock("paragraph", "It is made by an administrator:"),
    codeBlock("widget token\n\t--new", "shell"),
  ]),
  textBlock("callout", "", { icon: null }, [
    textBlock("paragraph", "A callout whose words stand in a paragraph of their own."),
  ]),
  textBlock("numbered_list_item", "Install the widget.", {}, [codeBlock("npm install widget", "bash")]),
  textBlock("numbered_list_item", "Start it.", {}, [
    textBlock("paragraph", "A second paragraph of the item."),
    textBlock("to_do", "Look at the log", { checked: true }),
    textBlock("toggle", "More about logs", {}, [textBlock("paragraph", "They are long.")]),
  ]),
  textBlock("quote", "Measure twice.", {}, [textBlock("paragraph", "Cut once."), codeBlock("cut(1);", "javascript")]),
  textBlock("heading_2", "Languages", { is_toggleable: true }, [
    {
      type: "tab",
      tab: {},
      children: [
        textBlock("paragraph", "Python", {}, [codeBlock("start()", "python")]),
        textBlock("paragraph", "C#", {}, [codeBlock("Widget.Start();", "c#")]),
      ],
    },
  ]),
  codeBlock("export const a = 1;", "typescript", "src/a.ts"),
  codeBlock("nothing special", "plain text", "What it prints"),
  textBlock("toggle", "Advanced", {}, [
    textBlock("paragraph", "Nobody needs what stands in here, but it is there."),
    codeBlock("sudo widget", "shell"),
  ]),
  {
    type: "column_list",
    column_list: {},
    children: [
      { type: "column", column: {}, children: [textBlock("paragraph", "The left column says this much.")] },
      { type: "column", column: {}, children: [textBlock("paragraph", "The right column says something else.")] },
    ],
  },
  {
    type: "synced_block",
    synced_block: { synced_from: null },
    children: [textBlock("paragraph", "This paragraph is synced with others.")],
  },
  textBlock("heading_3", "Figures"),
  {
    type: "table",
    table: { table_width: 2, has_column_header: true, has_row_header: true },
    children: [
      { type: "table_row", table_row: { cells: [rich("Size"), rich("Price | tax")] } },
      { type: "table_row", table_row: { cells: [rich("small", { bold: true }), rich("one\ntwo")] } },
    ],
  },
  { type: "equation", equation: { expression: "a^2 + b^2 = c^2" } },
  {
    type: "image",
    image: {
      type: "external",
      external: { url: "https://example.com/x.png" },
      caption: rich("The widget from above."),
    },
  },
  { type: "bookmark", bookmark: { url: "https://example.com/more", caption: rich("More about widgets") } },
  { type: "embed", embed: { url: "https://example.com/film", caption: [] } },
  { type: "link_preview", link_preview: { url: "https://example.com/issue/1" } },
  {
    type: "file",
    file: {
      type: "file",
      file: { url: "https://files.example/x?sig=1", expiry_time: "2026" },
      name: "plan.pdf",
      caption: rich("The plan for next year."),
    },
  },
  {
    type: "pdf",
    pdf: { type: "external", external: { url: "https://example.com/a.pdf" }, caption: rich("A drawing.") },
  },
  { type: "video", video: { type: "external", external: { url: "https://example.com/v" }, caption: [] } },
  {
    type: "audio",
    audio: { type: "external", external: { url: "https://example.com/a" }, caption: rich("How it sounds.") },
  },
  {
    type: "meeting_notes",
    meeting_notes: { title: rich("Weekly meeting") },
    children: [textBlock("paragraph", "We decided to keep the widget as it is.")],
  },
  { type: "divider", divider: {} },
  { type: "breadcrumb", breadcrumb: {} },
  { type: "link_to_page", link_to_page: { type: "page_id", page_id: "1" } },
  { type: "unsupported", unsupported: {} },
];

it("reads a page that has every block as it was read by eye", async () => {
  const properties = [{ name: "State", text: "Ready" }];
  const passages = await passagesOf("The widget", page, { properties });
  const found = passages.map(({ title, breadcrumb, blocks, fragment }) => ({
    title,
    breadcrumb,
    fragment: fragment === undefined ? undefined : "…",
    blocks,
  }));
  const golden = join(import.meta.dirname, "..", "..", "fixtures", "notion", "every-block.json");
  const text = `${JSON.stringify(found, null, 2)}\n`;
  if (process.env["WRITE_FIXTURES"]) await writeFile(golden, text);
  expect(JSON.parse(text)).toEqual(JSON.parse(await readFile(golden, "utf8")));
});
