import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../../../domain/failures.ts";
import { parseCatFile } from "./cat-file.ts";
import { gitFailure, repositoryName } from "./failures.ts";
import { GitExit, startGit } from "./process.ts";
import type { Checkout, GitBlob, TreeEntry } from "./tree.ts";

/** Where a commit is fetched from, checked and ready to connect to. */
export interface Remote {
  /** Address without a slash at its end. */
  readonly url: URL;
  readonly revision: string;
  /** Short name of the branch or tag that has the commit; null where there is none. */
  readonly ref: string | null;
  /** The addresses the host was checked to have; Git connects to no other. Empty behind a proxy. */
  readonly addresses: readonly string[];
  readonly proxy: URL | undefined;
  /** Value of the authorization header; null where there is no token. */
  readonly authorization: string | null;
  /** What must never appear in a message. */
  readonly secrets: readonly string[];
}

/** What the system's git is run with. Times are in milliseconds. */
export interface SystemGitOptions {
  /** Program name or path. */
  readonly binary: string;
  /** An empty folder of our own. */
  readonly scratch: string;
  readonly signal: AbortSignal;
  /** Longest time without progress of any kind. */
  readonly idleTimeout: number;
  /** Cap on what is downloaded, in bytes on disk. */
  readonly maxDownload: number;
}

/** Slower than this for `idleTimeout` counts as hanging, in bytes a second; sidebands keep a working server above it. */
const lowSpeed = 100;

/**
 * Fetches a commit and its trees with the system's git, and on demand the blobs, all in one request.
 *
 * Two repositories share one set of objects. The one that fetches knows the remote; the one that reads does not, so
 * that reading an object which is not there cannot make Git connect to anything.
 * @throws Failure; the error of `spawn` where there is no such program
 */
export async function openWithSystemGit(remote: Remote, options: SystemGitOptions): Promise<Checkout> {
  const { binary, scratch, signal } = options;
  const [fetcher, reader] = [join(scratch, "fetch.git"), join(scratch, "read.git")];
  const format = remote.revision.length === 64 ? "\tobjectFormat = sha256\n" : "";
  await makeRepository(fetcher, `${format}\tpartialClone = origin\n`);
  await makeRepository(reader, format);
  const common = { PATH: process.env["PATH"] ?? "", ...hardening(scratch) };
  const fetching = { ...common, GIT_DIR: fetcher, ...toGitConfig(remoteConfig(remote, options)) };
  const reading = { ...common, GIT_DIR: reader, GIT_OBJECT_DIRECTORY: join(fetcher, "objects") };

  async function fetch(args: readonly string[], input: string): Promise<readonly string[]> {
    const git = startGit(binary, [...fetchArguments, ...args], { env: fetching, signal });
    git.stdin.end(input);
    git.stdout.resume();
    const watch = watchProgress(join(fetcher, "objects", "pack"), git, remote, options);
    try {
      return (await git.done()).lines;
    } finally {
      clearInterval(watch);
    }
  }

  const told = await fetchCommit(remote, (wanted) => fetch(["--depth=1", "--", "origin", wanted], ""));
  // A server that knows no filters has sent the blobs with the trees.
  const hasBlobs = told.some((line) => line.includes("filtering not recognized"));

  return {
    async *entries() {
      const git = startGit(binary, ["ls-tree", "-r", "-z", "--full-tree", remote.revision], { env: reading, signal });
      git.stdin.end();
      try {
        yield* parseTree(git.stdout);
        await git.done();
      } catch (error) {
        throw toFailure(error, remote);
      } finally {
        git.stop(new Error("Nobody reads the tree any more."));
      }
    },
    async *blobs(oids, maxBytes): AsyncGenerator<GitBlob> {
      if (oids.length === 0) return;
      if (!hasBlobs) {
        const wanted = `${[...new Set(oids)].join("\n")}\n`;
        await fetch(["--stdin", "origin"], wanted).catch((error: unknown) => {
          throw toFailure(error, remote);
        });
      }
      const git = startGit(binary, ["cat-file", "--batch", "--buffer"], { env: reading, signal });
      git.stdin.end(`${oids.join("\n")}\n`);
      try {
        yield* parseCatFile(git.stdout, maxBytes);
        await git.done();
      } catch (error) {
        throw toFailure(error, remote);
      } finally {
        git.stop(new Error("Nobody reads the blobs any more."));
      }
    },
  };
}

const fetchArguments = [
  "fetch",
  "--progress",
  "--filter=blob:none",
  "--no-tags",
  "--no-write-fetch-head",
  "--no-auto-maintenance",
  "--no-recurse-submodules",
];

/** By its id, so that a branch that moved meanwhile does no harm; by its names where the server hands out only those. */
async function fetchCommit(
  remote: Remote,
  fetch: (wanted: string) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const { revision, ref } = remote;
  const wanted = [revision, ...(ref === null ? [] : [`refs/heads/${ref}`, `refs/tags/${ref}`])];
  let refusal: unknown;
  for (const one of wanted) {
    try {
      return await fetch(one);
    } catch (error) {
      const refused = /unadvertised object|not our ref|couldn't find remote ref/i;
      if (!(error instanceof GitExit && error.lines.some((line) => refused.test(line)))) throw toFailure(error, remote);
      refusal = error;
    }
  }
  throw new Failure(
    "source_unreachable",
    `${repositoryName(remote.url)} no longer has the commit ${revision}. Refresh the library to read what it has now.`,
    { cause: refusal },
  );
}

