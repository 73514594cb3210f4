import { rmSync } from "node:fs";
import { lstat, mkdtemp, readdir, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lockFile } from "./file-lock.ts";
import type { FileLock } from "./file-lock.ts";

/** A process has one folder, with its temporary folders and a locked file, by which others see that it lives. */
const prefix = "lectern-process-";
const ours = /^lectern-process-\w{6}$/;
const lockName = "owner.lock";

/** How long a process may take from making its folder to locking it, in milliseconds. */
const maxUnlocked = 60_000;

/** The folder of this process, by the folder of temporary files, which a test may change. */
const own = new Map<string, Promise<{ readonly path: string; readonly lock: FileLock }>>();

/** Makes a temporary folder, for its owner only. It is removed at the end of this process, or by a later start if that was killed. */
export async function temporaryFolder(): Promise<string> {
  const folder = tmpdir();
  for (let attempt = 1; ; attempt += 1) {
    const made = own.get(folder) ?? makeOwn(folder);
    own.set(folder, made);
    try {
      return await mkdtemp(join((await made).path, "/"));
    } catch (error) {
      // Something cleans up old files there.
      if (own.get(folder) === made) own.delete(folder);
      if (attempt > 1) throw error;
    }
  }
}

async function makeOwn(folder: string): Promise<{ readonly path: string; readonly lock: FileLock }> {
  const path = await mkdtemp(join(folder, prefix));
  process.once("exit", () => removeAtExit(path));
  const lock = lockFile(join(path, lockName));
  // Whoever looks whether it is locked has the lock for a moment, and then removes the folder.
  return lock === undefined ? makeOwn(folder) : { path, lock };
}

function removeAtExit(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // A process that still writes into it, such as a killed Chromium; the next start removes it.
  }
}

/**
 * Removes the folders that killed processes of this user left behind. The lock says who lives, also where processes of containers share
 * the folder of temporary files and not their IDs. Links are never followed. `onProblem` is called
 * with what cannot be removed.
 */
export async function removeLeftFolders(onProblem: (error: unknown) => void): Promise<void> {
  const names = await readdir(tmpdir());
  const paths = names.filter((name) => ours.test(name)).map((name) => join(tmpdir(), name));
  for (const path of paths) await removeLeft(path).catch(onProblem);
}

async function removeLeft(path: string): Promise<void> {
  const found = await lstat(path);
  // Others may make anything of this name, but put nothing into what is ours alone.
  const isOurs = found.isDirectory() && found.uid === (process.geteuid?.() ?? found.uid) && (found.mode & 0o077) === 0;
  if (!isOurs) return;
  if (!(await readdir(path)).includes(lockName)) {
    // Whoever was killed before it locked the folder has put nothing into it.
    if (found.mtimeMs < Date.now() - maxUnlocked) await rmdir(path);
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
