import { codeBlock, rich, textBlock, type NewBlock } from "../../support/notion-server.ts";

const words =
  "widget server client token queue reads writes opens closes waits for every slow fast page until then".split(" ");
const languages = ["javascript", "python", "c++", "c#", "plain text", "shell", "java/c/c++/c#", "visual basic", "yaml"];
const odd = [
  "```",
  "    ",
  "\t",
  "<div>",
  "</details>",
  "|",
  "# no heading",
  "- no item",
  "$x$",
  "`tick`",
  "\\",
  "é \u00A0ü",
  "{{ x }}",
  ":::note",
  "~~~",
];

/** Blocks of every type, `count` in all, nested up to a depth. Each has different code. */
export function generate(count: number, random: () => number): NewBlock[] {
  let left = count;
  let codes = 0;
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const sentence = (): string => {
    const text = Array.from({ length: 4 + Math.floor(random() * 8) }, () => pick(words)).join(" ");
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
  };
  const code = (): NewBlock => {
    const lines = Array.from(
      { length: 1 + Math.floor(random() * 6) },
      () => `${pick(["", "  ", "\t"])}${pick(odd)} ${pick(words)}();`,
    );
    const end = pick(["", "", "\n", "\n\n", "  "]);
    return codeBlock(
      `call_${++codes}();\n${lines.join("\n")}${end}`,
      pick(languages),
      pick(["", "", "main.ts", "What it does"]),
    );
  };
  const inside = (depth: number): NewBlock[] => {
    if (depth > 5) return [];
    return Array.from({ length: Math.floor(random() * 3) }, () => one(depth + 1));
  };
  const tables = (): NewBlock => ({
    type: "table",
    table: { table_width: 2, has_column_header: random() < 0.5, has_row_header: false },
    children: Array.from({ length: 3 }, () => ({
      type: "table_row",
      table_row: { cells: [rich(pick(words)), rich(sentence())] },
    })),
  });
  const makers: readonly ((depth: number) => NewBlock)[] = [
    code,
    code,
    code,
    (depth) => textBlock("paragraph", sentence(), {}, inside(depth)),
    (depth) => textBlock("bulleted_list_item", sentence(), {}, inside(depth)),
    (depth) => textBlock("numbered_list_item", sentence(), {}, inside(depth)),
    (depth) => textBlock("to_do", sentence(), { checked: random() < 0.5 }, inside(depth)),
    (depth) => textBlock("toggle", sentence(), {}, inside(depth)),
    (depth) => textBlock("quote", sentence(), {}, inside(depth)),
    (depth) =>
      textBlock("callout", sentence(), { icon: { type: "emoji", emoji: pick(["💡", "⚠️", "🐙"]) } }, inside(depth)),
    (depth) =>
      textBlock(pick(["heading_1", "heading_2", "heading_3"]), sentence(), { is_toggleable: true }, inside(depth)),
    tables,
    () => ({ type: "equation", equation: { expression: "E = mc^2" } }),
    () => ({ type: "divider", divider: {} }),
    () => ({ type: "bookmark", bookmark: { url: "https://example.com/x", caption: rich(sentence()) } }),
    () => ({
      type: "image",
      image: { type: "external", external: { url: "https://example.com/x.png" }, caption: rich(sentence()) },
    }),
    () => ({
      type: "file",
      file: { type: "file", file: { url: "https://files.example/x?sig=1" }, name: "x.pdf", caption: [] },
    }),
    () => ({ type: "unsupported", unsupported: {} }),
    (depth) => ({
      type: "column_list",
      column_list: {},
      children: [0, 1].map(() => ({ type: "column", column: {}, children: inside(depth) })),
    }),
    (depth) => ({ type: "synced_block", synced_block: { synced_from: null }, children: inside(depth) }),
    (depth) => ({
      type: "tab",
      tab: {},
      children: [0, 1].map(() => textBlock("paragraph", pick(words), {}, inside(depth))),
    }),
  ];
  const one = (depth: number): NewBlock => {
    left -= 1;
    return pick(makers)(depth);
  };
  const blocks: NewBlock[] = [];
  while (left > 0) blocks.push(one(0));
  return blocks;
}

/** The code of blocks in the API's form, by a minimal reader that knows only the fields for code. */
export function codesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(codesIn);
  if (typeof value !== "object" || value === null) return [];
  const { type, code, children } = value as {
    type?: string;
    code?: { rich_text: { plain_text: string }[] };
    children?: unknown;
  };
  const own = type === "code" && code ? [code.rich_text.map((span) => span.plain_text).join("")] : [];
  return [...own, ...codesIn(children)];
}
