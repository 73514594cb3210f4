import type { ContentKind } from "../../domain/passage.ts";
import { analyserVersion } from "../../ranking/analyse.ts";

/** Version of the file's layout and of the analysis behind it. A file of another one counts as not loaded. */
export const passageFormat = `8.${analyserVersion}`;

/**
 * Layout of a passage file. `postings` has the list of each term in each segment (a run of rows), with the number of rows
 * in it, and `segments` how many terms each of its rows has; identifiers are among the terms of prose and code, and the
 * field `facets` makes kind and language part of the look-up. `passages` has what ranking needs of a row besides, in
 * `lengths` how many terms each of its fields has; `pages` the address of each page. `blocks` has compressed runs of
 * the passages' own JSON lines by their first row.
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

/** How lists are found. It is made when all lists are there: sorting them at once is quicker than writing each in its place. */
export const postingIndex = "CREATE INDEX postings_of_term ON postings(term, segment, frequency)";

/** The token of `facets` that a passage which has this kind of content has. */
export function kindFacet(kind: ContentKind): string {
  return `kind=${kind}`;
}

/** The token of `facets` that a passage with code in this language has; hex, since a language may be any text. */
export function languageFacet(language: string): string {
  return `language=${Buffer.from(language.slice(0, 100)).toString("hex")}`;
}
