import type { Block, CodeContent, Document, ParagraphBlock, TabPlace } from "../blocks.ts";
import { isFileName } from "../file-name.ts";
import { bold, undented } from "../html/markdown.ts";
import { inTab } from "../markdown/code-blocks.ts";
import { createSections } from "../markdown/headings.ts";
import { marksOf } from "../markdown/marked-lines.ts";
import { markdownOf, plainOf, verbatimOf, calloutOf, tableMarkdown, wordsOf } from "./markdown.ts";
import type { NotionBlock, NotionPage } from "./page.ts";
import { toLanguage } from "../language.ts";

const maxHeading = 300;
/** Titles of toggles that only say that they open. */
const opening =
  /^(?:(?:expand|collapse|show|hide|view|see|toggle|open)(?: (?:details?|more|all|code|example|answer))?|details?|more)\W*$/i;

/**
 * Reads a Notion page, given as JSON of a `NotionPage`. Lines are the ordinals of its blocks, as those of the JSON mean nothing to
 * readers.
 */
export function readNotionPage(source: string): Document {
  const page = JSON.parse(source) as NotionPage;
  const { blocks, add, walk } = createReading();
  // Notion's headings of level 1 are below the page's title.
  if (page.title !== "") add.heading(1, page.title, "");
  const description = markdownOf(page.description);
  if (description !== "") add.paragraph(description, plainOf(page.description));
  const facts = page.properties.map(({ name, text }) => `- **${name}**: ${text.replaceAll("\n", " ")}`);
  if (facts.length > 0) add.prose(facts.join("\n"));
  walk(page.blocks);
  return {
    blocks,
    title: page.title,
    description: plainOf(page.description),
    footnotes: new Map(),
    leftOut: [],
    ...(page.warnings.length > 0 && { warnings: page.warnings }),
  };
}

