import { parseBlocks } from "./blocks.ts";
import type { Block } from "./blocks.ts";

/** A page of a source, to look up what an answer has of it. */
export interface SourcePage {
  readonly blocks: readonly Block[];
  /** Places of the blocks that hold a text at their end, or if there is none anywhere; of a title also those of its section. */
  findText(block: Block): readonly number[];
  /** Places of the blocks of code that are equal to some code; if there is none, of those that hold it, or its beginning. */
  findCode(code: string): readonly number[];
}

/** Letters at the end of a text that it is found by. */
const tailLength = 80;
/** Lines at the beginning of a text of code that is not whole that it is found by. */
const headLines = 4;

/** Reads a page of Markdown, or of MDX. */
export function readPage(markdown: string, { mdx = false } = {}): SourcePage {
  const blocks = parseBlocks(markdown, { indentedCode: !mdx });
  const texts = blocks.map(({ kind, text }) => (kind === "code" ? "" : plain(text)));
  const codes = blocks.map(({ kind, text }) => (kind === "code" ? plainCode(text) : ""));
  const places = (test: (at: number) => boolean): readonly number[] =>
    blocks.flatMap((_, at) => (test(at) ? [at] : []));
  const firstOf = (...tests: readonly ((at: number) => boolean)[]): readonly number[] => {
    for (const test of tests) {
      const found = places(test);
      if (found.length > 0) return found;
    }
    return [];
  };
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

/** Letters and digits of Markdown alone, in lower case and without addresses, so that the same words are the same text. */
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
export function plainCode(code: string): string {
  return code
    .split(/\r?\n/)
    .map((line) => line.replace(/^\s*>\s?/, "").trim())
    .filter((line) => line !== "")
    .join("\n");
}

/** What a heading of an answer may be called in its page: all of it, its last section, or what stands before a colon. */
function namesIn(heading: string): readonly string[] {
  const whole = heading.replace(/^\s*#+\s*|\s+\(\d+\)\s*$/g, "");
  const last = whole.split(" > ").at(-1) ?? "";
  const sections = whole.split(": ").slice(1).join(": ").split(", ");
  return [whole, last, whole.split(": ")[0] ?? "", ...sections.reverse()].map(plain).filter((name) => name !== "");
}
