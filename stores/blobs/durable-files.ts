import { mkdir, open, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, relative, resolve, sep } from "node:path";

/**
 * Replaces a file atomically: written and fsynced under a temporary name in the same file system, then renamed. Only its owner may read
 * it. There must be no file of the temporary name.
 */
export async function writeWhole(file: string, temporary: string, content: Uint8Array | string): Promise<void> {
  try {
    await writeFile(temporary, content, { flag: "wx", mode: 0o600, flush: true });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
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

/**
 * Makes a folder with those above it, for the owner only, and answers the first one made; undefined where all existed. Throws where none
 * can be made, as in /proc: Node's own `recursive` never ends there (24.21).
 */
export async function makeFolders(folder: string): Promise<string | undefined> {
  const path = resolve(folder);
  try {
    return await makeOne(path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT") || dirname(path) === path) throw error;
  }
  const above = await makeFolders(dirname(path));
  const made = await makeOne(path);
  return above ?? made;
}

/** Makes a folder; undefined where it exists. */
async function makeOne(path: string): Promise<string | undefined> {
  try {
    await mkdir(path, { mode: 0o700 });
    return path;
  } catch (error) {
    const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
    if (isThere && (await stat(path)).isDirectory()) return undefined;
    throw error;
  }
}

/** Makes a folder with those above it, for the owner only, and flushes every entry from `root` (itself included) down. */
export async function makeFolder(root: string, folder: string): Promise<void> {
  const first = await makeFolders(folder);
  const rootIsNew = first !== undefined && !resolve(first).startsWith(resolve(root) + sep);
  const changed = [rootIsNew ? dirname(resolve(first)) : resolve(root)];
  for (const name of relative(changed[0] ?? root, folder)
    .split(sep)
    .slice(0, -1)) {
    changed.push(resolve(changed.at(-1) ?? root, name));
  }
  await Promise.all(changed.map(syncFolder));
}
