import { analyserVersion } from "../../ranking/analyse.ts";

/** Version of the file's layout and of the analysis behind it. A file of another one counts as not loaded. */
export const snippetFormat = `2.${analyserVersion}`;

/**
 * Layout of a snippet file. `lookup` holds no text: analysed terms go in, rows and bm25 come out; identifiers are among
 * the terms of prose and code, and the column `facets` makes kind and language part of the match, at no weight. `snippets` has what ranking needs of a row, `blocks`
 * compressed runs of the snippets' own JSON lines by their first row, `terms` exact document frequencies.
 */
export const snippetSchema = `
  CREATE VIRTUAL TABLE lookup USING fts5(
    title, breadcrumb, path, prose, code, facets,
    content='', tokenize="ascii tokenchars '+#._-='"
  );
  INSERT INTO lookup(lookup, rank) VALUES ('rank', 'bm25(4.5, 1.5, 1, 1, 1, 0)');
  CREATE TABLE snippets(
    row INTEGER PRIMARY KEY, id TEXT NOT NULL, kind TEXT NOT NULL, page INTEGER NOT NULL,
    tokens INTEGER NOT NULL, fields TEXT NOT NULL
  );
  CREATE TABLE pages(page INTEGER PRIMARY KEY, url TEXT NOT NULL);
  CREATE TABLE blocks(first INTEGER PRIMARY KEY, lines BLOB NOT NULL);
  CREATE TABLE terms(term TEXT PRIMARY KEY, frequency INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
`;

/** The token of `facets` that a snippet of this kind has. */
export function kindFacet(kind: "code" | "info"): string {
  return `kind=${kind}`;
}

/** The token of `facets` that a snippet with code in this language has; hex, since a language may be any text. */
export function languageFacet(language: string): string {
  return `language=${Buffer.from(language.slice(0, 100)).toString("hex")}`;
}
