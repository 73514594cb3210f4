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
 * The environment in which git reads a repository: only our own settings count, nobody is asked for anything, and git
 * connects to nothing, so that an object that is missing stays missing.
 */
export function readSettings(repository: string, home: string): Record<string, string> {
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

/** The environment in which git fetches from a relay and connects to nothing else. The relay's address is a secret. */
export function fetchSettings(repository: string, home: string, relay: string): Record<string, string> {
  const settings = {
    "remote.origin.url": relay,
    // Where the repository need not have all objects, so that blobs may be left out.
    "remote.origin.promisor": "true",
    "credential.helper": "",
    // All that is asked for is new: there is nothing to negotiate about.
    "fetch.negotiationAlgorithm": "noop",
    // Always a pack, never a file for each object.
    "fetch.unpackLimit": "1",
    "http.followRedirects": "false",
    "http.proxy": "",
    // The IDs of 300,000 blobs in one piece: some servers take no chunked requests.
    "http.postBuffer": "16m",
  };
  return {
    ...readSettings(repository, home),
    GIT_ALLOW_PROTOCOL: "http",
    ...toGitConfig(Object.entries(settings)),
  };
}

/** Settings by the environment: no quoting, and nothing to be seen in the list of processes. */
function toGitConfig(settings: readonly (readonly [string, string])[]): Record<string, string> {
  const env: Record<string, string> = { GIT_CONFIG_COUNT: String(settings.length) };
  for (const [index, [key, value]] of settings.entries()) {
    env[`GIT_CONFIG_KEY_${index}`] = key;
    env[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return env;
}
