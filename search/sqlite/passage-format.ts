import type { ContentKind } from "../../domain/passage.ts";
import { analyserVersion } from "../ranking/analyse.ts";

/** Version of the layout and of the analysis. A file of another version counts as not loaded. */
export const passageFormat = `9.${analyserVersion}`;

/**
 * Layout of a passage file. Each passage is a row, numbered from 1 in the order of the generation. `user_version` of SQLite's
 * header is the file's checksum (damage.ts).
 *
 * - `postings`: the list of each term in each segment, in the format of postings.ts, and how many rows have the term there.
 *   A segment is a stretch of rows. Terms of the field `facets` stand for kinds of content and languages.
 * - `segments`: how many terms each row of the segment has, as numbers of 32 bits.
 * - `passages`: what ranking needs of a row besides; `lengths` has the number of terms of each field as varints.
 * - `pages`: the address of each page.
 * - `blocks`: the passages' own JSON lines, consecutive rows compressed together, by the first row.
 *
 * How it is built: parse threads turn batches of lines into rows (passage-rows.ts); one thread writes
 * them (build.ts, build-worker.ts) and merges the posting lists of batches into segments (building-postings.ts).
 * How it is read: passage-file.ts, postings.ts, best-rows.ts.
 */
export const passageSchema = `
  CREATE TABLE postings(
    segment INTEGER NOT NULL, term TEXT NOT NULL, frequency INTEGER NOT NULL, list BLOB NOT NULL
  );
  CREATE TABLE segments(segment INTEGER PRIMARY KEY, lengths BLOB NOT NULL);
  CREATE TABLE passages(
    row INTEGER PRIMARY KEY, id TEXT NOT NULL, page INTEGER NOT NULL,
    tokens INTEGER NOT NULL, belowTitle INTEGER NOT NULL, lengths BLOB NOT NULL
  );
  CREATE TABLE pages(page INTEGER PRIMARY KEY, url TEXT NOT NULL);
  CREATE TABLE blocks(first INTEGER PRIMARY KEY, lines BLOB NOT NULL);
  CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
`;

/** By which lists are found. It is made when all lists are written: sorting them at once is faster than inserting one by one. */
export const postingIndex = "CREATE INDEX postings_of_term ON postings(term, segment, frequency)";

/** The term of `facets` for passages with this kind of content. */
export function kindFacet(kind: ContentKind): string {
  return `kind=${kind}`;
}

/** The term of `facets` for passages with code in this language; in hex, since a language may be any text. */
export function languageFacet(language: string): string {
  return `language=${Buffer.from(language.slice(0, 100)).toString("hex")}`;
}
