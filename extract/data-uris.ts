import type { Block, Document, LeftOut } from "./blocks.ts";

/** A data URI with content (RFC 2397), such as a picture in Base64, which may be broken into lines. */
const uri =
  /(data:[\w.+-]{1,60}\/[\w.+-]{1,60}(?:;[\w=.+-]{1,60}){0,4},)[\w+/=%.~!*-]*(?:(?<=[\w+/]{40})(?:\r?\n[ \t]{0,40}[\w+/]{40,}(?![^\s"'<>()`=,;]))+(?:\r?\n[ \t]{0,40}[\w+/]{0,200}(?:={1,2}|(?=["'>)])))?)?/gi;
/** Maximum length of the content of one that stays. */
const maxShort = 200;
/** The placeholder of a data URI while a page is read. */
const standIn = /data:,long-(\d{1,7})-/g;

/** Maximum length of data in code that is mostly data, in characters. */
const maxData = 1000;

/**
 * Takes the content of long data URIs out of a page's text, in any format. `restore` puts it back into the page's code, which stays
 * verbatim, except that code which is mostly data is left out.
 */
export function withoutData(text: string): { readonly text: string; restore(document: Document): Document } {
  const found: { readonly whole: string; readonly head: string }[] = [];
  const short = !text.includes("data:")
    ? text
    : text.replace(uri, (all, start: string) => {
        if (all.length < start.length + maxShort) return all;
        // Lines stay lines.
        return all.replace(/[^\s]+/g, (whole) => {
          const head = whole.startsWith(start) ? start : "";
          return `data:,long-${found.push({ whole, head }) - 1}-`;
        });
      });
  if (found.length === 0) return { text, restore: (document) => document };
  const named = (words: string): string => words.replace(standIn, (_, at) => `${found[Number(at)]?.head ?? ""}…`);
  const whole = (code: string): string => code.replace(standIn, (mark, at) => found[Number(at)]?.whole ?? mark);
  const leftOut: LeftOut[] = [];
  const restored = (block: Block): readonly Block[] => {
    if (block.type === "heading") return [{ ...block, text: named(block.text) }];
    if (block.type === "prose") return [{ ...block, markdown: named(block.markdown) }];
    if (block.type === "paragraph")
      return [{ ...block, markdown: named(block.markdown), text: () => named(block.text()) }];
    const code = whole(block.code);
    const data = code.length - block.code.length;
    if (data <= maxData || data * 2 <= code.length) return [{ ...block, code }];
    leftOut.push({ lines: block.lines, reason: "data" });
    return [];
  };
  return {
    text: short,
    restore(document) {
      const blocks = document.blocks.flatMap(restored);
      const footnotes = new Map(Array.from(document.footnotes, ([label, note]) => [label, named(note)]));
      return { ...document, blocks, footnotes, leftOut: [...document.leftOut, ...leftOut] };
    },
  };
}
