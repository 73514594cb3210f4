/**
 * Kind of a block. `title` is the heading that a form puts before a source, `provenance` a line with the place of a passage, `fileName` the
 * name that a form puts before code, `leftOut` a line in brackets in place of omitted content, `markup` what readers of the page do not
 * see: tags, imports, comments, marks of tabs.
 */
export type BlockKind =
  | "title"
  | "heading"
  | "prose"
  | "list"
  | "code"
  | "table"
  | "quote"
  | "leftOut"
  | "provenance"
  | "fileName"
  | "markup";

/** Consecutive lines of one kind: a paragraph, one item of a list, a block of code, a table, a quote or callout. */
export interface Block {
  readonly kind: BlockKind;
  /** Its lines; of code those between the fences. */
  readonly text: string;
  /** Columns before its first letter. */
  readonly indent: number;
}

const fence = /^\s*(?:>\s*)?(`{3,}(?!.*`)|~{3,})/;
const heading = /^\s{0,3}#{1,6}\s+\S/;
const underlined = /^[^\s>|<*+-].*\n(?:=+|-{2,})\s*$/;
const item = /^\s*(?:[-*+]|\d{1,4}[.)])\s+\S/;
const markup =
  /^\s*(?:<\/?[A-Za-z][^>]*>?\s*(?:<[^>]*>\s*)*$|\{\/\*.*|import .* from ['"]|export (?:const|default|function|async)\b|===[+!]*\s+["']|:::+\s*$|\/\/\/\s*$|-{8}<|--8<--|\(.+\)=\s*$|!\[[^\]]*\]\([^)]*\)\s*$|[-*_](?:\s*[-*_]){2,}\s*$|[{[]!.*![}\]]\s*$|\[[^\]]+\]:\s*\S)/;
const callout =
  /^\s*(?:(?::::+|!!!|\?\?\?\+?|\/\/\/)\s*\S|<(?:Note|Tip|Warning|Info|Callout|Admonition|Check)\b|\*\*(?:note|info|tip|warn|warning|caution|danger|important|hint|success|error|attention|see ?also|abstract|question|bug|failure|todo|good to know|deprecated)\b[^*]*\*\*)/i;
