import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Nothing here outlives the step, so nothing waits for the disk. Blobs beyond the threshold are streamed through
 * index-pack, not held in memory.
 */
const config = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tfsync = none\n\tbigFileThreshold = 16m\n";

/** What `git init --bare` would make, without the start of a program. */
export async function makeRepository(path: string): Promise<void> {
  await mkdir(join(path, "objects", "pack"), { recursive: true });
  await mkdir(join(path, "refs"));
  await writeFile(join(path, "HEAD"), "ref: refs/heads/none\n");
  await writeFile(join(path, "config"), config);
}

/** An environment in which only our own settings count, nobody is asked for anything, and Git connects to nothing. */
export function hardening(home: string): Record<string, string> {
  return {
    HOME: home,
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_ALLOW_PROTOCOL: "none",
  };
}
