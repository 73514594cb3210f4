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
const signs = "!-\\/:-@\\[-`{-~";
/** Words without ASCII punctuation, whose pieces have next to no weight. Other punctuation is a word of its own. */
const words = new RegExp(`[${ideographs}]|(?![${signs}])\\p{P}|[^\\s${signs}\\p{P}${ideographs}]+`, "gu");
/** The same for ASCII, in a fifth of the time. */
const asciiWords = /[a-z0-9]+/g;
const onlyAscii = /^[\t\n\r -~]*$/;

/** The pieces of a text by BERT's rules for lower-case text, as rows of the table; pieces that the table lacks are left out. */
export function piecesOf(text: string): readonly number[] {
  const { rows } = wordPieces();
  const pieces: number[] = [];
  const found = onlyAscii.test(text) ? text.toLowerCase().match(asciiWords) : plain(text).match(words);
  for (const one of found ?? []) {
    for (const piece of known.get(one) ?? addWord(one, rows)) pieces.push(piece);
    if (pieces.length >= maxPieces) break;
  }
  return pieces.slice(0, maxPieces);
}

/** A text in lower case without accents and control characters. */
function plain(text: string): string {
  return text
    .replace(/[^\S ]/g, " ")
    .replace(/[\p{C}\ufffd]/gu, "")
    .normalize("NFD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase();
}

/** Whether a word, in any case, is one of the table: a common English word or name. */
export function isKnown(word: string): boolean {
  return wordPieces().rows.has(word.toLowerCase());
}

/** The pieces of a word. */
function addWord(one: string, rows: WordPieces["rows"]): readonly number[] {
  if (known.size >= maxKnown) known.clear();
  const pieces = cut(one, rows);
  // A copy, as the word is a slice that keeps the whole text in memory.
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

/** The vector of a text by the table: the sum of its pieces' vectors, quantised to signed bytes; zeros for a text without pieces. */
export function meaningOf(text: string): Int8Array {
  const sum = new Float64Array(dimensions);
  const { values, scales } = wordPieces();
  for (const row of piecesOf(text)) {
    const scale = scales[row] ?? 0;
    const start = row * dimensions;
    for (let at = 0; at < dimensions; at++) sum[at] = (sum[at] ?? 0) + scale * (values[start + at] ?? 0);
  }
  return signedBytes(sum);
}

/** The vector of a passage by the table, followed by its embedding if its line has one. */
export function meaningOfPassage(passage: Passage): Int8Array {
  const ofTable = meaningOf(meaningText(passage));
  return passage.embedding === undefined ? ofTable : joined(ofTable, Buffer.from(passage.embedding, "base64"));
}

/** Number of characters of a page's prose that count for its vector, shared by its passages, and minimum and maximum of a passage. */
const lead = { all: 1500, least: 150, most: 420 };

/** The mean of the vectors of a page's passages, by the last heading and the beginning of the prose of each, quantised to signed bytes. */
export function meaningOfPage(passages: readonly Passage[]): Int8Array {
  const length = Math.min(lead.most, Math.max(lead.least, lead.all / passages.length));
  const sum = new Float64Array(dimensions);
  for (const { breadcrumb, blocks } of passages) {
    const prose = blocks.find((block) => block.type === "prose")?.markdown.slice(0, length) ?? "";
    const meaning = meaningOf(`${breadcrumb.at(-1) ?? ""}. ${prose}`);
    const norm = Math.sqrt(meaning.reduce((square, value) => square + value * value, 0)) || 1;
    for (let at = 0; at < dimensions; at++) sum[at] = (sum[at] ?? 0) + (meaning[at] ?? 0) / norm;
  }
  return signedBytes(sum);
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

/** What decides the similarity: the model of the question, if the question and all candidates have its embeddings, or `table`. */
export function meansBy({ meaning, model }: Question, candidates: readonly Candidate[]): string {
  return model !== undefined && candidates.every((one) => one.meaning.length === meaning.length) ? model : "table";
}

/** The cosine similarity of two vectors, from -1 to 1; 0 if one is zero: by the values of the table, or by the embeddings after them. */
export function similarity(one: Int8Array, other: Int8Array, by = "table"): number {
  const start = by === "table" ? 0 : dimensions;
  const end = by === "table" ? dimensions : one.length;
  let product = 0;
  let square = 0;
  let otherSquare = 0;
  for (let at = start; at < end; at++) {
    const a = one[at] ?? 0;
    const b = other[at] ?? 0;
    product += a * b;
    square += a * a;
    otherSquare += b * b;
  }
  return product === 0 ? 0 : product / Math.sqrt(square * otherSquare);
}
