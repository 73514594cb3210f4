import { execFile } from "node:child_process";
import { rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { temporaryFolder } from "./lectern-process.ts";

const run = promisify(execFile);

/** A small file system in memory, which tests can fill. */
export interface SmallDisk extends AsyncDisposable {
  readonly path: string;
  /** Fills it until at most `leave` bytes are free. */
  fill(leave?: number): Promise<void>;
  /** Deletes what `fill` wrote. */
  free(): Promise<void>;
}

/** Mounts one; prints why and returns undefined if this user may not mount. */
export async function mountSmallDisk(mebibytes: number): Promise<SmallDisk | undefined> {
  const folder = await temporaryFolder();
  try {
    await run("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m`, "tmpfs", folder.path]);
  } catch (error) {
    process.stdout.write(`skipped: a full disk, as none can be made here: ${String(error).trim()}\n`);
    await folder[Symbol.asyncDispose]();
    return undefined;
  }
  const fillers: string[] = [];
  return {
    path: folder.path,
    async fill(leave = 0) {
      for (;;) {
        const { bsize, bavail } = await statfs(folder.path);
        const bytes = bsize * bavail - leave;
        if (bytes < bsize) return;
        const filler = join(folder.path, `filler-${fillers.length}`);
        fillers.push(filler);
        await writeFile(filler, new Uint8Array(bytes)).catch((error: unknown) => {
          if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
        });
      }
    },
    async free() {
      for (const filler of fillers.splice(0)) await rm(filler, { force: true });
    },
    async [Symbol.asyncDispose]() {
      await run("umount", ["-l", folder.path]);
      await folder[Symbol.asyncDispose]();
    },
  };
}
