import type { Block, CodeBlockFound, Document, ParagraphBlock, TabPlace } from "../blocks.ts";
import { isFileName } from "../file-name.ts";
import { bold } from "../html/markdown.ts";
import { inTab } from "../markdown/code-blocks.ts";
import { createSections } from "../markdown/headings.ts";
import { marksOf } from "../markdown/marked-lines.ts";
import { isItem, isNextItem, partsOf } from "./container.ts";
import { markdownOf, plainOf, verbatimOf } from "./inline.ts";
import { languageOf } from "./languages.ts";
import type { NotionBlock, NotionPage } from "./page.ts";
import { calloutOf, tableMarkdown, wordsOf } from "./words.ts";

const maxHeading = 300;
/** Titles of toggles that say no more than that something can be opened. */
const opening =
  /^(?:(?:expand|collapse|show|hide|view|see|toggle|open)(?: (?:details?|more|all|code|example|answer))?|details?|more)\W*$/i;

/**
 * Reads a page of Notion, JSON of a `NotionPage`, into the blocks that Markdown has too. Lines are places in its order: those of
 * the JSON mean nothing to a reader, but no two blocks have the same.
 */
export function readNotionPage(source: string): Document {
  const page = JSON.parse(source) as NotionPage;
  const { blocks, add, walk } = createReading();
  // What Notion calls a heading of level 1 stands below the title of its page.
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

/** A page that is being read, and what adds to it. */
function createReading() {
  const blocks: Block[] = [];
  const sections = createSections();
  let line = 0;
  let groups = 0;
  /** The label of a callout or tab that has begun; what stands in it first gets it. */
  let label = "";
  let tab: TabPlace | undefined;

  const at = (): readonly [number, number] => [++line, line];
  const paragraphOf = (markdown: string, plain: string): ParagraphBlock => ({
    type: "paragraph",
    markdown,
    text: () => plain,
    lines: at(),
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
      blocks.push({ type: "heading", level, text: shown, id, lines: at(), ...(isPart && { isPart: true }) });
    },
    paragraph(markdown: string, plain: string): void {
      if (!/[\p{L}\p{N}]/u.test(markdown)) return;
      const isBlock = /^(?:[-*+|>]|\d{1,9}[.)]|#{1,6})(?:\s|$)/.test(markdown);
      blocks.push(paragraphOf(labelled(markdown, isBlock ? "\n\n" : " "), plain));
    },
    prose(markdown: string, last: readonly string[] = []): void {
      if (!/[\p{L}\p{N}]/u.test(markdown)) return;
      // What is said in prose leads to nothing behind it: its line comes before theirs.
      const lines = at();
      for (const lead of last) blocks.push(paragraphOf("", lead));
      blocks.push({ type: "prose", markdown: labelled(markdown, "\n\n"), lines });
    },
    code({ text = [], caption = [], language = "" }: NotionBlock): void {
      const code = verbatimOf(text);
      if (code.trim() === "") return;
      // A callout with nothing in it but code is still one; the label of a tab goes with its code.
      if (label !== "" && tab === undefined) blocks.push(paragraphOf(label, label.replace(/\*|:\**$/g, "")));
      label = "";
      const name = plainOf(caption);
      const said = isFileName(name) ? { file: name } : name === "" ? {} : { label: name.slice(0, 200) };
      const marks = marksOf("", code);
      const block: CodeBlockFound = {
        type: "code",
        language: languageOf(language),
        code,
        ...said,
        ...(marks.length > 0 && { marks }),
        lines: at(),
      };
      blocks.push(tab === undefined ? block : inTab(block, tab));
    },
  };

  const container = (inside: readonly NotionBlock[]): void => {
    for (const part of partsOf(inside)) {
      if ("code" in part) add.code(part.code);
      else if ("lead" in part) blocks.push(paragraphOf("", part.lead));
      else add.prose(part.markdown, part.last);
    }
  };
  const section = (title: string, { id, children = [] }: NotionBlock): void => {
    if (title === "" || opening.test(title)) return walk(children);
    add.heading(sections.open(), title, id, true);
    walk(children);
    add.heading(sections.close(), "", "", true);
  };
  const tabs = (children: readonly NotionBlock[]): void => {
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
  const one = (block: NotionBlock): void => {
    const { type, text = [], children = [] } = block;
    const level = /^heading_([1-6])$/.exec(type)?.[1];
    if (level !== undefined) {
      const title = plainOf(text);
      if (title !== "") add.heading(sections.heading(Number(level) + 1), title, block.id);
      walk(children);
    } else if (type === "code") add.code(block);
    else if (type === "toggle") section(plainOf(text), block);
    else if (type === "quote") container([block]);
    else if (type === "table") add.prose(tableMarkdown(block));
    else if (type === "tab") tabs(children);
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
  /** Items of a list that follow one another are one list. */
  const walk = (inside: readonly NotionBlock[]): void => {
    for (let first = 0; first < inside.length;) {
      const block = inside[first];
      if (block === undefined) return;
      let end = first + 1;
      if (isItem(block)) {
        while (end < inside.length && isNextItem(block, inside[end])) end++;
        container(inside.slice(first, end));
      } else one(block);
      first = end;
    }
  };
  return { blocks, add, walk };
}
