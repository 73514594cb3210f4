import { DatabaseSync } from "node:sqlite";

/** A lock of the operating system. Keep a reference: garbage collection would release it. */
export interface FileLock {
  /** Idempotent. */
  release(): void;
}

/**
 * Locks a file, which is created if needed, until the process ends in any way; undefined where another process, or this one, has it.
 * SQLite locks as the operating system does (fcntl), needs no native module and excludes a second lock within one process too. Nothing
 * else may open the file in this process: closing it would release the lock.
 */
export function lockFile(path: string): FileLock | undefined {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  return {
    release: () => {
      if (database.isOpen) database.close();
    },
  };
}

/** SQLITE_BUSY, 5: another process has the lock (https://sqlite.org/rescode.html#busy). */
function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === 5;
}
