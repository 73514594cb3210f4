import { constants, zstdCompressSync } from "node:zlib";
import { searchFields } from "../../domain/ports.ts";
import { readPassage, codesOf, isServed, kindsOf, type Passage } from "../../domain/passage.ts";
import { analysePassage, isBelowTitle } from "../ranking/analyse-text.ts";
import { dimensions, meaningOfPassage } from "../ranking/meaning.ts";
import { toServed } from "../loading.ts";
import { toPostings, type BatchPostings, type RowTerms } from "./building-postings.ts";
import { kindFacet, languageFacet } from "./passage-format.ts";

/** A batch of passages as rows of the file. It is sent between threads, which is slow for many small strings or objects. */
export interface PassageRows {
  /** JSON of an array of `PassageHead`, one per row. */
  readonly heads: string;
  /** The meanings of the rows, one after the other: all with embeddings, or none. */
  readonly meanings: Int8Array;
  readonly postings: BatchPostings;
  /** The passages' JSON, one line each, in compressed blocks of consecutive rows; concatenated. */
  readonly blocks: Uint8Array;
  /** The end of each block in `blocks`, and its number of rows. */
  readonly blockEnds: readonly (readonly [end: number, rows: number])[];
}

/** Data of a passage besides its text and its terms. */
export interface PassageHead extends Pick<Passage, "id" | "tokens"> {
  readonly pageUrl: string;
  readonly belowTitle: boolean;
  /** Terms in each of `searchFields`. */
  readonly lengths: readonly number[];
}

/** A batch of passages. */
export interface PassageLines {
  /** Their JSON, one line each, in UTF-8. */
  readonly lines: Uint8Array<ArrayBuffer>;
  /** The language of code blocks that name none. */
  readonly language: string;
}

/** The address of `toRows`, for threads. */
export const analysis = { module: new URL(import.meta.url), name: "toRows" };

/** Characters of lines in a block: large enough to compress well, small enough to decompress for one passage. */
const blockSize = 16_384;
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** The rows of the served passages of a batch. A pure function, for threads. @throws SyntaxError for invalid JSON */
export function toRows({ lines, language }: PassageLines): PassageRows {
  const heads: PassageHead[] = [];
  const rows: RowTerms[] = [];
  const served: string[] = [];
  const meanings: Int8Array[] = [];
  for (const line of Buffer.from(lines.buffer, lines.byteOffset, lines.length).toString("utf8").split("\n")) {
    if (line === "") continue;
    const loaded = readPassage(line);
    if (!isServed(loaded)) continue;
    meanings.push(meaningOfPassage(loaded));
    const { passage, line: shown } = toServed(loaded, line, language);
    served.push(shown);
    const { id, tokens, page } = passage;
    const terms = analysePassage(passage);
    const fields = searchFields.map((field) => terms[field]);
    const languages = new Set(codesOf(passage).map((code) => code.language));
    rows.push([...fields, [...kindsOf(passage).map(kindFacet), ...Array.from(languages, languageFacet)]]);
    const lengths = fields.map(({ length }) => length);
    heads.push({ id, tokens, pageUrl: page.url, belowTitle: isBelowTitle(terms), lengths });
  }
  return { heads: JSON.stringify(heads), meanings: inRows(meanings), postings: toPostings(rows), ...toBlocks(served) };
}

/** Meanings one after the other; without embeddings unless all have one of the same length. */
function inRows(meanings: readonly Int8Array[]): Int8Array {
  const [{ length } = { length: 0 }] = meanings;
  const width = meanings.every((one) => one.length === length) ? length : dimensions;
  const rows = new Int8Array(meanings.length * width);
  for (const [at, one] of meanings.entries()) rows.set(one.subarray(0, width), at * width);
  return rows;
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
