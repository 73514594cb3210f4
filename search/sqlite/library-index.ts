import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { diskFailure, Failure } from "../../domain/failures.ts";
import { foldId } from "../../domain/library.ts";
import type { LibraryEntry, LibraryIndex } from "../../domain/ports.ts";
import { analyserVersion } from "../../ranking/analyse.ts";
import { errorsBetween, oneErrorFrom, toleratedErrors, trigramsOf } from "../../ranking/names.ts";
import { keysOf, readLookUp, wordsOf } from "../library-words.ts";
import type { LibraryLookUp } from "../library-words.ts";

/** Version of the layout and the analysis. A file of another version is emptied, and filled again by announcing. */
const format = `3.${analyserVersion}`;

/** Maximum number of names with the same beginning that are compared with a misspelt one. */
const maxResembling = 2000;
/** Maximum length of a name that is searched for inside others. */
const maxPartLength = 24;
/** Maximum number of terms of which one is enough if nothing else is found. */
const maxTerms = 4;
/** Begins names that are written backwards. */
const backwardsMark = "\\";
/** The term in `owner` of private libraries. */
const ownedPrivately = "private=";

const schema = `
  CREATE TABLE entries(
    row INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, teamspace TEXT NOT NULL, id TEXT NOT NULL,
    snippets INTEGER NOT NULL, entry TEXT NOT NULL
  );
  CREATE INDEX entries_by_id ON entries(teamspace, id);
  CREATE TABLE names(
    teamspace TEXT NOT NULL, name TEXT NOT NULL, row INTEGER NOT NULL REFERENCES entries(row), snippets INTEGER NOT NULL,
    claimed INTEGER NOT NULL, PRIMARY KEY (teamspace, name, row)
  ) WITHOUT ROWID;
  CREATE INDEX names_by_row ON names(row);
  CREATE VIRTUAL TABLE lookup USING fts5(
    trigrams, words, owner,
    content='', contentless_delete=1, tokenize="ascii tokenchars '+#._-='"
  );
  INSERT INTO lookup(lookup, rank) VALUES ('rank', 'bm25(1, 1, 0)');
  CREATE TABLE meta(format TEXT NOT NULL);
`;

export interface SqliteLibraryIndex extends LibraryIndex {
  close(): void;
}

/**
 * Libraries in one SQLite file: by ID, by exact name and prefix, by trigrams of the name for misspelt ones, and by the
 * words of name and description.
 * @throws Failure search_failed if the file cannot be used
 */
