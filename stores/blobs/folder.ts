import { randomUUID } from "node:crypto";
import { lstat, opendir, readFile, rename, rm, rmdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { diskFailure, Failure } from "../../domain/failures.ts";
import type { BlobStore } from "../../domain/ports.ts";
import { makeFolder, syncFolder, writeWhole } from "./durable-files.ts";
import { parseKey, parsePrefix } from "./keys.ts";

/**
 * Keeps every blob as one file, its key the path below `folder`, which is made when it is first needed. Only one store
 * may write a key at a time; the last one wins.
 * @throws Failure service_unavailable where the disk is full, internal_error for an invalid key
 */
export function createFolderBlobStore({ folder }: { folder: string }): BlobStore {
  const root = resolve(folder);
  // No key has a "~": no blob can be here.
  const temporary = join(root, "~tmp");
  const making = new Set<Promise<void>>();

  const make = async (path: string): Promise<void> => {
    const made = makeFolder(root, path);
    making.add(made);
    try {
      await made;
    } finally {
      making.delete(made);
    }
  };

  /** Writes a blob, and makes its folder if it is not there yet, or was just removed with its last blob. */
  const place = async (path: string, bytes: Uint8Array, triesLeft = 5): Promise<void> => {
    try {
      await writeWhole(path, join(temporary, randomUUID()), bytes);
    } catch (error) {
      if (codeOf(error) !== "ENOENT" || triesLeft === 0) throw error;
      await make(temporary);
      await make(dirname(path));
      await place(path, bytes, triesLeft - 1);
    }
  };

  return {
    async put(key, bytes) {
      const path = join(root, parseKey(key));
      try {
        await place(path, bytes);
        await syncFolder(dirname(path));
        // Another put may have made folders above it, and not flushed them yet.
        await Promise.all(making);
      } catch (error) {
        throw toFailure(error, key);
      }
    },

    async get(key) {
      try {
        return await readFile(join(root, parseKey(key)));
      } catch (error) {
        if (isAbsent(error) || codeOf(error) === "EISDIR") return undefined;
        throw error;
      }
    },

    list: (prefix) => listFiles(root, parsePrefix(prefix)),

    async *written(prefix) {
      for await (const key of listFiles(root, parsePrefix(prefix))) {
        const found = await lstat(join(root, key)).catch(absentAsUndefined);
        if (found) yield { key, bytes: found.size, at: found.mtimeMs };
      }
    },

    async removeAll(prefix) {
      // The closing slash stays: it keeps a blob of the same name from being taken for the folder.
      const path = join(root, parsePrefix(prefix));
      const removed = join(temporary, randomUUID());
      if (!(await isFolder(path))) return;
      await make(temporary);
      try {
        // Moved away first, so that a process killed half-way leaves all of it or nothing to readers.
        await rename(path, removed);
      } catch (error) {
        // Another removal was faster.
        if (isAbsent(error)) return;
        throw error;
      }
      await rm(removed, { recursive: true, force: true });
      await removeEmpty(root, dirname(path));
    },

    async sweepTemporary(olderThan) {
      for await (const name of namesIn(temporary)) {
        const path = join(temporary, name.name);
        const stat = await lstat(path).catch(absentAsUndefined);
        if (stat && stat.mtimeMs < olderThan) await rm(path, { recursive: true, force: true });
      }
    },
  };
}

/** Walks a folder, with one open folder a level in memory. */
async function* listFiles(root: string, prefix: string): AsyncGenerator<string> {
  for await (const entry of namesIn(join(root, prefix))) {
    if (entry.isDirectory()) yield* listFiles(root, `${prefix}${entry.name}/`);
    else if (entry.isFile()) yield prefix + entry.name;
  }
}

/** The entries of a folder; none where it does not exist, or no longer. */
async function* namesIn(path: string) {
  const folder = await opendir(path).catch(absentAsUndefined);
  if (folder) yield* folder;
}

/** Removes folders that have become empty, from `path` up to the one below `root`. */
async function removeEmpty(root: string, path: string): Promise<void> {
  for (let empty = path; empty !== root; empty = dirname(empty)) {
    try {
      await rmdir(empty);
    } catch (error) {
      // Not empty (EEXIST on some systems), or another removal was here first: nothing is left to do.
      if (isAbsent(error) || codeOf(error) === "ENOTEMPTY" || codeOf(error) === "EEXIST") return;
      throw error;
    }
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(absentAsUndefined))?.isDirectory() ?? false;
}

/** The code of a system error, such as ENOENT. */
function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

/** There is no such path; ENOTDIR where a part of it is a file. */
function isAbsent(error: unknown): boolean {
  return codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";
}

function absentAsUndefined(error: unknown): undefined {
  if (!isAbsent(error)) throw error;
}

/**
 * Names why a write failed; unexpected errors stay as they are. Where the folder lies is for the log
 * only, which has the cause: readers of the library see why a run has failed.
 */
function toFailure(error: unknown, key: string): unknown {
  const code = codeOf(error);
  // Also at the size that the process may give to one file.
  if (code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG") {
    const message = `No space left to store ${key}. Free disk space for BLOB_URL, or for DATA_DIR if that is not set.`;
    return new Failure("service_unavailable", message, { cause: error });
  }
  if (code === "EISDIR" || code === "ENOTDIR" || code === "EEXIST") {
    const message = `${key} cannot be stored: it is a folder of other blobs, or a blob is where its folder has to be.`;
    return new Failure("internal_error", message, { cause: error });
  }
  return diskFailure(error) ?? error;
}
