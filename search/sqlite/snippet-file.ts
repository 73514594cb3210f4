import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { StatementSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { zstdDecompressSync } from "node:zlib";
import type { Candidate, SearchField } from "../../domain/ports.ts";
import type { Snippet } from "../../domain/snippet.ts";
import { nearestTerms, spellingRange } from "../../ranking/spelling.ts";
import type { KnownTerm } from "../../ranking/spelling.ts";
import { fieldWeights } from "./best-rows.ts";
import type { RowLengths } from "./best-rows.ts";
import { readRows } from "./postings.ts";
import type { TermRows } from "./postings.ts";
import { snippetFormat } from "./snippet-format.ts";

const lineBreak = 10;

/** Something that was read, and how many bytes it was made of. */
export interface Sized<T> {
  readonly value: T;
  readonly bytes: number;
}

/** An open snippet file. All of it is synchronous; a question takes a millisecond or two. */
export interface SnippetFile {
  readonly count: number;
  /** Mean terms of each field. */
  readonly averageLength: Readonly<Record<SearchField, number>>;
  /** In how many rows each of the terms occurs. */
  frequencies(terms: readonly string[]): ReadonlyMap<string, number>;
  /** Terms that are spelt nearly like a word, with the number of rows. */
  spellings(word: string): readonly KnownTerm[];
  /** How long the rows are. */
  readonly rowLengths: RowLengths;
  /** The rows that a term stands in. */
  rowsOf(term: string): Sized<TermRows>;
  candidate(row: number): Sized<Candidate>;
  snippet(row: number): Sized<Snippet>;
  close(): void;
}

/** Opens a finished snippet file. Undefined where there is none, or one that this program cannot use: another format, a broken file. */
export function openSnippetFile(path: string): SnippetFile | undefined {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) return undefined;
  const url = pathToFileURL(path);
  url.searchParams.set("immutable", "1");
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(url, { readOnly: true });
    const file = prepareFile(db, size);
    if (file === undefined) db.close();
    return file;
  } catch (error) {
    db?.close();
    if (isDatabaseError(error)) return undefined;
    throw error;
  }
}

/** True for an error that SQLite itself reports. */
export function isDatabaseError(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_SQLITE_ERROR";
}

function prepareFile(db: DatabaseSync, size: number): SnippetFile | undefined {
  const meta = new Map(
    db
      .prepare("SELECT name, value FROM meta")
      .all()
      .map(({ name, value }) => [String(name), String(value)]),
  );
  if (meta.get("format") !== snippetFormat || !isWhole(db, size)) return undefined;
  const count = Number(meta.get("count"));
  // Written by our own writer, under this very format.
  const averageLength = JSON.parse(meta.get("averageLength") ?? "{}") as Record<SearchField, number>;

  const findFrequency = db.prepare("SELECT frequency FROM terms WHERE term = ?");
  const findSpellings = db.prepare(
    "SELECT term, frequency FROM terms WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?",
  );
  findSpellings.setReturnArrays(true);
  const findBlock = db.prepare("SELECT first, lines FROM blocks WHERE first <= ? ORDER BY first DESC LIMIT 1");
  const findRow = rowAsArray(
    db.prepare("SELECT id, kind, url, tokens, fields FROM snippets JOIN pages USING (page) WHERE row = ?"),
  );
  return {
    count,
    averageLength,
    ...preparePostings(db),
    frequencies: (terms) => new Map(terms.map((term) => [term, Number(findFrequency.get(term)?.["frequency"] ?? 0)])),
    spellings(word) {
      const range = spellingRange(word);
      if (range === undefined) return [];
      const rows = findSpellings.all(range.from, range.before, range.shortest, range.longest);
      return nearestTerms(word, rows as unknown as readonly KnownTerm[]);
    },
    candidate(row) {
      const found = findRow(row);
      if (found === undefined) throw missingRow(row);
      return toCandidate(found);
    },
    snippet(row) {
      const block = findBlock.get(row);
      if (!(block?.["lines"] instanceof Uint8Array)) throw missingRow(row);
      const line = lineAt(zstdDecompressSync(block["lines"]), row - Number(block["first"]));
      return { value: JSON.parse(line) as Snippet, bytes: line.length };
    },
    close: () => db.close(),
  };
}

function missingRow(row: number): Error {
  return new Error(`The snippet file has no row ${row}.`);
}

type FoundRow = readonly [id: string, kind: "code" | "info", url: string, tokens: number, fields: string];

/** Runs the statement for a row as an array, which is quicker to make than an object. */
function rowAsArray(statement: StatementSync): (row: number) => FoundRow | undefined {
  statement.setReturnArrays(true);
  return (row) => statement.get(row) as unknown as FoundRow | undefined;
}

function preparePostings(db: DatabaseSync): Pick<SnippetFile, "rowLengths" | "rowsOf"> {
  const segments = db.prepare("SELECT segment, lengths FROM segments ORDER BY segment").all();
  // Written by our own writer, as bytes of whole numbers.
  const bytes = Buffer.concat(segments.map((segment) => segment["lengths"] as Uint8Array));
  const lengths = new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(lengths.length, 1);
  const findList = db.prepare("SELECT list FROM postings WHERE segment = ? AND term = ?");
  return {
    rowLengths: { lengths, average },
    rowsOf(term) {
      const found = segments.map(({ segment }) => findList.get(segment ?? null, term)?.["list"]);
      const value = readRows(
        found.filter((list) => list instanceof Uint8Array),
        fieldWeights,
      );
      return { value, bytes: value.lists.length + 16 * value.rows.length };
    },
  };
}

function toCandidate([id, kind, pageUrl, tokens, texts]: FoundRow): Sized<Candidate> {
  const [title = "", breadcrumb = "", path = "", prose = "", code = "", identifiers = ""] = texts.split("\n");
  const fields = { title, breadcrumb, path, identifiers, prose, code } satisfies Record<SearchField, string>;
  return { value: { id, kind, fields, pageUrl, tokens }, bytes: texts.length };
}

/** Cuts out a line, and makes a string of no more than that. */
function lineAt(lines: Buffer, number: number): string {
  let start = 0;
  for (let line = 0; line < number; line++) start = lines.indexOf(lineBreak, start) + 1;
  return lines.toString("utf8", start, lines.indexOf(lineBreak, start));
}

/** A file that was cut short, by a full disk or a copy that broke off, is smaller than its own header says. */
function isWhole(db: DatabaseSync, size: number): boolean {
  const pages = Number(db.prepare("PRAGMA page_count").get()?.["page_count"]);
  const pageSize = Number(db.prepare("PRAGMA page_size").get()?.["page_size"]);
  return pages * pageSize === size;
}
