import { randomUUID } from "node:crypto";
import { lstat, opendir, readFile, rename, rm, rmdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { diskFailure, Failure } from "../../domain/failures.ts";
import type { BlobStore } from "../../domain/ports.ts";
import { codeOf, makeFolder, syncFolder, writeWhole } from "./durable-files.ts";
import { parseKey, parsePrefix } from "./keys.ts";

/**
 * Stores each blob as one file, with its key as the path below `folder`, which is created on demand. Only one store may write a key
 * at a time; the last write wins.
 * Methods @throws Failure service_unavailable if the disk is full, internal_error for an invalid key
 */
export function createFolderBlobStore({ folder }: { folder: string }): BlobStore {
  const root = resolve(folder);
  // Keys cannot contain "~", so this is never the path of a blob.
  const temporary = join(root, "~tmp");
  const pendingFolders = new Set<Promise<void>>();

  const makeTracked = async (path: string): Promise<void> => {
    const pending = makeFolder(root, path);
    pendingFolders.add(pending);
    try {
      await pending;
    } finally {
      pendingFolders.delete(pending);
    }
  };

  /** Writes a blob, and creates its folder if it is missing or was just removed with its last blob. */
  const place = async (path: string, bytes: Uint8Array, triesLeft = 5): Promise<void> => {
    try {
      await writeWhole(path, join(temporary, randomUUID()), bytes);
    } catch (error) {
      if (codeOf(error) !== "ENOENT" || triesLeft === 0) throw error;
      await makeTracked(temporary);
      await makeTracked(dirname(path));
      await place(path, bytes, triesLeft - 1);
    }
  };

  return {
    async put(key, bytes) {
      const path = join(root, parseKey(key));
      try {
        await place(path, bytes);
        await syncFolder(dirname(path));
        // A concurrent put may have created parent folders without having fsynced them yet.
        await Promise.all(pendingFolders);
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
        const stat = await lstat(join(root, key)).catch(absentAsUndefined);
        if (stat) yield { key, bytes: stat.size, at: stat.mtimeMs };
      }
    },

    async removeAll(prefix) {
      // With the trailing slash, a blob of the same name is not mistaken for the folder.
      const path = join(root, parsePrefix(prefix));
      const removed = join(temporary, randomUUID());
      if (!(await isFolder(path))) return;
      await makeTracked(temporary);
      try {
        // Moved away first: even if the process is killed, readers see all of it or nothing.
        await rename(path, removed);
      } catch (error) {
        // A concurrent removal was faster.
        if (isAbsent(error)) return;
        throw error;
      }
      await rm(removed, { recursive: true, force: true });
      await removeEmpty(root, dirname(path));
    },

    async sweepTemporary(olderThan) {
      for await (const { name } of entriesOf(temporary)) {
        const path = join(temporary, name);
        const stat = await lstat(path).catch(absentAsUndefined);
        if (stat && stat.mtimeMs < olderThan) await rm(path, { recursive: true, force: true });
      }
    },
  };
}

/** Lists the keys below a prefix; one folder per level is open at a time. */
async function* listFiles(root: string, prefix: string): AsyncGenerator<string> {
  for await (const entry of entriesOf(join(root, prefix))) {
    if (entry.isDirectory()) yield* listFiles(root, `${prefix}${entry.name}/`);
    else if (entry.isFile()) yield prefix + entry.name;
  }
}

/** The entries of a folder; empty if it does not exist. */
async function* entriesOf(path: string) {
  const folder = await opendir(path).catch(absentAsUndefined);
  if (folder) yield* folder;
}

/** Removes empty folders, from `path` up to the child of `root`. */
async function removeEmpty(root: string, path: string): Promise<void> {
  for (let empty = path; empty !== root; empty = dirname(empty)) {
    try {
      await rmdir(empty);
    } catch (error) {
      // Not empty (EEXIST on some systems), or a concurrent removal was faster.
      if (isAbsent(error) || codeOf(error) === "ENOTEMPTY" || codeOf(error) === "EEXIST") return;
      throw error;
    }
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(absentAsUndefined))?.isDirectory() ?? false;
}

/** Whether a path does not exist; ENOTDIR: one of its segments is a file. */
function isAbsent(error: unknown): boolean {
  return codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";
}

function absentAsUndefined(error: unknown): undefined {
  if (!isAbsent(error)) throw error;
}

/**
 * Converts an error of a write to a Failure; returns unexpected ones as they are. Readers of the library see the message, so the
 * path is only in the cause, for the log.
 */
function toFailure(error: unknown, key: string): unknown {
  const code = codeOf(error);
  // EFBIG: the process exceeded its file size limit.
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
