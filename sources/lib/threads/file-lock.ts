import { truncateSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** A lock of the operating system. Keep a reference: garbage collection would release it. */
export interface FileLock {
  /** Idempotent. */
  release(): void;
}

/**
 * Locks a file, which is created if needed, until the process ends in any way; undefined if it is locked, by this process too. SQLite uses
 * the locks of the operating system (fcntl), needs no native module and refuses a second lock in the same process. Nothing else in this
 * process may open the file: closing it would release the lock.
 */
export function lockFile(path: string): FileLock | undefined {
  return lock(path, true);
}

function lock(path: string, mayClear: boolean): FileLock | undefined {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    const code = error instanceof Error && "errcode" in error ? error.errcode : undefined;
    if (code === busy) return undefined;
    if (!mayClear || !damaged.has(code)) throw error;
    // SQLite locked the file to read it, so nobody else has the lock. The file has no content to lose.
    truncateSync(path, 0);
    return lock(path, false);
  }
  return {
    release: () => {
      if (database.isOpen) database.close();
    },
  };
}

/** SQLite's result codes: another process has the lock; the file is no database, or a damaged one (https://sqlite.org/rescode.html). */
const busy = 5;
const damaged: ReadonlySet<unknown> = new Set([11, 26]);
