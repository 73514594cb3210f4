import type { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { Failure } from "../../domain/failures.ts";
import { foldId } from "../../domain/library.ts";
import type { ContentFilter, ContentMatches, LibraryEntry, LibraryIndex, Question } from "../../domain/ports.ts";
import { errorsBetween, oneErrorFrom, toleratedErrors, trigramsOf } from "../ranking/names.ts";
import { contentOf, type LibraryContent } from "../library-content.ts";
import { incomplete, keysOf, readLookUp, wordsOf, type LibraryLookUp } from "../library-search.ts";
import { openContents } from "./library-contents.ts";
import { clearFile, inTransaction, openLibraryFile, sealLibraryFile, writtenAt } from "./library-file.ts";
import { isOutage, toFailure } from "./damage.ts";

/** Maximum number of names with the same beginning or end that are compared with a misspelt one. */
const maxResembling = 2000;
/** Maximum length of a name that is searched inside others. */
const maxPartLength = 24;
/** Maximum number of terms in the last search, in which one of them is enough. */
const maxTerms = 4;
/** First character of reversed names. */
const backwardsMark = "\\";
/** The term in `owner` of private libraries. */
const ownedPrivately = "private=";

export interface SqliteLibraryIndex extends Required<LibraryIndex> {
  close(): void;
}

export interface SqliteLibraryIndexOptions {
  readonly file: string;
  /** False: libraries exist already, which a created file lacks. */
  readonly isFirst?: boolean;
  /** Called when a damaged file is recreated. */
  readonly onLost?: (cause: unknown) => void;
}

/**
 * Libraries in one SQLite file: by ID, by exact name and prefix, by trigrams of the name for misspelt ones, and by the words of
 * name and description. A file that is damaged, or that another program has written to, is recreated, and answers no search until
 * all entries were put again.
 * @throws Failure search_failed if the file cannot be used
 */
export function createSqliteLibraryIndex(options: SqliteLibraryIndexOptions): SqliteLibraryIndex {
  const { file, isFirst = true, onLost = () => {} } = options;
  let index = open(isFirst);
  let stamp = writtenAt(file);

  return {
    put: async (entry, subject) => writing(() => index.put(entry, contentOf(entry, subject))),
    remove: async (uid) => writing(() => index.remove(uid)),
    candidates: async (...sought) => reading(() => index.candidates(...sought)),
    async byContent(question, filter) {
      while (!reading(() => index.readContents())) await nextTurn();
      return reading(() => index.byContent(question, filter));
    },
    entries: async (uids) => reading(() => index.entries(uids)),
    uids: async () => using(() => index.uids()),
    isWhole: async () => using(() => index.isWhole()),
    complete: async () => writing(() => index.complete()),
    close() {
      if (writtenAt(file) !== stamp) return index.close();
      index.close();
      sealLibraryFile(file);
    },
  };

  function open(isWhole: boolean): OpenIndex {
    return reporting(() => {
      try {
        return openIndex(openLibraryFile(file, isWhole));
      } catch (error) {
        if (isOutage(error)) throw error;
        return recreate(error);
      }
    });
  }

  function recreate(cause: unknown): OpenIndex {
    onLost(cause);
    clearFile(file);
    return openIndex(openLibraryFile(file, false));
  }

  function checkUntouched(): void {
    if (writtenAt(file) !== stamp) throw new Error("Another program has written to the file.");
  }

  function using<T>(use: () => T): T {
    return reporting(() => {
      try {
        checkUntouched();
        const result = use();
        checkUntouched();
        return result;
      } catch (error) {
        if (error instanceof Failure || isOutage(error)) throw error;
        index.close();
        index = recreate(error);
        stamp = writtenAt(file);
        return use();
      }
    });
  }

  function reading<T>(read: () => T): T {
    return using(() => {
      if (!index.isWhole()) throw incomplete();
      return read();
    });
  }

  function writing(write: () => void): void {
    using(() => {
      try {
        write();
      } finally {
        // A failed write, as on a full disk, may have changed the file too.
        stamp = writtenAt(file);
      }
    });
  }
}

type OpenIndex = ReturnType<typeof openIndex>;

function openIndex(db: DatabaseSync) {
  const contents = openContents(db);
  const rowOf = db.prepare("SELECT row FROM entries WHERE uid = ?");
  const addEntry = db.prepare(
    "INSERT INTO entries(uid, teamspace, id, snippets, entry, sum) VALUES (?, ?, ?, ?, ?, ?)",
  );
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
  const readEntry = db.prepare("SELECT entry, sum FROM entries WHERE row = ?");
  const entriesOf = db.prepare("SELECT entry, sum FROM entries WHERE uid IN (SELECT value FROM json_each(?))");
  const readUids = db.prepare("SELECT uid FROM entries ORDER BY uid");
  const readWhole = db.prepare("SELECT whole FROM meta");

  return {
    put: (entry: LibraryEntry, content: LibraryContent): void =>
      changing(() => {
        removeRow(entry.uid);
        const { teamspace } = entry.key;
        const json = JSON.stringify(entry);
        const values = [entry.uid, teamspace, foldId(entry.id), entry.totalSnippets, json, crc32(json)] as const;
        const { lastInsertRowid: row } = addEntry.run(...values);
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
        contents.put(Number(row), teamspace, content);
      }),
    remove: (uid: string): void => changing(() => removeRow(uid)),
    candidates(teamspaces: readonly string[], name: string, query: string, limit: number): LibraryEntry[] {
      const rows = lookUp(teamspaces, readLookUp(name, query), limit);
      return rows.map((row) => toEntry(readEntry.get(row)));
    },
    readContents: contents.readSome,
    byContent(question: Question, filter: ContentFilter): ContentMatches {
      const only = filter.uids?.flatMap((uid) => rowOf.get(uid)?.["row"] ?? []).map(Number);
      const { contents: found, ...statistics } = contents.find(question, filter, only);
      const libraries = found.map(({ row, ...content }) => ({ entry: toEntry(readEntry.get(row)), ...content }));
      return { ...statistics, libraries };
    },
    entries: (uids: readonly string[]): LibraryEntry[] => entriesOf.all(JSON.stringify(uids)).map(toEntry),
    uids: (): string[] => readUids.all().map(({ uid }) => String(uid)),
    isWhole: (): boolean => readWhole.get()?.["whole"] === 1,
    complete: (): void => db.exec("UPDATE meta SET whole = 1"),
    close: (): void => void (db.isOpen && db.close()),
  };

  function changing(change: () => void): void {
    try {
      inTransaction(db, change);
    } catch (error) {
      contents.forget();
      throw error;
    }
  }

  function removeRow(uid: string): void {
    const row = rowOf.get(uid)?.["row"];
    if (row === undefined) return;
    contents.remove(Number(row));
    for (const removal of removals) removal.run(row);
  }

  /** Rows of libraries that may match, the most certain kinds of match first. */
  function lookUp(teamspaces: readonly string[], sought: LibraryLookUp, limit: number): readonly number[] {
    const owners = JSON.stringify(teamspaces);
    const quarter = Math.ceil(limit / 4);
    const rows = new Set<number>();
    const add = (more: Iterable<number>): void => {
      for (const row of more) if (rows.size < limit) rows.add(row);
    };
    const named = (names: readonly string[]) => rowsOf(byName.all({ owners, names: JSON.stringify(names), limit }));

    add(rowsOf(byId.all({ owners, ids: JSON.stringify(sought.ids) })));
    const exact = named(sought.whole);
    add(exact);
    if (sought.name === "") return [...rows];
    const core = joined("words", "AND", sought.core);
    add(matching(teamspaces, [core, joined("words", "OR", sought.topics)], quarter));
    add(named(sought.parts));
    add(rowsOf(byPrefix.all({ owners, name: sought.name, limit: quarter })));
    // An existing name is not misspelt.
    if (exact.length > 0) return [...rows];
    add(named(sought.resembled.flatMap(oneErrorFrom)));
    for (const name of sought.resembled) add(resembling(owners, name));
    add(matching(teamspaces, [core], quarter));
    if (rows.size < quarter && sought.name.length <= maxPartLength)
      add(matching(teamspaces, [joined("trigrams", "AND", trigramsOf(sought.name).slice(1, -1))], quarter));
    const some = sought.terms.slice(0, maxTerms);
    if (rows.size < quarter) add(matching(teamspaces, [joined("words", "OR", some)], quarter));
    return [...rows];
  }

  /** Rows with a name that begins or ends like this one, and of which all or the beginning differs by few errors. */
  function* resembling(owners: string, name: string): Iterable<number> {
    const half = name.slice(0, Math.max(3, name.length >> 1));
    const end = backwards(name.slice(-Math.max(3, name.length >> 1)));
    if (name.length <= half.length) return;
    for (const start of [half, end]) {
      for (const { row, name: indexed } of byBeginning.all({ owners, start, least: name.length - 3 })) {
        const one = start === half ? String(indexed) : backwards(String(indexed));
        const spellings = [one, one.slice(0, name.length + 1), one.slice(0, name.length)];
        if (spellings.some((spelled) => errorsBetween(name, spelled, toleratedErrors(name, spelled)) !== Infinity))
          yield Number(row);
      }
    }
  }

  /** Rows that match all conditions: for each teamspace (`""`: public) the best first. */
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

/** @throws Error if it is damaged */
function toEntry(row: Record<string, unknown> | undefined): LibraryEntry {
  const { entry, sum } = row ?? {};
  if (typeof entry !== "string" || crc32(entry) !== sum) throw new Error("An entry is damaged.");
  return JSON.parse(entry) as LibraryEntry;
}

function reporting<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const message =
      "The library index cannot be used. Try again; if that does not help, check that libraries.sqlite in the data folder belongs to this user.";
    throw toFailure(error, message);
  }
}

function backwards(name: string): string {
  if (name.startsWith(backwardsMark)) return Array.from(name.slice(1)).toReversed().join("");
  return backwardsMark + Array.from(name).toReversed().join("");
}

function rowsOf(results: readonly Record<string, unknown>[]): number[] {
  return results.map(({ row }) => Number(row));
}

function ownerToken(teamspace: string): string {
  return `owner=${Buffer.from(teamspace).toString("hex")}`;
}

/** An FTS5 condition on a column; undefined without terms. */
function joined(column: string, operator: "AND" | "OR", terms: readonly string[]): string | undefined {
  if (terms.length === 0) return undefined;
  return `${column} : (${terms.map((term) => `"${term.replaceAll('"', '""')}"`).join(` ${operator} `)})`;
}