const leftOut = /^\s*\[(?:\d[\d,.]*\s+\p{L}|lines?\s+\d|[^\]]*\b(?:left out|as above)\b).*\]\s*$/iu;
const provenance = /^(?:Source:\s+\S+(?::\/\/|#|\/)|(?:Included|Made) from \S*(?::\/\/|\/|#))/;
const htmlKinds: readonly (readonly [RegExp, BlockKind, string])[] = [
  [/^\s*<h[1-6]\b/i, "heading", "</h"],
  [/^\s*<pre\b/i, "code", "</pre"],
  [/^\s*<table\b/i, "table", "</table"],
  [/^\s*<(?:ul|ol|dl)\b/i, "list", "</"],
  [/^\s*<!--/, "markup", "-->"],
];

/**
 * Splits Markdown into blocks, in order. It accepts pages of any dialect and answers of any form, and never fails. Front matter is left
 * out. Indented lines are code only with `indentedCode`: MDX and answers have no indented code.
 */
export function parseBlocks(markdown: string, { indentedCode = false } = {}): readonly Block[] {
  const lines = markdown.replace(/^---\r?\n[\s\S]*?\n---[ \t]*(?:\r?\n|$)/, "").split(/\r?\n/);
  const blocks: Block[] = [];
  const never = Number.POSITIVE_INFINITY;
  /** Minimum indentation of code, in columns: more inside of an item or a callout; none inside of tags. */
  let codeFrom = indentedCode ? 4 : never;
  const enter = (columns: number): void => void (codeFrom = indentedCode ? columns : never);
  let at = 0;
  const take = (kind: BlockKind, end: number, from = at): void => {
    const own = lines.slice(from, end);
    blocks.push({ kind, text: own.join("\n"), indent: columnsOf(own[0] ?? "") });
    at = Math.max(end, at + 1);
  };
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const columns = columnsOf(line);
    const html = htmlKinds.find(([start]) => start.test(line));
    const mark = fence.exec(line)?.[1];
    if (line.trim() === "") at += 1;
    else if (mark !== undefined) {
      const end = endOfFence(lines, at, mark);
      take("code", end, at + 1);
      at = end + 1;
    } else if (columns >= codeFrom) {
      const least = codeFrom;
      take(
        "code",
        runOf(lines, at, (next) => next.trim() === "" || columnsOf(next) >= least),
      );
    } else if (html) take(html[1], endOfHtml(lines, at, html[2]));
    else if (heading.test(line) || underlined.test(`${line}\n${lines[at + 1] ?? ""}`)) {
      take("heading", heading.test(line) ? at + 1 : at + 2);
      enter(4);
    } else if (/^\s*>/.test(line))
      take(
        "quote",
        runOf(lines, at, (next) => /^\s*>/.test(next)),
      );
    else if (callout.test(line)) {
      const emphasised = line.trim().startsWith("*");
      take("quote", emphasised ? endOfParagraph(lines, at) : at + 1);
      if (!emphasised) enter(columns + 8);
    } else if (isTable(lines, at))
      take(
        "table",
        runOf(lines, at, (next) => next.includes("|")),
      );
    else if (leftOut.test(line)) take("leftOut", at + 1);
    else if (provenance.test(line)) take("provenance", at + 1);
    else if (isFileName(lines, at)) take("fileName", at + 1);
    else if (markup.test(line)) {
      take("markup", endOfTag(lines, at));
      enter(line.trim().startsWith("=") ? columns + 8 : never);
    } else if (item.test(line)) {
      take("list", endOfParagraph(lines, at));
      enter(columns + (/^\s*(\S+\s+)/.exec(line)?.[1]?.length ?? 2) + 4);
    } else {
      if (columns === 0) enter(4);
      take("prose", endOfParagraph(lines, at));
    }
  }
  return blocks;
}

/** Columns before the first letter; a tab ends at the next multiple of four. */
function columnsOf(line: string): number {
  let columns = 0;
  for (const blank of /^\s*/.exec(line)?.[0] ?? "") columns += blank === "\t" ? 4 - (columns % 4) : 1;
  return columns;
}

function endOfFence(lines: readonly string[], start: number, mark: string): number {
  const close = new RegExp(`^\\s*(?:>\\s*)?\\${mark[0] ?? "`"}{${mark.length},}\\s*$`);
  for (let at = start + 1; at < lines.length; at += 1) if (close.test(lines[at] ?? "")) return at;
  return lines.length;
}

function endOfHtml(lines: readonly string[], start: number, close: string): number {
  for (let at = start; at < lines.length; at += 1) if ((lines[at] ?? "").includes(close)) return at + 1;
  return start + 1;
}

/** The end of a tag whose attributes may take several lines: its closing bracket, or an empty line. */
function endOfTag(lines: readonly string[], start: number): number {
  if (!/^\s*<[^>]*$/.test(lines[start] ?? "")) return start + 1;
  for (let at = start + 1; at < lines.length; at += 1) {
    if (/>\s*$/.test(lines[at] ?? "")) return at + 1;
    if ((lines[at] ?? "").trim() === "") return at;
  }
  return lines.length;
}

function runOf(lines: readonly string[], start: number, isOwn: (line: string) => boolean): number {
  let end = start + 1;
  while (end < lines.length && isOwn(lines[end] ?? "")) end += 1;
  while (end > start + 1 && (lines[end - 1] ?? "").trim() === "") end -= 1;
  return end;
}

/** A paragraph ends at an empty line and at any block that may interrupt it. */
function endOfParagraph(lines: readonly string[], start: number): number {
  const interrupts = [fence, item, leftOut, provenance, heading, /^\s*>/, /^\s*<\/?[A-Za-z][^>]*>\s*$/];
  let end = start + 1;
  for (; end < lines.length; end += 1) {
    const line = lines[end] ?? "";
    if (line.trim() === "" || interrupts.some((one) => one.test(line)) || isTable(lines, end)) break;
  }
  return end;
}

function isTable(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? "";
  return /^\s*\|.*\|/.test(line) || (line.includes("|") && /^\s*\|?\s*:?-{2,}[\s|:-]*$/.test(lines[at + 1] ?? ""));
}

/** A name in backticks with a colon, and code below it. */
function isFileName(lines: readonly string[], at: number): boolean {
  if (!/^`[^`]+`:$/.test(lines[at] ?? "")) return false;
  const next = lines.slice(at + 1).find((line) => line.trim() !== "") ?? "";
  return fence.test(next) || provenance.test(next);
}
