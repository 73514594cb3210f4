import { meaningText, signedBytes } from "../../domain/meaning.ts";
import type { Passage } from "../../domain/passage.ts";
import type { Candidate, Question } from "../../domain/ports.ts";
import { wordPieces, type WordPieces } from "../word-pieces/table.ts";

/** Number of values of a vector of the table. */
export const dimensions = 128;
/** Maximum number of pieces of a text. */
const maxPieces = 512;
/** Maximum length of a word that is cut into pieces, in characters. */
const maxWord = 100;

/** Words whose pieces are kept on this thread, and the number at which they are forgotten. */
const known = new Map<string, readonly number[]>();
const maxKnown = 20_000;

const ideographs =
  "\\u4e00-\\u9fff\\u3400-\\u4dbf\\u{20000}-\\u{2a6df}\\u{2a700}-\\u{2b73f}\\u{2b740}-\\u{2b81f}\\u{2b820}-\\u{2ceaf}\\uf900-\\ufaff\\u{2f800}-\\u{2fa1f}";
const signs = "!-\\/:-@\\[-`{-~\\p{P}";
const word = new RegExp(`[${ideographs}${signs}]|[^\\s${signs}${ideographs}]+`, "gu");

/** The pieces of a text by BERT's rules for lower-case text, as rows of the table; pieces that the table lacks are left out. */
export function piecesOf(text: string): readonly number[] {
  const { rows } = wordPieces();
  const pieces: number[] = [];
  for (const one of text.split(/\s+/)) {
    for (const piece of known.get(one) ?? addWord(one, rows)) pieces.push(piece);
    if (pieces.length >= maxPieces) break;
  }
  return pieces.slice(0, maxPieces);
}

/** Whether a word, in any case, is one of the table: a common English word or name. */
export function isKnown(word: string): boolean {
  return wordPieces().rows.has(word.toLowerCase());
}

/** The pieces of a text without spaces. */
function addWord(one: string, rows: WordPieces["rows"]): readonly number[] {
  if (known.size >= maxKnown) known.clear();
  const plain = one
    .replace(/[\p{C}\ufffd]/gu, "")
    .normalize("NFD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase();
  const pieces = (plain.match(word) ?? []).flatMap((part) => cut(part, rows));
  // A copy, as the word may be a slice that keeps the whole text in memory.
  if (one.length <= maxWord) known.set(Buffer.from(one).toString(), pieces);
  return pieces;
}

/** The longest pieces from the left; none if a part of the word is no piece. */
function cut(one: string, rows: WordPieces["rows"]): readonly number[] {
  if (one.length > maxWord) return [];
  const pieces: number[] = [];
  for (let start = 0; start < one.length;) {
    let end = one.length;
    let row: number | undefined;
    for (; end > start && row === undefined; end--) row = rows.get((start > 0 ? "##" : "") + one.slice(start, end));
    if (row === undefined) return [];
    pieces.push(row);
    start = end + 1;
  }
  return pieces;
}

/** The vector of a text: the mean of those of its pieces, of length 1; zeros for a text without pieces. */
export function vectorOf(text: string): Float64Array {
  const sum = new Float64Array(dimensions);
  const pieces = piecesOf(text);
  const { values, scales } = wordPieces();
  for (const row of pieces) {
    const scale = scales[row] ?? 0;
    const start = row * dimensions;
    for (let at = 0; at < dimensions; at++) sum[at] = (sum[at] ?? 0) + scale * (values[start + at] ?? 0);
  }
  const length = Math.hypot(...sum) || 1;
  return sum.map((value) => value / length);
}

/** The meaning of a text: the direction of its vector, in signed bytes. */
export function meaningOf(text: string): Int8Array {
  return signedBytes(vectorOf(text));
}

/** The meaning of a passage by the table and, if its line has one, its embedding. */
export function meaningOfPassage(passage: Passage): Int8Array {
  const ofTable = meaningOf(meaningText(passage));
  return passage.embedding === undefined ? ofTable : joined(ofTable, Buffer.from(passage.embedding, "base64"));
}

/** The question with its embedding by a model. */
export function withEmbedding(question: Question, model: string, embedding: Int8Array): Question {
  return { ...question, meaning: joined(question.meaning.subarray(0, dimensions), embedding), model };
}

function joined(ofTable: Int8Array, embedding: Uint8Array | Int8Array): Int8Array {
  const meaning = new Int8Array(ofTable.length + embedding.length);
  meaning.set(ofTable);
  meaning.set(embedding, ofTable.length);
  return meaning;
}

/** What tells how alike meanings are: the question's model, if the question and all candidates have its embeddings, or the table. */
export function meansBy({ meaning, model }: Question, candidates: readonly Candidate[]): string {
  return model !== undefined && candidates.every((one) => one.meaning.length === meaning.length) ? model : "table";
}

/** How alike two meanings are: the cosine, from -1 to 1; 0 if one of them is of no word. By the table, or by the embeddings after its values. */
export function likeness(one: Int8Array, other: Int8Array, by = "table"): number {
  const [start, end] = by === "table" ? [0, dimensions] : [dimensions, one.length];
  let [product, square, otherSquare] = [0, 0, 0];
  for (let at = start; at < end; at++) {
    const [a, b] = [one[at] ?? 0, other[at] ?? 0];
    product += a * b;
    square += a * a;
    otherSquare += b * b;
  }
  return product === 0 ? 0 : product / Math.sqrt(square * otherSquare);
}