function toFailure(error: unknown, { url, secrets }: Remote): unknown {
  return error instanceof GitExit ? gitFailure(error.lines, url, secrets) : error;
}

/** What `git init --bare` would make, without the start of a program. */
async function makeRepository(path: string, extensions: string): Promise<void> {
  await mkdir(join(path, "objects", "pack"), { recursive: true });
  await mkdir(join(path, "refs"));
  await writeFile(join(path, "HEAD"), "ref: refs/heads/none\n");
  await writeFile(
    join(path, "config"),
    `[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n${extensions}`,
  );
}

/** An environment in which only our own settings count, and nobody is asked for anything. */
function hardening(home: string): Record<string, string> {
  return {
    HOME: home,
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_ALLOW_PROTOCOL: "http:https",
  };
}

function remoteConfig(remote: Remote, { idleTimeout }: SystemGitOptions): [string, string][] {
  const { url, addresses, proxy, authorization } = remote;
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  const pins = addresses.map((address) => (address.includes(":") ? `[${address}]` : address)).join(",");
  const authority = process.env["GIT_SSL_CAINFO"] ?? process.env["SSL_CERT_FILE"] ?? "";
  return [
    ["remote.origin.url", url.href],
    ["remote.origin.promisor", "true"],
    ["remote.origin.partialclonefilter", "blob:none"],
    ["core.hooksPath", "/dev/null"],
    // Blobs beyond it are streamed through index-pack, not held in memory.
    ["core.bigFileThreshold", "16m"],
    // All asked-for blobs are new: there is nothing to negotiate about.
    ["fetch.negotiationAlgorithm", "noop"],
    // Always a pack, never a file for each object.
    ["fetch.unpackLimit", "1"],
    ["http.followRedirects", "false"],
    ["http.lowSpeedLimit", String(lowSpeed)],
    ["http.lowSpeedTime", String(Math.max(1, Math.ceil(idleTimeout / 1000)))],
    // The ids of 300,000 blobs fit: some servers take no chunked requests.
    ["http.postBuffer", "16m"],
    ["http.proxy", proxy?.href ?? ""],
    ...(authority === "" ? [] : [["http.sslCAInfo", authority] satisfies [string, string]]),
    ...(pins === "" ? [] : [["http.curloptResolve", `${url.hostname}:${port}:${pins}`] satisfies [string, string]]),
    ...(authorization === null
      ? []
      : [["http.extraHeader", `Authorization: ${authorization}`] satisfies [string, string]]),
  ];
}

/** Settings by environment: no quoting, and nothing to be seen in the list of processes. */
function toGitConfig(settings: readonly (readonly [string, string])[]): Record<string, string> {
  const env: Record<string, string> = { GIT_CONFIG_COUNT: String(settings.length) };
  for (const [index, [key, value]] of settings.entries()) {
    env[`GIT_CONFIG_KEY_${index}`] = key;
    env[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return env;
}

/** Ends a fetch that neither says nor receives anything, and one that receives too much. */
function watchProgress(
  packs: string,
  git: ReturnType<typeof startGit>,
  { url }: Remote,
  { idleTimeout, maxDownload }: SystemGitOptions,
): NodeJS.Timeout {
  let last = { mark: -1, at: Date.now() };
  const look = async (): Promise<void> => {
    const bytes = await sizeOf(packs);
    if (bytes > maxDownload)
      git.stop(
        new Failure("library_too_large", `${repositoryName(url)} sends more than ${maxDownload} bytes for one commit.`),
      );
    const mark = bytes + git.noise();
    if (mark !== last.mark) last = { mark, at: Date.now() };
    else if (Date.now() - last.at > idleTimeout)
      git.stop(new Failure("source_unreachable", `${repositoryName(url)} stopped answering. Try again later.`));
  };
  return setInterval(() => void look().catch((error: unknown) => git.stop(error)), Math.min(500, idleTimeout / 4));
}

async function sizeOf(folder: string): Promise<number> {
  const sizes = (await readdir(folder)).map((name) =>
    stat(join(folder, name)).then(
      ({ size }) => size,
      (error: unknown) => {
        // Temporary packs are renamed when they are whole.
        if (error instanceof Error && "code" in error && error.code === "ENOENT") return 0;
        throw error;
      },
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Parses `git ls-tree -z`: `<mode> <type> <oid>\t<path>\0` for each entry. */
async function* parseTree(output: AsyncIterable<Buffer>): AsyncGenerator<TreeEntry[]> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of output) {
    const end = chunk.lastIndexOf(0);
    if (end < 0) {
      rest = Buffer.concat([rest, chunk]);
      continue;
    }
    const whole = Buffer.concat([rest, chunk.subarray(0, end)]).toString("utf8");
    rest = chunk.subarray(end + 1);
    yield whole.split("\0").map((line) => {
      const tab = line.indexOf("\t");
      const space = line.lastIndexOf(" ", tab);
      return { mode: line.slice(0, 6), oid: line.slice(space + 1, tab), path: line.slice(tab + 1) };
    });
  }
}