export function createSqliteLibraryIndex({ file }: { readonly file: string }): SqliteLibraryIndex {
  const db = answering(() => openDatabase(file));
  const rowOf = db.prepare("SELECT row FROM entries WHERE uid = ?");
  const addEntry = db.prepare("INSERT INTO entries(uid, teamspace, id, snippets, entry) VALUES (?, ?, ?, ?, ?)");
  const addName = db.prepare("INSERT OR IGNORE INTO names VALUES (?, ?, ?, ?, ?)");
  const addLookup = db.prepare("INSERT INTO lookup(rowid, trigrams, words, owner) VALUES (?, ?, ?, ?)");
  const removals = ["lookup WHERE rowid", "names WHERE row", "entries WHERE row"].map((rows) =>
    db.prepare(`DELETE FROM ${rows} = ?`),
  );
  const owners = "(SELECT value FROM json_each(:owners))";
  const byId = db.prepare(
    `SELECT row FROM entries WHERE teamspace IN ${owners} AND id IN (SELECT value FROM json_each(:ids))`,
  );
  const byName = db.prepare(
    `SELECT row FROM names WHERE teamspace IN ${owners} AND name IN (SELECT value FROM json_each(:names))
     ORDER BY claimed, length(name) DESC LIMIT :limit`,
  );
  const byPrefix = db.prepare(`
    SELECT row FROM names
    WHERE teamspace IN ${owners} AND name >= :name AND name < :name || char(0x10ffff)
    ORDER BY snippets DESC, row LIMIT :limit
  `);
  const byMatch = db.prepare("SELECT rowid AS row FROM lookup WHERE lookup MATCH :match ORDER BY rank LIMIT :limit");
  const byBeginning = db.prepare(`
    SELECT row, name FROM names
    WHERE teamspace IN ${owners} AND name >= :start AND name < :start || char(0x10ffff) AND length(name) >= :least
    LIMIT ${maxResembling}
  `);
  const readEntry = db.prepare("SELECT entry FROM entries WHERE row = ?");
  const entriesOf = db.prepare("SELECT entry FROM entries WHERE uid IN (SELECT value FROM json_each(?))");
  const readUids = db.prepare("SELECT uid FROM entries ORDER BY uid");

  return {
    async put(entry) {
      answering(() =>
        inTransaction(db, () => {
          removeRow(entry.uid);
          const { teamspace } = entry.key;
          const { lastInsertRowid: row } = addEntry.run(
            entry.uid,
            teamspace,
            foldId(entry.id),
            entry.totalSnippets,
            JSON.stringify(entry),
          );
          const { own, claimed } = keysOf(entry);
          const keys = [...own, ...claimed];
          for (const [at, key] of keys.entries()) {
            const isClaimed = at < own.length ? 0 : 1;
            addName.run(teamspace, key, row, entry.totalSnippets, isClaimed);
            if (!key.startsWith("/")) addName.run(teamspace, backwards(key), row, entry.totalSnippets, isClaimed);
          }
          const trigrams = new Set(keys.filter((key) => !key.startsWith("/")).flatMap(trigramsOf));
          const owner = teamspace === "" ? "" : `${ownedPrivately} ${ownerToken(teamspace)}`;
          addLookup.run(row, [...trigrams].join(" "), wordsOf(entry).join(" "), owner);
        }),
      );
    },
    async remove(uid) {
      answering(() => inTransaction(db, () => removeRow(uid)));
    },
    async candidates(teamspaces, name, query, limit) {
      return answering(() => {
        const rows = lookUp(teamspaces, readLookUp(name, query), limit);
        return rows.map((row) => JSON.parse(String(readEntry.get(row)?.["entry"])) as LibraryEntry);
      });
    },
    async entries(uids) {
      return answering(() =>
        entriesOf.all(JSON.stringify(uids)).map(({ entry }) => JSON.parse(String(entry)) as LibraryEntry),
      );
    },
    async uids() {
      return answering(() => readUids.all().map(({ uid }) => String(uid)));
    },
    close() {
      db.close();
    },
  };

  function removeRow(uid: string): void {
    const row = rowOf.get(uid)?.["row"];
    if (row === undefined) return;
    for (const removal of removals) removal.run(row);
  }

  /** Rows of libraries that may be meant, the most certain kinds of match first. */
  function lookUp(teamspaces: readonly string[], sought: LibraryLookUp, limit: number): readonly number[] {
    const owners = JSON.stringify(teamspaces);
    const quarter = Math.ceil(limit / 4);
    const found = new Set<number>();
    const add = (rows: Iterable<number>): void => {
      for (const row of rows) if (found.size < limit) found.add(row);
    };
    const named = (names: readonly string[]) => rowsOf(byName.all({ owners, names: JSON.stringify(names), limit }));

    add(rowsOf(byId.all({ owners, ids: JSON.stringify(sought.ids) })));
    const exact = named(sought.whole);
    add(exact);
    if (sought.name === "") return [...found];
    const core = joined("words", "AND", sought.core);
    add(matching(teamspaces, [core, joined("words", "OR", sought.topics)], quarter));
    add(named(sought.parts));
    add(rowsOf(byPrefix.all({ owners, name: sought.name, limit: quarter })));
    // A name that exists is not taken for a misspelt one.
    if (exact.length > 0) return [...found];
    add(named(sought.resembled.flatMap(oneErrorFrom)));
    for (const name of sought.resembled) add(resembling(owners, name));
    add(matching(teamspaces, [core], quarter));
    if (found.size < quarter && sought.name.length <= maxPartLength)
      add(matching(teamspaces, [joined("trigrams", "AND", trigramsOf(sought.name).slice(1, -1))], quarter));
    const some = sought.terms.slice(0, maxTerms);
    if (found.size < quarter) add(matching(teamspaces, [joined("words", "OR", some)], quarter));
    return [...found];
  }

  /** Rows with a name that begins or ends like this one, and that differs from it, as a whole or in its beginning, by few errors. */
  function* resembling(owners: string, name: string): Iterable<number> {
    const half = name.slice(0, Math.max(3, name.length >> 1));
    const end = backwards(name.slice(-Math.max(3, name.length >> 1)));
    if (name.length <= half.length) return;
    for (const start of [half, end]) {
      for (const { row, name: found } of byBeginning.all({ owners, start, least: name.length - 3 })) {
        const one = start === half ? String(found) : backwards(String(found));
        const spellings = [one, one.slice(0, name.length + 1), one.slice(0, name.length)];
        if (spellings.some((spelled) => errorsBetween(name, spelled, toleratedErrors(name, spelled)) !== Infinity))
          yield Number(row);
      }
    }
  }

  /** Rows that match all conditions, of each teamspace (`""`: everybody's), the best of each first. */
  function matching(
    teamspaces: readonly string[],
    conditions: readonly (string | undefined)[],
    limit: number,
  ): readonly number[] {
    if (conditions.includes(undefined)) return [];
    const all = `(${conditions.join(" AND ")})`;
    return teamspaces.flatMap((teamspace) => {
      const whose = teamspace === "" ? `NOT owner : "${ownedPrivately}"` : `AND owner : "${ownerToken(teamspace)}"`;
      return rowsOf(byMatch.all({ match: `${all} ${whose}`, limit }));
    });
  }
}

