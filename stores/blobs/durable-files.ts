import { mkdir, open, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, relative, resolve, sep } from "node:path";

/**
 * Replaces a file atomically: writes and fsyncs `temporary`, which must not exist and be in the same file system, then renames it.
 * The file is readable for its owner only.
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
 * Creates a folder and its missing parents, for the owner only. Returns the topmost folder created; undefined if all existed. Throws
 * where no folder can be created, as in /proc: Node's own `recursive` never returns there (24.21).
 */
export async function makeFolders(folder: string): Promise<string | undefined> {
  const path = resolve(folder);
  try {
    return await makeOne(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT" || dirname(path) === path) throw error;
  }
  const topmost = await makeFolders(dirname(path));
  const created = await makeOne(path);
  return topmost ?? created;
}

/** Creates a folder and returns its path; undefined if it exists. */
async function makeOne(path: string): Promise<string | undefined> {
  try {
    await mkdir(path, { mode: 0o700 });
    return path;
  } catch (error) {
    if (codeOf(error) === "EEXIST" && (await stat(path)).isDirectory()) return undefined;
    throw error;
  }
}

/** Creates a folder and its missing parents, for the owner only, and fsyncs each changed folder from `root` (or its parent, if new) down. */
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

/** The code of a system error, such as ENOENT; undefined for other errors. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
