import { randomUUID } from "node:crypto";
import { mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { analyserVersion } from "../ranking/analyse-text.ts";
import { checksumIn, clearChecksum, hasItsChecksumNow, writeChecksum } from "./damage.ts";

/** Version of the layout and the analysis. A file of another version is recreated, and filled by announcing. */
const format = `5.${analyserVersion}`;

const schema = `
  CREATE TABLE entries(
    row INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, teamspace TEXT NOT NULL, id TEXT NOT NULL,
    snippets INTEGER NOT NULL, entry TEXT NOT NULL,
    sum INTEGER NOT NULL
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
  CREATE TABLE contents(
    row INTEGER PRIMARY KEY, teamspace TEXT NOT NULL, impacts TEXT NOT NULL, meaning BLOB NOT NULL,
    sum INTEGER NOT NULL
  );
  CREATE TABLE meta(format TEXT NOT NULL, whole INTEGER NOT NULL);
`;

/** Opens the file, or creates it. `isWhole`: a created file lacks nothing. @throws Error if it is damaged or inaccessible */
export function openLibraryFile(file: string, isWhole: boolean): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true });
  if (isFolder(file)) throw new Error("A folder is in its place.");
  const isSealed = checksumIn(file) !== 0;
  if (isSealed && !hasItsChecksumNow(file)) throw new Error("It has another checksum.");
  // Until it is closed properly.
  if (isSealed) clearChecksum(file);
  const db = new DatabaseSync(file, { timeout: 5000 });
  try {
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
    const result = isSealed ? "ok" : db.prepare("PRAGMA integrity_check(1)").get()?.["integrity_check"];
    if (result !== "ok") throw new Error(String(result));
    const tables = db.prepare("SELECT name FROM sqlite_schema").all();
    const isKnown = tables.some(({ name }) => name === "meta");
    if (isKnown && db.prepare("SELECT format FROM meta").get()?.["format"] === format) return db;
    inTransaction(db, () => {
      for (const table of ["meta", "contents", "lookup", "names", "entries"]) db.exec(`DROP TABLE IF EXISTS ${table}`);
      db.exec(schema);
      db.prepare("INSERT INTO meta VALUES (?, ?)").run(format, isWhole && tables.length === 0 ? 1 : 0);
    });
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Writes the checksum of a properly closed file, which is checked when it is opened. */
export function sealLibraryFile(file: string): void {
  if (!isFolder(file) && statSync(`${file}-wal`, { throwIfNoEntry: false }) === undefined) writeChecksum(file);
}

/** Removes the file. A folder in its place, which is not ours, is moved aside. */
export function clearFile(file: string): void {
  if (isFolder(file)) renameSync(file, `${file}.${randomUUID()}.old`);
  for (const ending of ["", "-wal", "-shm"]) rmSync(file + ending, { recursive: true, force: true });
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** A stamp that changes whenever the file, or its write-ahead log, is written. */
export function writtenAt(file: string): string {
  const stats = ["", "-wal"].map((ending) => statSync(file + ending, { throwIfNoEntry: false, bigint: true }));
  return stats.map((one) => `${one?.ino} ${one?.size} ${one?.mtimeNs}`).join(" ");
}

export function inTransaction(db: DatabaseSync, work: () => void): void {
  db.exec("BEGIN IMMEDIATE");
  try {
    work();
    db.exec("COMMIT");
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}