function openDatabase(file: string): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true });
  const db = new DatabaseSync(file, { timeout: 5000 });
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
  inTransaction(db, () => {
    const tables = db
      .prepare("SELECT name FROM sqlite_schema WHERE name IN ('meta', 'lookup', 'names', 'entries')")
      .all();
    const known = tables.some(({ name }) => name === "meta") && db.prepare("SELECT format FROM meta").get()?.["format"];
    if (known === format) return;
    for (const table of ["meta", "lookup", "names", "entries"]) db.exec(`DROP TABLE IF EXISTS ${table}`);
    db.exec(schema);
    db.prepare("INSERT INTO meta VALUES (?)").run(format);
  });
  return db;
}

function inTransaction(db: DatabaseSync, work: () => void): void {
  db.exec("BEGIN IMMEDIATE");
  try {
    work();
    db.exec("COMMIT");
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

function answering<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const disk = diskFailure(cause);
    if (disk !== undefined) throw disk;
    const message =
      "The library index cannot be used. Try again; if it stays so, stop the server, remove libraries.sqlite and start again: the index is made anew.";
    throw new Failure("search_failed", message, { cause });
  }
}

function backwards(name: string): string {
  if (name.startsWith(backwardsMark)) return Array.from(name.slice(1)).toReversed().join("");
  return backwardsMark + Array.from(name).toReversed().join("");
}

function rowsOf(found: readonly Record<string, unknown>[]): number[] {
  return found.map(({ row }) => Number(row));
}

function ownerToken(teamspace: string): string {
  return `owner=${Buffer.from(teamspace).toString("hex")}`;
}

/** An FTS5 condition on a column; undefined if there are no terms. */
function joined(column: string, operator: "AND" | "OR", terms: readonly string[]): string | undefined {
  if (terms.length === 0) return undefined;
  return `${column} : (${terms.map((term) => `"${term.replaceAll('"', '""')}"`).join(` ${operator} `)})`;
}
