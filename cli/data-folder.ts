import { randomUUID } from "node:crypto";
import { access, chmod, constants, lstat, readdir, readFile, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { codeOf, makeFolders, writeWhole } from "../stores/blobs/durable-files.ts";
import { diskFailure, Failure } from "../domain/failures.ts";
import { lockFile, type FileLock } from "../sources/lib/threads/file-lock.ts";

/** The content of lock.json: the process that owns the folder. */
const ownerShape = z.object({
  pid: z.number(),
  host: z.string(),
  startedAt: z.string(),
  address: z.string().optional(),
});
type Owner = z.infer<typeof ownerShape>;

/**
 * Entries that earlier versions left accessible to others. The folder itself may have other content, and the exposure of the key file
 * is reported by `loadRing`.
 */
const ours =
  /^(?:(?:catalog|catalog\.before-upgrade|libraries|lock)\.sqlite(?:-wal|-shm|-journal)?|lock\.json|blobs|index|work)$/;

/**
 * Creates the folder (for its owner only) if needed, locks it, and removes others' access to Lectern's entries in it. The lock is an
 * operating system lock on lock.sqlite, which ends with the process; lock.json only names the owner. Keep a reference to the result: garbage
 * collection would release the lock.
 * @throws Failure service_unavailable, which says what to do, if the folder is in use or unusable
 */
export async function openDataFolder(path: string) {
  const folder = resolve(path);
  await makeDataFolder(folder);
  const lock = await takeLock(folder);
  let isOpen = true;
  const owner: Owner = { pid: process.pid, host: hostname(), startedAt: new Date().toISOString() };
  const writeOwner = (current: Owner): Promise<void> =>
    writeWhole(ownerFile(folder), join(folder, `lock.${randomUUID()}.tmp`), `${JSON.stringify(current)}\n`);
  let exposed: readonly string[];
  try {
    await writeOwner(owner);
    exposed = await removeAccess(folder);
  } catch (error) {
    lock.release();
    throw unusable(folder, error);
  }
  return {
    /** Absolute path. */
    path: folder,
    /** Entries that other users own, and can still access. */
    exposed,
    /** Adds the server's address to lock.json, for the error message of another start. */
    announce: (address: string) => writeOwner({ ...owner, address }),
    /** Releases the lock. Idempotent. */
    async close(): Promise<void> {
      if (!isOpen) return;
      isOpen = false;
      try {
        await rm(ownerFile(folder), { force: true });
      } finally {
        lock.release();
      }
    },
  };
}

/**
 * Creates the folder of a cluster process if needed. It is not locked, as several processes can share it.
 * @throws Failure service_unavailable, which says what to do, if it is unusable
 */
export async function openWorkFolder(path: string): Promise<void> {
  await makeDataFolder(path);
  await access(path, constants.W_OK | constants.X_OK).catch((error: unknown) => {
    throw unusable(path, error);
  });
}

const ownerFile = (folder: string): string => join(folder, "lock.json");

/** Temporary files of killed processes. */
const unfinished = /^(?:lock|encryption\.key)\.[\da-f-]{36}\.tmp$/;

/** Removes others' access to our entries. Returns the names of those whose permissions we may not change. */
async function removeAccess(folder: string): Promise<readonly string[]> {
  const exposed: string[] = [];
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (unfinished.test(name)) await rm(path, { force: true });
    // Links are not followed. SQLite may remove its files meanwhile, as `lectern export` also reads the catalog.
    const entry = ours.test(name) ? await lstat(path).catch(undefinedIfMissing) : undefined;
    if (!(entry?.isFile() || entry?.isDirectory()) || (entry.mode & 0o077) === 0) continue;
    const mayChange = entry.uid === process.geteuid?.() || process.geteuid?.() === 0;
    if (mayChange) await chmod(path, entry.mode & 0o700).catch(undefinedIfMissing);
    else exposed.push(name);
  }
  return exposed;
}

async function makeDataFolder(folder: string): Promise<void> {
  try {
    await makeFolders(folder);
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST" || code === "ENOTDIR") {
      const message = `${folder} is a file, or is below one. Set DATA_DIR to a folder.`;
      throw new Failure("service_unavailable", message, { cause: error });
    }
    throw unusable(folder, error);
  }
}

async function takeLock(folder: string): Promise<FileLock> {
  let lock: FileLock | undefined;
  try {
    lock = lockFile(join(folder, "lock.sqlite"));
  } catch (error) {
    throw unusable(folder, error);
  }
  if (lock === undefined) throw await inUse(folder);
  return lock;
}

async function inUse(folder: string): Promise<Failure> {
  const owner = await readOwner(folder);
  const who = owner
    ? `process ${owner.pid} on ${owner.host} since ${owner.startedAt}${owner.address ? `, at ${owner.address}` : ""}`
    : "another process";
  return new Failure(
    "service_unavailable",
    `${folder} is in use by ${who}. Stop it, or set DATA_DIR to another folder.`,
  );
}

/** Reads lock.json; undefined if the owner has not written it yet, or it is invalid. */
async function readOwner(folder: string): Promise<Owner | undefined> {
  try {
    return ownerShape.parse(JSON.parse(await readFile(ownerFile(folder), "utf8")));
  } catch {
    return undefined;
  }
}

function unusable(folder: string, error: unknown): Failure {
  const reason = error instanceof Error ? error.message : String(error);
  const remedy = diskFailure(error)
    ? "Free space on its disk, or mount it for writing; then start again."
    : "Make it writable for this user, or set DATA_DIR to another folder.";
  const message = `${folder} cannot be used as the data folder (${reason}). ${remedy}`;
  return new Failure("service_unavailable", message, { cause: error });
}

/** For `catch`: returns undefined if a file does not exist. @throws every other error */
export function undefinedIfMissing(error: unknown): undefined {
  if (codeOf(error) !== "ENOENT") throw error;
}
