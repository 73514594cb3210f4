import type { Document } from "../blocks.ts";
import { isFileName } from "../file-name.ts";
import { toLanguage } from "../language.ts";
import { offersToOpen } from "../phrases.ts";
import { marksOf } from "../markdown/marked-lines.ts";
import type { Code, Inline, Item, Node, Paragraph, Table } from "../tree/nodes.ts";
import { plainText } from "../tree/write-inline.ts";
import { toBlocks } from "../tree/write.ts";
import { calloutOf, inlineOf, wordsOf } from "./inline.ts";
import { plainOf, verbatimOf, type NotionBlock, type NotionPage, type NotionProperty } from "./page.ts";

/**
 * Reads a Notion page, given as JSON of a `NotionPage`. Lines are the ordinals of its blocks, as those of the JSON mean nothing to
 * readers.
 */
export function readNotionPage(source: string): Document {
  const { title, description, properties, blocks, warnings } = JSON.parse(source) as NotionPage;
  const nodes: readonly Node[] = [
    // Notion's headings of level 1 are below the page's title.
    ...(title === "" ? [] : [{ type: "heading", level: 1, text: title, id: "" } as const]),
    ...paragraph(inlineOf(description)),
    ...(properties.length === 0 ? [] : [{ type: "list", items: properties.map(factOf) } as const]),
    ...createReader()(blocks),
  ];
  return {
    blocks: toBlocks(nodes),
    title,
    description: plainOf(description),
    footnotes: new Map(),
    leftOut: [],
    ...(warnings.length > 0 && { warnings }),
  };
}

function factOf({ name, text }: NotionProperty): Item {
  const children: readonly Inline[] = [
    { type: "strong", children: [{ type: "words", text: name }] },
    { type: "words", text: `: ${text}` },
  ];
  return { children: [{ type: "paragraph", children }] };
}

function paragraph(children: readonly Inline[]): readonly Paragraph[] {
  return children.length === 0 ? [] : [{ type: "paragraph", children }];
}

const itemTypes: ReadonlySet<string> = new Set(
  "bulleted_list_item numbered_list_item to_do child_page child_database link_to_page".split(" "),
);

/** Creates the function that reads the blocks of a page. Of a block of unknown type it keeps the text and the blocks in it. */
function createReader(): (blocks: readonly NotionBlock[]) => readonly Node[] {
  let groups = 0;

  const tabsOf = (panels: readonly NotionBlock[]): readonly Node[] => {
    const group = ++groups;
    const whole = panels.every(({ children = [] }) => children.every(({ type }) => type === "code"));
    return panels.map((panel, tab) => {
      const place = { group, whole, tab, label: plainText(wordsOf(panel)) };
      return { type: "tab", place, children: read(panel.children ?? []) };
    });
  };
  const inside = (block: NotionBlock): readonly Node[] => [...paragraph(wordsOf(block)), ...read(block.children ?? [])];
  const nodesOf = (block: NotionBlock): readonly Node[] => {
    const { id, type, text = [], caption = [], children = [] } = block;
    const level = /^heading_([1-6])$/.exec(type)?.[1];
    if (level !== undefined)
      return [{ type: "heading", level: Number(level) + 1, text: plainText(wordsOf(block)), id }, ...read(children)];
    switch (type) {
      case "code":
        return verbatimOf(text).trim() === "" ? paragraph(inlineOf(caption)) : [codeOf(block)];
      case "toggle": {
        const title = plainText(wordsOf(block));
        if (title === "" || offersToOpen(title)) return read(children);
        return children.length === 0 ? inside(block) : [{ type: "section", title, id, children: read(children) }];
      }
      case "quote":
        return [{ type: "quote", children: inside(block) }];
      case "callout":
        return [{ type: "callout", label: calloutOf(block), children: inside(block) }];
      case "table":
        return [tableOf(block)];
      case "tab":
        return tabsOf(children);
      default:
        return inside(block);
    }
  };
  /** Reads blocks; consecutive items are one list, but numbered ones are a list of their own. */
  const read = (blocks: readonly NotionBlock[]): readonly Node[] => {
    const nodes: Node[] = [];
    let list: { readonly isNumbered: boolean; readonly start: number | undefined; readonly items: Item[] } | undefined;
    for (const block of blocks) {
      const { type, start, checked } = block;
      if (!itemTypes.has(type)) {
        list = undefined;
        nodes.push(...nodesOf(block));
        continue;
      }
      const isNumbered = type === "numbered_list_item";
      // Each item may repeat the first number of its list.
      if (list?.isNumbered !== isNumbered || (start !== undefined && start !== list.start)) {
        list = { isNumbered, start, items: [] };
        nodes.push({ type: "list", items: list.items, ...(isNumbered && { start: start ?? 1 }) });
      }
      list.items.push({ children: inside(block), ...(checked !== undefined && { checked }) });
    }
    return nodes;
  };
  return read;
}

/** A block of code. Its caption is the name of its file, or its title. */
function codeOf({ text = [], caption = [], language = "" }: NotionBlock): Code {
  const code = verbatimOf(text);
  const name = plainOf(caption);
  const isFile = isFileName(name);
  const marks = [...marksOf("", code), ...(name === "" || isFile ? [] : [`Its title is “${name}”.`])];
  return {
    type: "code",
    language: languageOf(language),
    code,
    ...(name !== "" && (isFile ? { file: name } : { label: name.slice(0, 200) })),
    ...(marks.length > 0 && { marks }),
  };
}

function tableOf({ children = [], headed = false }: NotionBlock): Table {
  const rows = children.flatMap(({ cells }) =>
    cells === undefined ? [] : [cells.map((cell) => ({ children: paragraph(inlineOf(cell)), columns: 1, rows: 1 }))],
  );
  return { type: "table", hasHead: headed, rows };
}

/** Names of languages that only Notion uses (its API reference, "Code"). */
const names: ReadonlyMap<string, string> = new Map([
  ["plain text", "text"],
  ["ascii art", "text"],
  ["visual basic", "vb"],
  ["vb.net", "vbnet"],
  ["java/c/c++/c#", ""],
  ["llvm ir", "llvm"],
  ["notion formula", "notion-formula"],
  ["markup", "html"],
  ["webassembly", "wasm"],
]);

/** The canonical name of a Notion language; "" without. */
function languageOf(name: string): string {
  const lower = name.trim().toLowerCase();
  return names.get(lower) ?? toLanguage(lower);
}
