import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, relative, resolve, sep } from "node:path";

/** Replaces a file atomically: written and fsynced under a temporary name in the same file system, then renamed. */
export async function writeWhole(file: string, temporary: string, content: Uint8Array | string): Promise<void> {
  try {
    await writeFlushed(temporary, content);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Makes a new file that only its owner may read, and flushes it; it must not exist. */
async function writeFlushed(file: string, content: Uint8Array | string): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Fsyncs a folder, so that a rename in it survives a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a folder with those above it, for the owner only, and flushes every entry from `root` (itself included) down. */
export async function makeFolder(root: string, folder: string, sync = syncFolder): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  const rootIsNew = first !== undefined && !resolve(first).startsWith(resolve(root) + sep);
  const changed = [rootIsNew ? dirname(resolve(first)) : resolve(root)];
  for (const name of relative(changed[0] ?? root, folder)
    .split(sep)
    .slice(0, -1)) {
    changed.push(resolve(changed.at(-1) ?? root, name));
  }
  await Promise.all(changed.map((each) => sync(each)));
}

/** `syncFolder` for many at once: calls that come while a folder is being flushed share the next flush. */
export function createFolderSync(): (folder: string) => Promise<void> {
  const running = new Map<string, Promise<void>>();
  const waiting = new Map<string, Promise<void>>();
  const begin = (folder: string): Promise<void> => {
    const flush = syncFolder(folder).finally(() => running.delete(folder));
    running.set(folder, flush);
    return flush;
  };
  const follow = async (folder: string, before: Promise<void>): Promise<void> => {
    await Promise.allSettled([before]);
    waiting.delete(folder);
    await begin(folder);
  };
  return (folder) => {
    const shared = waiting.get(folder);
    if (shared) return shared;
    const before = running.get(folder);
    if (!before) return begin(folder);
    const next = follow(folder, before);
    waiting.set(folder, next);
    return next;
  };
}
