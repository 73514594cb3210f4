import { constants, zstdCompressSync } from "node:zlib";
import { isServed } from "../../domain/snippet.ts";
import type { Snippet } from "../../domain/snippet.ts";
import { writeSnippet, writtenFields } from "../../ranking/analyse.ts";
import { ByteBuffer, TermBuffer } from "../../ranking/term-buffer.ts";
import { TermNumbers } from "../../ranking/term-numbers.ts";
import { withLanguage } from "../served.ts";
import { writePostings } from "./posting-writer.ts";
import type { RowPostings } from "./posting-writer.ts";
import { kindFacet, languageFacet } from "./snippet-format.ts";

/**
 * What the file keeps of some snippets, each of them a row. Texts are UTF-8 in one piece, and all arrays have buffers of
 * their own: many small strings take long to hand over.
 */
export interface SnippetRows {
  /** JSON of an array with the `SnippetHead` of each row. */
  readonly heads: string;
  /** Analysed terms of the fields in the order of `writtenFields`, one line a field. */
  readonly fields: Uint8Array<ArrayBuffer>;
  /** Where the fields of each row end in `fields`, the last line break included. */
  readonly fieldEnds: Uint32Array<ArrayBuffer>;
  /** Terms in each of `writtenFields`, all rows together. */
  readonly lengths: readonly number[];
  readonly postings: RowPostings;
  /** The snippets' own JSON, a line each, in runs of rows that are compressed together. */
  readonly blocks: Uint8Array<ArrayBuffer>;
  /** Where each run ends in `blocks`, and how many rows are in it. */
  readonly blockEnds: Uint32Array<ArrayBuffer>;
  readonly blockRows: Uint32Array<ArrayBuffer>;
}

/** A row besides its texts. */
export type SnippetHead = readonly [id: string, kind: Snippet["kind"], url: string, tokens: number];

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
const fields = new TermBuffer(0, numbers);
const facets = new TermBuffer(0, numbers);
const block = new ByteBuffer(0);
const blocks = new ByteBuffer(0);

/**
 * Rows of the served ones of the snippets. A pure function that threads may run.
 * @throws SyntaxError for a line that is no JSON
 */
export function toRows({ lines, language }: SnippetLines): SnippetRows {
  const heads: SnippetHead[] = [];
  const fieldEnds: number[] = [];
  const numberEnds: number[] = [];
  const lengths = writtenFields.map(() => 0);
  const blockEnds: number[] = [];
  const blockRows: number[] = [];
  let rowsBefore = 0;
  fields.length = 0;
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
    heads.push([snippet.id, snippet.kind, snippet.page.url, snippet.tokens]);
    addFields(snippet);
    if (snippet === read) block.append(text, start, end);
    else block.write(JSON.stringify(snippet));
    block.endLine();
    if (block.length >= blockSize) endBlock();
  }
  if (block.length > 0) endBlock();
  return {
    heads: JSON.stringify(heads),
    fields: fields.bytes.slice(0, fields.length),
    fieldEnds: Uint32Array.from(fieldEnds),
    lengths,
    postings: writePostings(numbers, numberEnds),
    blocks: blocks.bytes.slice(0, blocks.length),
    blockEnds: Uint32Array.from(blockEnds),
    blockRows: Uint32Array.from(blockRows),
  };

  function addFields(snippet: Snippet): void {
    let field = 0;
    writeSnippet(fields, snippet, (terms) => {
      lengths[field] = (lengths[field] ?? 0) + terms;
      if (writtenFields[field] !== "identifiers") numberEnds.push(numbers.length);
      field += 1;
    });
    fieldEnds.push(fields.length);
    facets.length = 0;
    facets.add(kindFacet(snippet.kind));
    for (const language of new Set(snippet.codes.map((block) => block.language))) facets.add(languageFacet(language));
    numberEnds.push(numbers.length);
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
