import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { zstdDecompressSync } from "node:zlib";
import type { Candidate, SearchField } from "../../domain/ports.ts";
import { readPassage, type Passage } from "../../domain/passage.ts";
import { nearestTerms, spellingRange, type KnownTerm } from "../ranking/spelling.ts";
import type { Postings } from "./best-rows.ts";
import { readRows, unpackVarints, type TermRows } from "./postings.ts";
import { passageFormat } from "./passage-format.ts";
import type { LRUCache } from "lru-cache";

const lineBreak = 10;

/** Values by their keys. */
type Values<Key, T> = Iterable<readonly [Key, Sized<T>]>;

/** An open passage file. Everything is synchronous; a question takes a millisecond or two. */
export interface PassageFile {
  readonly count: number;
  /** Mean number of terms of each field. */
  readonly averageLength: Readonly<Record<SearchField, number>>;
  /** The model of its embeddings; "": it has none. */
  readonly model: string;
  /** Terms with nearly the spelling of a word, with their numbers of rows. */
  spellings(word: string): readonly KnownTerm[];
  readonly rowLengths: Omit<Postings, "terms">;
  /** The rows of each term. */
  rowsOf(terms: readonly string[]): Values<string, TermRows>;
  /** The candidates of existing rows. */
  candidates(rows: readonly number[]): Values<number, Candidate>;
  /** The passages of existing rows. */
  passages(rows: readonly number[]): Values<number, Passage>;
  close(): void;
}

/** Opens a finished passage file; undefined if it has another format. If its checksum was not verified, errors may mean damage. */
export function openPassageFile(path: string): PassageFile | undefined {
  const url = pathToFileURL(path);
  url.searchParams.set("immutable", "1");
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(url, { readOnly: true });
    const file = prepareFile(db);
    if (file === undefined) db.close();
    return file;
  } catch (error) {
    db?.close();
    throw error;
  }
}

/** Whether an error comes from SQLite itself. */
export function isDatabaseError(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_SQLITE_ERROR";
}

function prepareFile(db: DatabaseSync): PassageFile | undefined {
  const meta = new Map(
    db
      .prepare("SELECT name, value FROM meta")
      .all()
      .map(({ name, value }) => [String(name), String(value)]),
  );
  if (meta.get("format") !== passageFormat) return undefined;
  const count = Number(meta.get("count"));
  // Written by build-worker.ts in this format.
  const averageLength = JSON.parse(meta.get("averageLength") ?? "{}") as Record<SearchField, number>;

  // One statement for all wanted rows, as a call takes several times as long as finding a row.
  const findSpellings = prepareArrays<KnownTerm>(
    db,
    `SELECT term, sum(frequency) FROM postings
      WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ? GROUP BY term`,
  );
  const findRows = prepareArrays<StoredRow>(
    db,
    `SELECT row, passages.id, url, tokens, belowTitle, lengths, meaning
      FROM json_each(?) CROSS JOIN passages ON row = value CROSS JOIN pages USING (page)`,
  );
  const findBlocks = prepareArrays<readonly [row: number, first: number, lines: Uint8Array]>(
    db,
    `SELECT value, first, lines
      FROM json_each(?) CROSS JOIN blocks ON first = (SELECT max(first) FROM blocks WHERE first <= value)`,
  );

  return {
    count,
    averageLength,
    model: meta.get("model") ?? "",
    ...preparePostings(db),
    spellings(word) {
      const range = spellingRange(word);
      if (range === undefined) return [];
      return nearestTerms(word, findSpellings(range.from, range.before, range.shortest, range.longest));
    },
    candidates: (rows) => findRows(JSON.stringify(rows)).map(toCandidate),
    passages(rows) {
      const blocks = new Map<number, Buffer>();
      return findBlocks(JSON.stringify(rows)).map(([row, first, packed]) => {
        const lines = blocks.get(first) ?? zstdDecompressSync(packed);
        blocks.set(first, lines);
        const line = lineAt(lines, row - first);
        return [row, { value: readPassage(line), bytes: line.length }] as const;
      });
    },
    close: () => db.close(),
  };
}

