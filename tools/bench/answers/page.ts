import { parseBlocks, type Block } from "./blocks.ts";

/** A page of a source, in which blocks of an answer are looked up. */
export interface SourcePage {
  readonly blocks: readonly Block[];
  /** Places of the blocks that end with a text, else of those that contain it; for a title, places of the headings that it names. */
  findText(block: Block): readonly number[];
  /** Places of the blocks that are equal to some code, else of those that contain it, or its first lines. */
  findCode(code: string): readonly number[];
}

/** Length of the end of a text that is searched for. */
const tailLength = 80;
/** Number of first lines that truncated code is found by. */
const headLines = 4;

/** Reads a page of Markdown, or of MDX. */
export function readPage(markdown: string, { mdx = false } = {}): SourcePage {
  const blocks = parseBlocks(markdown, { indentedCode: !mdx });
  const texts = blocks.map(({ kind, text }) => (kind === "code" ? "" : plain(text)));
  const codes = blocks.map(({ kind, text }) => (kind === "code" ? plainCode(text) : ""));
  const places = (test: (at: number) => boolean): readonly number[] =>
    blocks.flatMap((_, at) => (test(at) ? [at] : []));
  const firstOf = (...tests: readonly ((at: number) => boolean)[]): readonly number[] =>
    tests.reduce<readonly number[]>((found, test) => (found.length > 0 ? found : places(test)), []);
  const isHeading = (at: number): boolean => blocks[at]?.kind === "heading";
  return {
    blocks,
    findText({ kind, text }) {
      const own = plain(text);
      if (own === "") return [];
      if (kind === "title" || kind === "heading") {
        const names = namesIn(text);
        return firstOf(...names.map((name) => (at: number) => isHeading(at) && texts[at] === name));
      }
      const tail = own.slice(-tailLength);
      return firstOf(
        (at) => !isHeading(at) && (texts[at]?.endsWith(tail) ?? false),
        (at) => !isHeading(at) && (texts[at]?.length ?? 0) >= 12 && own.endsWith(texts[at] ?? ""),
        (at) => !isHeading(at) && (texts[at]?.includes(tail) ?? false),
        (at) => !isHeading(at) && (texts[at]?.length ?? 0) >= 3 && own.endsWith(texts[at] ?? ""),
      );
    },
    findCode(code) {
      const own = plainCode(code);
      if (own === "") return [];
      const lines = own.split("\n");
      const head = lines.slice(0, headLines).join("\n");
      return firstOf(
        (at) => codes[at] === own,
        (at) => codes[at]?.includes(own) ?? false,
        (at) => lines.length > headLines && (codes[at]?.includes(head) ?? false),
      );
    },
  };
}

/** The letters and digits of Markdown, in lower case and without addresses, for comparison. */
export function plain(markdown: string): string {
  return markdown
    .replace(/\]\([^()\n]{0,500}(?:\([^()\n]{0,100}\)[^()\n]{0,100})?\)/g, "]")
    .replace(/\]\[[^\]\n]{0,100}\]/g, "]")
    .replace(/<[^<>]{0,500}>|&#?\w{1,8};/g, "")
    .replace(/^\s*(?:[-*+]|\d{1,4}[.)])\s+/, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");
}

/** Code without indentation and empty lines. */
function plainCode(code: string): string {
  return code
    .split(/\r?\n/)
    .map((line) => line.replace(/^\s*>\s?/, "").trim())
    .filter((line) => line !== "")
    .join("\n");
}

/** Possible headings in the page for a heading of an answer: all of it, its last section, or the part before a colon. */
function namesIn(heading: string): readonly string[] {
  const whole = heading.replace(/^\s*#+\s*|\s+\(\d+\)\s*$/g, "");
  const last = whole.split(" > ").at(-1) ?? "";
  const sections = whole.split(": ").slice(1).join(": ").split(", ");
  return [whole, last, whole.split(": ")[0] ?? "", ...sections.reverse()].map(plain).filter((name) => name !== "");
}
