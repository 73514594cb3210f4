import { oneLine } from "./one-line.ts";
import type { CodeBlock, ExampleBlock, PassageBlock } from "./passage.ts";

/** An example as Markdown: each block with its name, and the source that it is included or made from. */
export function renderExample({ codes }: Pick<ExampleBlock, "codes">): string[] {
  return codes.flatMap((block) => [...aboveCode(block), fenced(block), ...belowCode(block)]);
}

function aboveCode({ file, label = "", sources, madeFrom }: CodeBlock): string[] {
  const named = file ?? label;
  return [
    named === "" ? "" : `\`${oneLine(named).replaceAll("`", "'")}\`:`,
    sources ? `Included from ${sources.map(({ url }) => oneLine(url)).join(" and ")}` : "",
    madeFrom === undefined ? "" : `Made from ${oneLine(madeFrom)}`,
  ].filter((part) => part !== "");
}

function belowCode({ marks = [] }: CodeBlock): string[] {
  return marks.length === 0 ? [] : [oneLine(marks.join(" "))];
}

/** The mark in place of code that is left out. */
export function namedCode(example: Pick<ExampleBlock, "codes" | "url">): string {
  return `[${sizeOf(example)}: ${oneLine(example.url)}]`;
}

/** The mark in place of code that the answer already has. */
export function repeatedCode(example: Pick<ExampleBlock, "codes">): string {
  return `[${sizeOf(example)}, as above]`;
}

function sizeOf({ codes }: Pick<ExampleBlock, "codes">): string {
  const lines = codes.reduce((sum, { code }) => sum + code.replace(/\n$/, "").split("\n").length, 0);
  const language = [...new Set(codes.map((block) => label(block)))].filter((name) => name !== "").join(" and ");
  return `${lines} ${lines === 1 ? "line" : "lines"} of ${language === "" ? "code" : language}`;
}

/** A language, made safe for an info string. */
function label({ language }: CodeBlock): string {
  return language.replace(/[^\p{L}\p{N}+#._-]+/gu, "");
}

/** Code in a fence longer than any run of backticks in it. */
function fenced(block: CodeBlock): string {
  const { code } = block;
  const longest = (code.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}${label(block)}\n${code}${code.endsWith("\n") ? "" : "\n"}${fence}`;
}

/** Prose with an open fence closed, so that it does not swallow what follows. */
export function closeFences(markdown: string): string {
  const prose = markdown.trimEnd();
  if (!prose.includes("```") && !prose.includes("~~~")) return prose;
  let open = "";
  for (const [, fence = "", rest = ""] of prose.matchAll(/^ {0,3}(`{3,}(?!`)|~{3,}(?!~))(.*)/gm)) {
    open = fenceAfter(open, fence, rest);
  }
  return open === "" ? prose : `${prose}\n${open}`;
}

/** The open fence ("": none) after a line with a fence and some text. */
function fenceAfter(open: string, fence: string, rest: string): string {
  if (open === "") return fence.startsWith("`") && rest.includes("`") ? "" : fence;
  return fence[0] === open[0] && fence.length >= open.length && rest.trim() === "" ? "" : open;
}

/** The open fence ("": none) after a line, also of one in a list or quotation. */
export function fenceAfterLine(open: string, line: string): string {
  if (!line.includes("```") && !line.includes("~~~")) return open;
  const [, fence = "", rest = ""] = /^[\s>*+\-\d.)]*(`{3,}(?!`)|~{3,}(?!~))(.*)$/.exec(line) ?? [];
  return fenceAfter(open, fence, rest);
}

/** The paragraphs of prose, separated by blank lines. A fence is never split. */
export function paragraphsOf(markdown: string): readonly string[] {
  const paragraphs: string[] = [];
  let paragraph: string[] = [];
  let open = "";
  for (const line of markdown.split("\n")) {
    if (line === "" && open === "") {
      if (paragraph.length > 0) paragraphs.push(paragraph.join("\n"));
      paragraph = [];
      continue;
    }
    paragraph.push(line);
    open = fenceAfterLine(open, line);
  }
  return paragraph.length > 0 ? [...paragraphs, paragraph.join("\n")] : paragraphs;
}

/** The breadcrumb of a section without the title of its page and without repetitions. */
export function headingsOf(breadcrumb: readonly string[], title: string): readonly string[] {
  return breadcrumb.filter(
    (heading, at) => !isSameHeading(heading, title) && (at === 0 || !isSameHeading(heading, breadcrumb[at - 1] ?? "")),
  );
}

/** A paragraph of prose, or an example. */
export interface Piece {
  /** Equal for repetitions: Markdown, or the code of the example. */
  readonly text: string;
  /** Of a paragraph that is a heading. */
  readonly heading?: string | undefined;
  readonly example?: ExampleBlock | undefined;
}

/** The pieces of blocks, without headings that repeat the title of their page. */
export function piecesOf(blocks: readonly PassageBlock[], title = ""): readonly Piece[] {
  return blocks.flatMap((block): readonly Piece[] => {
    if (block.type === "code") return [{ text: block.codes.map(({ code }) => code).join("\n"), example: block }];
    const pieces = paragraphsOf(block.markdown.trim()).map((text) => ({ text, heading: headingText(text) }));
    return pieces.filter(({ heading }) => !isSameHeading(heading ?? "", title));
  });
}

/** The text of a paragraph that is a heading; undefined for any other. */
export function headingText(paragraph: string): string | undefined {
  return /^#{1,6} ([^\n]*)$/.exec(paragraph)?.[1];
}

/** Whether two headings are equal but for markup; false for undefined. */
export function isSameHeading(one: string, other: string): boolean {
  return one !== "" && (one === other || plain(one) === plain(other));
}

function plain(heading: string): string {
  return heading
    .replace(/[`*_\s\u200B]+/g, " ")
    .trim()
    .toLowerCase();
}
