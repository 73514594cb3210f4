import { rmSync } from "node:fs";
import { lstat, mkdtemp, readdir, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lockFile, type FileLock } from "./file-lock.ts";

/** Each process has one folder, with its temporary folders and a file that is locked while the process runs. */
const prefix = "lectern-process-";
const processFolder = /^lectern-process-\w{6}$/;
const lockName = "owner.lock";

/** Maximum time between creating the folder of a process and locking it, in milliseconds. */
const maxUnlocked = 60_000;

/** The folder of this process, by the system's folder for temporary files, which a test may change. */
const ownFolders = new Map<string, Promise<{ readonly path: string; readonly lock: FileLock }>>();

/** Creates a temporary folder, for its owner only. The end of this process removes it, or a later start if the process was killed. */
export async function temporaryFolder(): Promise<string> {
  const parent = tmpdir();
  for (let attempt = 1; ; attempt += 1) {
    const created = ownFolders.get(parent) ?? createOwnFolder(parent);
    ownFolders.set(parent, created);
    try {
      return await mkdtemp(join((await created).path, "/"));
    } catch (error) {
      // A clean-up of old files may have removed the folder.
      if (ownFolders.get(parent) === created) ownFolders.delete(parent);
      if (attempt > 1) throw error;
    }
  }
}

async function createOwnFolder(parent: string): Promise<{ readonly path: string; readonly lock: FileLock }> {
  const path = await mkdtemp(join(parent, prefix));
  process.once("exit", () => removeAtExit(path));
  const lock = lockFile(join(path, lockName));
  // A process that removes left folders may have taken the lock first; then it removes this folder.
  return lock === undefined ? createOwnFolder(parent) : { path, lock };
}

function removeAtExit(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Another process still writes into it, such as a killed Chromium. The next start removes it.
  }
}

/**
 * Removes the folders that killed processes of this user left. The lock shows which processes run, even if containers share the folder
 * for temporary files but not process IDs. Links are never followed. `onProblem` gets the errors of folders that cannot be removed.
 */
export async function removeLeftFolders(onProblem: (error: unknown) => void): Promise<void> {
  const names = await readdir(tmpdir());
  const paths = names.filter((name) => processFolder.test(name)).map((name) => join(tmpdir(), name));
  for (const path of paths) await removeLeft(path).catch(onProblem);
}

async function removeLeft(path: string): Promise<void> {
  const stats = await lstat(path);
  // Other users may create anything with this name, but cannot write into a folder that only its owner may access.
  const isOurs = stats.isDirectory() && stats.uid === (process.geteuid?.() ?? stats.uid) && (stats.mode & 0o077) === 0;
  if (!isOurs) return;
  if (!(await readdir(path)).includes(lockName)) {
    // A process that was killed before it locked its folder has left it empty.
    if (stats.mtimeMs < Date.now() - maxUnlocked) await rmdir(path);
    return;
  }
  const lock = lockFile(join(path, lockName));
  if (lock === undefined) return;
  try {
    await rm(path, { recursive: true, force: true });
  } finally {
    lock.release();
  }
}
