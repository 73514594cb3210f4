import type { ContentKind } from "../../domain/passage.ts";
import { analyserVersion } from "../ranking/analyse-text.ts";

/** Version of the layout and of the analysis. A file of another version counts as not loaded. */
export const passageFormat = `10.${analyserVersion}`;

/**
 * Layout of a passage file. Each passage is a row, numbered from 1 in the order of the generation. `user_version` of SQLite's
 * header is the file's checksum (damage.ts).
 *
 * - `postings`: the list of each term in each segment (consecutive rows), in the format of postings.ts, and its number of rows.
 *   Terms of the field `facets` are kinds of content and languages.
 * - `segments`: the number of terms of each row of the segment, in 32 bits each.
 * - `passages`: other data for ranking; `lengths` has the number of terms of each field as varints, `meaning` its signed bytes:
 *   those of the table, then those of the embedding, if the file has a `model`.
 * - `pages`: the address of each page.
 * - `blocks`: the JSON lines of consecutive rows, compressed together, by the first row.
 *
 * Building: parse threads turn batches of lines into rows (passage-rows.ts); one thread writes them (build.ts, build-worker.ts)
 * and merges their posting lists into segments (building-postings.ts). Reading: passage-file.ts, postings.ts, best-rows.ts.
 */
export const passageSchema = `
  CREATE TABLE postings(
    segment INTEGER NOT NULL, term TEXT NOT NULL, frequency INTEGER NOT NULL, list BLOB NOT NULL
  );
  CREATE TABLE segments(segment INTEGER PRIMARY KEY, lengths BLOB NOT NULL);
  CREATE TABLE passages(
    row INTEGER PRIMARY KEY, id TEXT NOT NULL, page INTEGER NOT NULL,
    tokens INTEGER NOT NULL, belowTitle INTEGER NOT NULL, lengths BLOB NOT NULL,
    meaning BLOB NOT NULL
  );
  CREATE TABLE pages(page INTEGER PRIMARY KEY, url TEXT NOT NULL);
  CREATE TABLE blocks(first INTEGER PRIMARY KEY, lines BLOB NOT NULL);
  CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
`;

/** The index of lists, created when all are written: sorting them at once is faster than inserting them one by one. */
export const postingIndex = "CREATE INDEX postings_of_term ON postings(term, segment, frequency)";

/** The term of `facets` for passages with this kind of content. */
export function kindFacet(kind: ContentKind): string {
  return `kind=${kind}`;
}

/** The term of `facets` for passages with code in this language; in hex, as a language may be any text. */
export function languageFacet(language: string): string {
  return `language=${Buffer.from(language.slice(0, 100)).toString("hex")}`;
}
