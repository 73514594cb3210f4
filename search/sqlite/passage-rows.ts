import { constants, zstdCompressSync } from "node:zlib";
import { searchFields } from "../../domain/ports.ts";
import { readPassage, codesOf, isServed, kindsOf, type Passage } from "../../domain/passage.ts";
import { analysePassage, isBelowTitle } from "../ranking/analyse-text.ts";
import { meaningOfPassage } from "../ranking/meaning.ts";
import { withLanguage } from "../loading.ts";
import { toPostings, type BatchPostings, type RowTerms } from "./building-postings.ts";
import { kindFacet, languageFacet } from "./passage-format.ts";

/** A batch of passages as rows of the file. It is sent between threads, which is slow for many small strings or objects. */
export interface PassageRows {
  /** JSON of an array of `PassageHead`, one per row. */
  readonly heads: string;
  /** The meanings of the rows, one after the other. */
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
    const original = readPassage(line);
    if (!isServed(original)) continue;
    const passage = withLanguage(original, language);
    served.push(passage === original ? line : JSON.stringify(passage));
    const { id, tokens, page } = passage;
    const terms = analysePassage(passage);
    const fields = searchFields.map((field) => terms[field]);
    const languages = new Set(codesOf(passage).map((code) => code.language));
    rows.push([...fields, [...kindsOf(passage).map(kindFacet), ...Array.from(languages, languageFacet)]]);
    const lengths = fields.map(({ length }) => length);
    meanings.push(meaningOfPassage(passage));
    heads.push({ id, tokens, pageUrl: page.url, belowTitle: isBelowTitle(terms), lengths });
  }
  const ofRows = Int8Array.from(meanings.flatMap((one) => Array.from(one)));
  return { heads: JSON.stringify(heads), meanings: ofRows, postings: toPostings(rows), ...toBlocks(served) };
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
