import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Settings of the repository that a commit is read from. Nothing in it outlives the step, so nothing waits for the disk.
 * Blobs beyond the threshold are streamed, not held in memory; packs are mapped in small windows, so that the limit on
 * address space holds for large ones too.
 */
const config = `[core]
	repositoryformatversion = 0
	bare = true
	fsync = none
	bigFileThreshold = 16m
	packedGitWindowSize = 16m
	packedGitLimit = 128m
	hooksPath = /dev/null
[pack]
	threads = 1
[gc]
	auto = 0
[maintenance]
	auto = false
`;

/** Makes what `git init --bare` would, without templates and the start of a process. It may be there already. */
export async function makeRepository(path: string): Promise<void> {
  await mkdir(join(path, "objects", "pack"), { recursive: true });
  await mkdir(join(path, "refs"), { recursive: true });
  await writeFile(join(path, "HEAD"), "ref: refs/heads/none\n");
  await writeFile(join(path, "config"), config);
}

/**
 * The environment of git: only our own settings count, nobody is asked for anything, and git connects to nothing, so that an
 * object that is missing stays missing.
 */
export function gitSettings(repository: string, home: string): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    LC_ALL: "C",
    GIT_DIR: repository,
    GIT_TERMINAL_PROMPT: "0",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_ALLOW_PROTOCOL: "none",
  };
}
