import type { Block, CodeContent, Document, LeftOut, ParagraphBlock } from "../blocks.ts";
import { readMarkdown } from "../markdown/index.ts";
import type { Field } from "./fields.ts";
import type { Parameter } from "./part.ts";
import { itemMarkdown } from "./description-text.ts";

export type BlockList = ReturnType<typeof createBlockList>;

/** A block of code on the page of a part. */
export type PartCode = Pick<CodeContent, "language" | "code" | "madeFrom"> & { readonly label: string };

/** A number that no group of tabs in Markdown has. */
const ownGroup = -1;

/** Builds the blocks of a page in order. Their lines are ordinal numbers, as the page is not in a file. */
export function createBlockList() {
  const blocks: Block[] = [];
  const footnotes = new Map<string, string>();
  const leftOut: LeftOut[] = [];
  let line = 1;

  const next = (): readonly [number, number] => {
    line += 2;
    return [line, line];
  };

  const add = (read: Document, headings: number | null): void => {
    const start = line + 1;
    for (const block of read.blocks) {
      const lines = [block.lines[0] + start, block.lines[1] + start] as const;
      line = Math.max(line, lines[1]);
      if (block.type !== "heading") blocks.push({ ...block, lines });
      else if (headings !== null) blocks.push({ ...block, level: Math.min(block.level + headings, 6), lines });
      else if (block.text !== "") blocks.push(paragraph(`**${block.text.replaceAll("*", "")}**`, lines));
    }
    for (const [name, note] of read.footnotes) footnotes.set(name, note);
    leftOut.push(...read.leftOut);
  };

  return {
    heading(level: number, text: string): void {
      blocks.push({ type: "heading", level, text: text.replace(/\s+/g, " ").trim(), lines: next() });
    },
    /** Prose that Lectern writes, a paragraph or list; nothing for "". */
    prose(markdown: string): void {
      if (markdown !== "") blocks.push({ type: "prose", markdown, lines: next() });
    },
    /** Markdown of the description with its code; `headings`: the level above its headings, or null for bold text instead. */
    markdown(text: string, headings: number | null): void {
      if (text === "") return;
      // The line break keeps the text from being read as front matter.
      const read = readMarkdown(`\n${text}`, "markdown");
      if ("code" in read) blocks.push(paragraph(text.slice(0, 5000), next()));
      else add(read, headings);
    },
    /** Words about the code that follows, which are not prose of their own. */
    lead(text: string): void {
      blocks.push({ ...paragraph("", next()), text: () => text });
    },
    /** Code that belongs together. */
    codes(codes: readonly PartCode[]): void {
      for (const [tab, { label, ...code }] of codes.entries())
        blocks.push({ type: "code", ...code, tab: { group: ownGroup, whole: true, tab, label }, lines: next() });
    },
    /** The finished page. */
    document: (title: string, description: string): Document => ({ blocks, title, description, footnotes, leftOut }),
  };
}

function paragraph(markdown: string, lines: readonly [number, number]): ParagraphBlock {
  return { type: "paragraph", markdown, text: () => markdown.replace(/\s+/g, " "), lines };
}

/** Maximum length of one meaning in a list, in characters: the first with which all meanings together fit `maxList`. */
const maxMeanings = [2500, 1200, 600, 240] as const;
const maxList = 4000;

/** Fields as a list in Markdown; "" for none. */
export function fieldList(fields: readonly Field[]): string {
  const length = meaningLength(fields);
  return fields.map((field) => item(field, [field.type, field.required ? "required" : ""], length)).join("\n");
}

/** Parameters as a list in Markdown, with the place of each; "" for none. */
export function parameterList(parameters: readonly Parameter[]): string {
  const length = meaningLength(parameters);
  return parameters
    .map((parameter) => {
      const { in: place, type, required, example } = parameter;
      const shown = inline("example", example === null ? undefined : JSON.stringify(example));
      return item(parameter, [place, type, required ? "required" : "optional", shown], length);
    })
    .join("\n");
}

/** Names of the outermost fields on one line; "" for none. */
export function fieldNames(fields: readonly Field[]): string {
  const names = fields.map(({ name }) => name).filter((name) => !name.replace(/^(?:\[\]\.?)+/, "").includes("."));
  return names.map((name) => `\`${name.replace(/^(?:\[\]\.?)+/, "")}\``).join(", ");
}

/** Maximum length of one meaning in a list, as many long ones would leave no room for the rest of the page. */
function meaningLength(fields: readonly Field[]): number {
  const lengths = fields.map(({ meaning = "" }) => meaning.length);
  const fits = (most: number): boolean => lengths.reduce((sum, length) => sum + Math.min(length, most), 0) <= maxList;
  return maxMeanings.find(fits) ?? maxMeanings.at(-1) ?? 0;
}

function item(field: Field, about: readonly string[], maxMeaning: number): string {
  const { name, default: standard, allowed, deprecated, meaning = "" } = field;
  const facts = [...about, inline("default", standard), allowed ?? "", deprecated === true ? "deprecated" : ""].filter(
    (fact) => fact !== "",
  );
  const words = itemMarkdown(meaning, maxMeaning);
  const head = `- \`${name.replaceAll("`", "'")}\`${facts.length > 0 ? ` (${facts.join(", ")})` : ""}`;
  return `${head}${words === "" ? "" : `: ${words}`}`.replace(/: \n/, ":\n");
}

function inline(label: string, value: string | undefined): string {
  if (value === undefined || value === "" || value.length > 80) return "";
  return `${label} \`${value.replaceAll("`", "'").replace(/^"(.*)"$/, "$1")}\``;
}