/** The blocks of a page being read, and the functions that add to them. */
function createReading() {
  const blocks: Block[] = [];
  const sections = createSections();
  let line = 0;
  let groups = 0;
  /** The label of an open callout or tab, which its first block gets. */
  let label = "";
  let tab: TabPlace | undefined;

  const nextLine = (): readonly [number, number] => [++line, line];
  const paragraphOf = (markdown: string, plain: string): ParagraphBlock => ({
    type: "paragraph",
    markdown,
    text: () => plain,
    lines: nextLine(),
  });
  const labelled = (markdown: string, separator: string): string => {
    const text = label === "" ? markdown : `${label}${separator}${markdown}`;
    label = "";
    return text;
  };
  const add = {
    heading(level: number, text: string, id: string, isPart = false): void {
      label = "";
      const shown = text.slice(0, maxHeading);
      blocks.push({ type: "heading", level, text: shown, id, lines: nextLine(), ...(isPart && { isPart: true }) });
    },
    paragraph(markdown: string, plain: string): void {
      if (!/[\p{L}\p{N}]/u.test(markdown)) return;
      const isBlock = /^(?:[-*+|>]|\d{1,9}[.)]|#{1,6})(?:\s|$)/.test(markdown);
      blocks.push(paragraphOf(labelled(markdown, isBlock ? "\n\n" : " "), plain));
    },
    prose(markdown: string, last: readonly string[] = []): void {
      if (!/[\p{L}\p{N}]/u.test(markdown)) return;
      // Prose introduces no code after it, so its line is before those of the lead-ins.
      const lines = nextLine();
      for (const lead of last) blocks.push(paragraphOf("", lead));
      blocks.push({ type: "prose", markdown: labelled(markdown, "\n\n"), lines });
    },
    code({ text = [], caption: captionText = [], language = "" }: NotionBlock): void {
      const code = verbatimOf(text);
      if (code.trim() === "") return;
      // A callout of nothing but code keeps its label as a paragraph; a tab's code has the label itself.
      if (label !== "" && tab === undefined) blocks.push(paragraphOf(label, label.replace(/\*|:\**$/g, "")));
      label = "";
      const name = plainOf(captionText);
      const caption = isFileName(name) ? { file: name } : name === "" ? {} : { label: name.slice(0, 200) };
      const marks = marksOf("", code);
      const block: CodeContent = {
        type: "code",
        language: languageOf(language),
        code,
        ...caption,
        ...(marks.length > 0 && { marks }),
        lines: nextLine(),
      };
      blocks.push(tab === undefined ? block : inTab(block, tab));
    },
  };

  const addContainer = (inside: readonly NotionBlock[]): void => {
    for (const part of partsOf(inside)) {
      if ("code" in part) add.code(part.code);
      else if ("lead" in part) blocks.push(paragraphOf("", part.lead));
      else add.prose(part.markdown, part.last);
    }
  };
  const addSection = (title: string, { id, children = [] }: NotionBlock): void => {
    if (title === "" || opening.test(title)) return walk(children);
    add.heading(sections.open(), title, id, true);
    walk(children);
    add.heading(sections.close(), "", "", true);
  };
  const addTabs = (children: readonly NotionBlock[]): void => {
    const group = ++groups;
    const outer = tab;
    const whole = children.every(({ children: inside = [] }) => inside.every(({ type }) => type === "code"));
    for (const [number, panel] of children.entries()) {
      const shown = plainOf(panel.text ?? []).slice(0, 200);
      tab = { group, whole, tab: number, label: shown };
      label = shown === "" ? "" : `**${shown.replaceAll("*", "")}:**`;
      walk(panel.children ?? []);
      label = "";
    }
    tab = outer;
  };
  const addBlock = (block: NotionBlock): void => {
    const { type, text = [], children = [] } = block;
    const level = /^heading_([1-6])$/.exec(type)?.[1];
    if (level !== undefined) {
      const title = plainOf(text);
      if (title !== "") add.heading(sections.heading(Number(level) + 1), title, block.id);
      walk(children);
    } else if (type === "code") add.code(block);
    else if (type === "toggle") addSection(plainOf(text), block);
    else if (type === "quote") addContainer([block]);
    else if (type === "table") add.prose(tableMarkdown(block));
    else if (type === "tab") addTabs(children);
    else if (type === "callout") {
      label = calloutOf(block);
      add.paragraph(markdownOf(text), plainOf(text));
      walk(children);
      label = "";
    } else {
      const words = wordsOf(block);
      add.paragraph(type === "meeting_notes" ? bold(words) : words, type === "equation" ? words : plainOf(text));
      walk(children);
    }
  };
  /** Adds blocks; consecutive items are one list. */
  const walk = (inside: readonly NotionBlock[]): void => {
    for (let first = 0; first < inside.length;) {
      const block = inside[first];
      if (block === undefined) return;
      let end = first + 1;
      if (isItem(block)) {
        while (end < inside.length && isNextItem(block, inside[end])) end++;
        addContainer(inside.slice(first, end));
      } else addBlock(block);
      first = end;
    }
  };
  return { blocks, add, walk };
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

/** Part of a container: prose, with its lead-ins if it is the last; the lead-in of code; or code. */
type Part =
  | { readonly markdown: string; readonly last?: readonly string[] }
  | { readonly lead: string }
  | { readonly code: NotionBlock };

/** Maximum indentation of lists. */
const maxIndent = 24;

const items = new Set(["bulleted_list_item", "numbered_list_item", "to_do"]);

function isItem({ type }: NotionBlock): boolean {
  return items.has(type);
}

/** True if the next block is an item of the same list: numbered items are a separate list. */
function isNextItem({ type }: NotionBlock, next: NotionBlock | undefined): boolean {
  return next !== undefined && isItem(next) && (type === "numbered_list_item") === (next.type === "numbered_list_item");
}

/** A list or quotation as Markdown, divided at its code. */
function partsOf(container: readonly NotionBlock[]): readonly Part[] {
  const parts: Part[] = [];
  let lines: string[] = [];
  /** The list marker for the next line, in place of its indentation. */
  let marker: string | undefined;
  let leads: string[] = [];

  const flush = (last: readonly string[] = []): void => {
    const markdown = undented(lines);
    if (/[\p{L}\p{N}]/u.test(markdown)) parts.push({ markdown, last });
    lines = [];
  };
  const addText = (text: string, indent: string): void => {
    if (text === "") return;
    if (marker === undefined && lines.length > 0 && lines.at(-1)?.trim() !== "")
      lines.push(indent.includes(">") ? indent.trimEnd() : "");
    for (const line of text.split("\n")) {
      lines.push(`${marker ?? indent}${line}`.trimEnd());
      marker = undefined;
    }
  };
  const addItem = (sign: string, indent: string, { text = [], children = [] }: NotionBlock): void => {
    const opened = `${indent}${sign}`;
    marker = opened;
    const deeper = indent.length >= maxIndent ? indent : indent + " ".repeat(sign.indexOf(" ") + 1);
    addLead(markdownOf(text), plainOf(text), deeper);
    addBlocks(children, deeper);
    if (marker === opened) marker = undefined;
  };
  const addLead = (markdown: string, plain: string, indent: string): void => {
    if (markdown !== "") leads.push(plain);
    addText(markdown, indent);
  };
  const addBlocks = (blocks: readonly NotionBlock[], indent: string): void => {
    let [number, first]: [number: number | undefined, first: number | undefined] = [undefined, undefined];
    for (const block of blocks) {
      const { type, start } = block;
      // Each addItem may repeat the first number of its list.
      if (type !== "numbered_list_item") [number, first] = [undefined, undefined];
      else if (number === undefined || (start !== undefined && start !== first)) [number, first] = [start ?? 1, start];
      else number += 1;
      addBlock(block, indent, number ?? 1);
    }
  };
  const addBlock = (block: NotionBlock, indent: string, number: number): void => {
    const { type, text = [], children = [], checked = false } = block;
    const markdown = markdownOf(text);
    if (type === "code") {
      marker = undefined;
      flush();
      parts.push(...leads.map((lead) => ({ lead })), { code: block });
      leads = [];
    } else if (type === "numbered_list_item") addItem(`${number}. `, indent, block);
    else if (type === "to_do") addItem(`- [${checked ? "x" : " "}] `, indent, block);
    else if (type === "bulleted_list_item" || type === "toggle") addItem("- ", indent, block);
    else if (type === "table") addText(tableMarkdown(block), indent);
    else if (type === "quote") {
      const deeper = `${indent.slice(0, maxIndent)}> `;
      addLead(markdown, plainOf(text), deeper);
      addBlocks(children, deeper);
    } else {
      const shown = type === "callout" ? `${calloutOf(block)} ${markdown}`.trim() : wordsOf(block);
      addLead(type.startsWith("heading_") ? bold(markdown) : shown, plainOf(text), indent);
      addBlocks(children, indent);
    }
  };

  addBlocks(container, "");
  flush(leads);
  return parts;
}
