import { constants, zstdCompressSync } from "node:zlib";
import { searchFields } from "../../domain/ports.ts";
import { readPassage } from "../../domain/passage-lines.ts";
import { codesOf, isServed, kindsOf } from "../../domain/passage.ts";
import type { Passage } from "../../domain/passage.ts";
import { analysePassage, isBelowTitle } from "../../ranking/analyse.ts";
import { withLanguage } from "../served.ts";
import { writePostings } from "./posting-writer.ts";
import type { RowPostings, RowTerms } from "./posting-writer.ts";
import { kindFacet, languageFacet } from "./passage-format.ts";

/** What the file keeps of some passages, each of them a row. Many small strings take long to hand from thread to thread. */
export interface PassageRows {
  /** JSON of an array with the `PassageHead` of each row. */
  readonly heads: string;
  /** JSON of an array with the address of each page that rows stand on. */
  readonly pages: string;
  readonly postings: RowPostings;
  /** The passages' own JSON, a line each, in runs of rows that are compressed together; concatenated. */
  readonly blocks: Uint8Array;
  /** Of each run where it ends, and how many rows are in it. */
  readonly blockEnds: readonly (readonly [end: number, rows: number])[];
}

/** A row besides its texts. */
export interface PassageHead extends Pick<Passage, "id" | "tokens"> {
  /** The place of its page among those of these rows. */
  readonly page: number;
  readonly belowTitle: boolean;
  /** Terms in each of `searchFields`. */
  readonly lengths: readonly number[];
}

/** Passages to analyse. */
export interface PassageLines {
  /** Their JSON, a line each, in UTF-8. */
  readonly lines: Uint8Array<ArrayBuffer>;
  /** What code blocks without a language are given. */
  readonly language: string;
}

/** Where `toRows` is, for threads to find it. */
export const analysis = { module: new URL(import.meta.url), name: "toRows" };

/** Characters of lines that are compressed together: enough to shrink, little to unpack for one passage. */
const blockSize = 16_384;
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/**
 * Rows of the served ones of the passages. A pure function that threads may run.
 * @throws SyntaxError for a line that is no JSON
 */
export function toRows({ lines, language }: PassageLines): PassageRows {
  const heads: PassageHead[] = [];
  const pages: string[] = [];
  const rows: RowTerms[] = [];
  const served: string[] = [];
  for (const line of Buffer.from(lines.buffer, lines.byteOffset, lines.length).toString("utf8").split("\n")) {
    if (line === "") continue;
    // A line of a generation, whose parts were checked against their hashes when they were read.
    const read = readPassage(line);
    if (!isServed(read)) continue;
    const passage = withLanguage(read, language);
    served.push(passage === read ? line : JSON.stringify(passage));
    const { id, tokens, page } = passage;
    const terms = analysePassage(passage);
    const fields = searchFields.map((field) => terms[field]);
    const languages = new Set(codesOf(passage).map((code) => code.language));
    rows.push([...fields, [...kindsOf(passage).map(kindFacet), ...Array.from(languages, languageFacet)]]);
    // The rows of a page come one after the other.
    if (pages.at(-1) !== page.url) pages.push(page.url);
    const lengths = fields.map(({ length }) => length);
    heads.push({ id, tokens, page: pages.length - 1, belowTitle: isBelowTitle(terms), lengths });
  }
  return {
    heads: JSON.stringify(heads),
    pages: JSON.stringify(pages),
    postings: writePostings(rows),
    ...toBlocks(served),
  };
}

function toBlocks(lines: readonly string[]): Pick<PassageRows, "blocks" | "blockEnds"> {
  const blocks: Uint8Array[] = [];
  const blockEnds: [end: number, rows: number][] = [];
  let block: string[] = [];
  let size = 0;
  for (const [at, line] of lines.entries()) {
    block.push(`${line}\n`);
    size += line.length;
    if (size < blockSize && at < lines.length - 1) continue;
    const packed = zstdCompressSync(block.join(""), compression);
    blocks.push(packed);
    blockEnds.push([(blockEnds.at(-1)?.[0] ?? 0) + packed.length, block.length]);
    block = [];
    size = 0;
  }
  return { blocks: new Uint8Array(Buffer.concat(blocks)), blockEnds };
}
