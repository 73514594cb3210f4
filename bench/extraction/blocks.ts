import { Parser } from "commonmark";

/** A block of code as an independent parser sees it in a page. */
export interface ReferenceBlock {
  readonly code: string;
  /** The words behind the fence. */
  readonly info: string;
  /** First and last line, from 1. */
  readonly lines: readonly [number, number];
}

const decoder = new TextDecoder();

/** The text of a page, with line feeds. */
export function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes).replace(/\r\n?/g, "\n");
}

/** The front matter of a page with its lines of dashes or plus signs, "" without one. */
export function frontMatterOf(text: string): string {
  return /^(---|\+\+\+)\n[\s\S]*?\n\1[ \t]*(?:\n|$)/.exec(text)?.[0] ?? "";
}

/** What commonmark.js takes for code, fences alone in MDX, whose indentation means nothing. */
export function referenceBlocks({
  path,
  bytes,
}: {
  readonly path: string;
  readonly bytes: Uint8Array;
}): ReferenceBlock[] {
  const text = textOf(bytes);
  const matter = frontMatterOf(text);
  const above = matter.split("\n").length - 1;
  const rows = text.split("\n");
  const walker = new Parser().parse(text.slice(matter.length)).walker();
  const blocks: ReferenceBlock[] = [];
  for (let step = walker.next(); step !== null; step = walker.next()) {
    const { node, entering } = step;
    if (!entering || node.type !== "code_block" || (node.literal ?? "").trim() === "") continue;
    const [[first], [last]] = node.sourcepos;
    if (path.endsWith(".mdx") && !/[`~]{3}/.test(rows[above + first - 1] ?? "")) continue;
    blocks.push({ code: node.literal ?? "", info: node.info ?? "", lines: [above + first, above + last] });
  }
  return blocks;
}

/** Code as it is compared: what the parser does to line ends, to the last of them and to the blanks of empty lines is not looked at. */
export function comparable(code: string): string {
  return code
    .replace(/\r\n?/g, "\n")
    .replace(/^[ \t]+$/gm, "")
    .replace(/\s+$/, "");
}

const directive =
  /^[ \t]*(?:\{\{\s?#(?:rustdoc_)?(?:include|playground)\b|<<< ?[@./\w]|--8<-- |;--8<--|\{\* \.|\{% include(?:_relative)? )/m;

/** Whether some lines of code stand for those of other files. */
export function hasInclude(code: string): boolean {
  return directive.test(code);
}
