import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A table of vectors by pieces of words; NOTICE.md says where it is from. */
export interface WordPieces {
  readonly rows: ReadonlyMap<string, number>;
  /** 128 values of each row, which are these times its scale. */
  readonly values: Int8Array;
  readonly scales: Float32Array;
}

let table: WordPieces | undefined;

/** The table, which is read at its first use on a thread: 20 ms, 8 MB. */
export function wordPieces(): WordPieces {
  table ??= readTable();
  return table;
}

function readTable(): WordPieces {
  const read = (name: string): Buffer => readFileSync(join(import.meta.dirname, name));
  const pieces = read("vocabulary.txt").toString().split("\n");
  const values = read("vectors.int8");
  return {
    rows: new Map(pieces.map((piece, row) => [piece, row])),
    values: new Int8Array(values.buffer, values.byteOffset, values.length),
    scales: new Float32Array(new Uint8Array(read("scales.f32")).buffer),
  };
}
