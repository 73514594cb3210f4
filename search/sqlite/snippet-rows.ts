import { constants, zstdCompressSync } from "node:zlib";
import { searchFields } from "../../domain/ports.ts";
import type { SearchField } from "../../domain/ports.ts";
import { isServed } from "../../domain/snippet.ts";
import type { Snippet } from "../../domain/snippet.ts";
import { isBelowTitle, writeSnippet } from "../../ranking/analyse.ts";
import { ByteBuffer } from "../../ranking/byte-buffer.ts";
import { TermNumbers } from "../../ranking/term-numbers.ts";
import { withLanguage } from "../served.ts";
import { writePostings } from "./posting-writer.ts";
import type { RowPostings } from "./posting-writer.ts";
import { kindFacet, languageFacet } from "./snippet-format.ts";

/**
 * What the file keeps of some snippets, each of them a row. Texts are in one piece, and all arrays have buffers of
 * their own: many small strings take long to hand over.
 */
export interface SnippetRows {
  /** JSON of an array with the `SnippetHead` of each row. */
  readonly heads: string;
  /** JSON of an array with the `PageHead` of each page that rows stand on. */
  readonly pages: string;
  /** Terms in each of `searchFields` of the first row, then of the second, and so on. */
  readonly lengths: Uint32Array<ArrayBuffer>;
  readonly postings: RowPostings;
  /** The snippets' own JSON, a line each, in runs of rows that are compressed together. */
  readonly blocks: Uint8Array<ArrayBuffer>;
  /** Where each run ends in `blocks`, and how many rows are in it. */
  readonly blockEnds: Uint32Array<ArrayBuffer>;
  readonly blockRows: Uint32Array<ArrayBuffer>;
}

/** A row besides its texts; `page` is the place of its page among those of these rows. */
export type SnippetHead = readonly [id: string, kind: Snippet["kind"], page: number, tokens: number, belowTitle: 0 | 1];

/** A page: its address, and the analysed terms of its path, joined with single spaces. */
export type PageHead = readonly [url: string, path: string];

/** Snippets to analyse. */
export interface SnippetLines {
  /** Their JSON, a line each, in UTF-8. */
  readonly lines: Uint8Array<ArrayBuffer>;
  /** What code blocks without a language are given. */
  readonly language: string;
}

/** Where `toRows` is, for threads to find it. */
export const analysis = { module: new URL(import.meta.url), name: "toRows" };

/** Bytes of snippet lines that are compressed together: enough to shrink, little to unpack for one snippet. */
const blockSize = 16_384;
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const lineBreak = 10;

/** Written anew for each batch; what they grew to is kept. */
const numbers = new TermNumbers();
const block = new ByteBuffer(0);
const blocks = new ByteBuffer(0);

/**
 * Rows of the served ones of the snippets. A pure function that threads may run.
 * @throws SyntaxError for a line that is no JSON
 */
export function toRows({ lines, language }: SnippetLines): SnippetRows {
  const heads: SnippetHead[] = [];
  const pages: PageHead[] = [];
  const lengths: number[] = [];
  const fieldEnds: number[] = [];
  const blockEnds: number[] = [];
  const blockRows: number[] = [];
  let rowsBefore = 0;
  block.length = 0;
  blocks.length = 0;
  numbers.clear();

  const text = Buffer.from(lines.buffer, lines.byteOffset, lines.length);
  for (let start = 0, end = 0; start < text.length; start = end + 1) {
    end = text.indexOf(lineBreak, start);
    if (end < 0) end = text.length;
    // A line of a generation, whose parts were checked against their hashes when they were read.
    const read = JSON.parse(text.toString("utf8", start, end)) as Snippet;
    if (!isServed(read)) continue;
    const snippet = withLanguage(read, language);
    addRow(snippet);
    if (snippet === read) block.append(text, start, end);
    else block.write(JSON.stringify(snippet));
    block.endLine();
    if (block.length >= blockSize) endBlock();
  }
  if (block.length > 0) endBlock();
  return {
    heads: JSON.stringify(heads),
    pages: JSON.stringify(pages),
    lengths: Uint32Array.from(lengths),
    postings: writePostings(numbers, fieldEnds),
    blocks: blocks.bytes.slice(0, blocks.length),
    blockEnds: Uint32Array.from(blockEnds),
    blockRows: Uint32Array.from(blockRows),
  };

  function addRow(snippet: Snippet): void {
    const { id, kind, page, tokens, codes } = snippet;
    const ends = [numbers.length];
    writeSnippet(numbers, snippet, () => ends.push(numbers.length));
    for (let field = 0; field < searchFields.length; field++) lengths.push((ends[field + 1] ?? 0) - (ends[field] ?? 0));
    const rangeOf = (field: SearchField): readonly [from: number | undefined, to: number | undefined] => {
      const at = searchFields.indexOf(field);
      return [ends[at], ends[at + 1]];
    };
    const termsOf = (field: SearchField): Uint32Array => numbers.numbers.subarray(...rangeOf(field));
    // The rows of a page come one after the other.
    if (pages.at(-1)?.[0] !== page.url) pages.push([page.url, numbers.texts(...rangeOf("path")).join(" ")]);
    const belowTitle = isBelowTitle(termsOf("title"), termsOf("breadcrumb")) ? 1 : 0;
    heads.push([id, kind, pages.length - 1, tokens, belowTitle]);
    numbers.addText(kindFacet(kind));
    for (const language of new Set(codes.map((code) => code.language))) numbers.addText(languageFacet(language));
    fieldEnds.push(...ends.slice(1), numbers.length);
  }

  function endBlock(): void {
    const packed = zstdCompressSync(block.bytes.subarray(0, block.length), compression);
    blocks.append(packed, 0, packed.length);
    blockEnds.push(blocks.length);
    blockRows.push(heads.length - rowsBefore);
    rowsBefore = heads.length;
    block.length = 0;
  }
}
