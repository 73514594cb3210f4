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
export async function makeFolder(root: string, folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  const rootIsNew = first !== undefined && !resolve(first).startsWith(resolve(root) + sep);
  const changed = [rootIsNew ? dirname(resolve(first)) : resolve(root)];
  for (const name of relative(changed[0] ?? root, folder)
    .split(sep)
    .slice(0, -1)) {
    changed.push(resolve(changed.at(-1) ?? root, name));
  }
  await Promise.all(changed.map(syncFolder));
}