type StoredRow = readonly [
  row: number,
  id: string,
  url: string,
  tokens: number,
  belowTitle: number,
  lengths: Uint8Array,
  meaning: Uint8Array,
];

/** Estimated bytes of a candidate without the address of its page. */
const candidateSize = 100;
/** Estimated bytes of a term without its rows. Terms without rows are cached as well. */
const termSize = 200;

/** Prepares a statement that returns rows as arrays, which are faster than objects. */
function prepareArrays<Row>(db: DatabaseSync, statement: string): (...values: SQLInputValue[]) => readonly Row[] {
  const prepared = db.prepare(statement);
  prepared.setReturnArrays(true);
  return (...values) => prepared.all(...values) as unknown as readonly Row[];
}

function preparePostings(db: DatabaseSync): Pick<PassageFile, "rowLengths" | "rowsOf"> {
  const segments = db.prepare("SELECT segment, lengths FROM segments ORDER BY segment").all();
  // Written by build-worker.ts as the bytes of a Uint32Array.
  const bytes = Buffer.concat(segments.map((segment) => segment["lengths"] as Uint8Array));
  const lengths = new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(lengths.length, 1);
  const findLists = prepareArrays<readonly [term: string, list: Uint8Array]>(
    db,
    "SELECT term, list FROM json_each(?) CROSS JOIN postings ON segment = ? AND term = value",
  );
  return {
    rowLengths: { lengths, average },
    rowsOf(terms) {
      const names = JSON.stringify(terms);
      const lists = new Map<string, Uint8Array[]>(terms.map((term) => [term, []]));
      for (const { segment } of segments)
        for (const [term, list] of findLists(names, segment ?? null)) lists.get(term)?.push(list);
      return Array.from(lists, ([term, ofTerm]) => {
        const value = readRows(ofTerm);
        return [term, { value, bytes: termSize + 8 * value.places.length }] as const;
      });
    },
  };
}

function toCandidate(stored: StoredRow): readonly [number, Sized<Candidate>] {
  const [row, id, pageUrl, tokens, belowTitle, packed, signed] = stored;
  const lengths = unpackVarints(packed);
  const meaning = new Int8Array(signed.buffer, signed.byteOffset, signed.length);
  const value = { id, pageUrl, belowTitle: belowTitle === 1, lengths, tokens, meaning };
  return [row, { value, bytes: candidateSize + pageUrl.length + meaning.length }];
}

/** The line with a number, from 0. */
function lineAt(lines: Buffer, number: number): string {
  let start = 0;
  for (let line = 0; line < number; line++) start = lines.indexOf(lineBreak, start) + 1;
  return lines.toString("utf8", start, lines.indexOf(lineBreak, start));
}

/** A value with the size of its stored data, at least one byte. */
export interface Sized<T> {
  readonly value: T;
  readonly bytes: number;
}

/** The wanted values, from the cache; missing ones are read together. Undefined for values that do not exist. */
export function recall<T extends object, Wanted, Key extends string | number>(
  cache: LRUCache<Key, T>,
  wanted: readonly Wanted[],
  keyOf: (one: Wanted) => Key,
  read: (missing: readonly Wanted[]) => Values<Wanted, T>,
): readonly (T | undefined)[] {
  const cached = wanted.map((one) => cache.get(keyOf(one)));
  const missing = wanted.filter((_, at) => cached[at] === undefined);
  if (missing.length === 0) return cached;
  const added = new Map<Wanted, T>();
  for (const [one, { value, bytes }] of read(missing)) {
    cache.set(keyOf(one), value, { size: bytes });
    added.set(one, value);
  }
  return wanted.map((one, at) => cached[at] ?? added.get(one));
}
