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

/** A fence, also in a list or quotation. */
const fenceLine = /^[\s>*+\-\d.)]*(`{3,}(?!`)|~{3,}(?!~))(.*)$/;

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
    const [, fence = "", rest = ""] = fenceLine.exec(line) ?? [];
    open = fenceAfter(open, fence, rest);
  }
  return paragraph.length > 0 ? [...paragraphs, paragraph.join("\n")] : paragraphs;
}

/** The breadcrumb of a section without the title of its page and without repetitions. */
export function headingsOf(breadcrumb: readonly string[], title: string): readonly string[] {
  return breadcrumb.filter(
    (heading, at) => !isSameHeading(heading, title) && (at === 0 || !isSameHeading(heading, breadcrumb[at - 1] ?? "")),
  );
}

/** Blocks without headings that repeat the title of their page. */
export function withoutTitle(blocks: readonly PassageBlock[], title: string): readonly PassageBlock[] {
  return blocks.flatMap((block) => {
    if (block.type === "code" || !headingsIn(block.markdown).some((heading) => isSameHeading(heading, title)))
      return [block];
    const kept = paragraphsOf(block.markdown).filter((text) => !isSameHeading(headingText(text) ?? "", title));
    return kept.length === 0 ? [] : [{ ...block, markdown: kept.join("\n\n") }];
  });
}

/** A line that starts like a heading, also inside a fence. */
function headingsIn(markdown: string): readonly string[] {
  return markdown.includes("# ") ? Array.from(markdown.matchAll(/^#{1,6} ([^\n]*)$/gm), ([, text = ""]) => text) : [];
}

/** The text of a paragraph that is a heading; undefined for any other. */
export function headingText(paragraph: string): string | undefined {
  return /^#{1,6} ([^\n]*)$/.exec(paragraph)?.[1];
}

/** Whether blocks begin with a heading. */
export function beginsWithHeading([first]: readonly PassageBlock[]): boolean {
  return first?.type === "prose" && /^\s*#{1,6} /.test(first.markdown);
}

/** The last heading in the prose blocks; undefined: none. */
export function lastHeading(blocks: readonly PassageBlock[]): string | undefined {
  return blocks.flatMap((block) => (block.type === "prose" ? headingsIn(block.markdown) : [])).at(-1);
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
