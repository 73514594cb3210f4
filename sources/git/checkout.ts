import { statfs, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { Failure, noSpaceLeft } from "../../domain/failures.ts";
import { parseCatFile, parseTree, type Checkout, type GitBlob } from "./tree.ts";
import { gitFailure, notARepository, repositoryName, serverFailure } from "./failures.ts";
import { requestPack, listRefs, type ConnectGit } from "./protocol.ts";
import { PacketError, ServerError } from "./packets.ts";
import { GitExit, startGit, type GitLimits } from "./spawning.ts";
import type { GitProgram } from "./program.ts";

/** Options of `openCheckout`. Times are in milliseconds. */
export interface CheckoutOptions {
  readonly signal: AbortSignal;
  /** An empty folder of our own. */
  readonly scratch: string;
  /** Longest silence of the server. */
  readonly idleTimeout: number;
  /** Cap on all packs together, in bytes. */
  readonly maxDownload: number;
  /** Cap on the unpacked size of all blobs that are read, in bytes. */
  readonly maxUnpacked: number;
  readonly limits: Omit<GitLimits, "fileSize">;
  readonly program: GitProgram;
}

/**
 * Number of blobs in the first of several requests: they are read while the next request runs. Each further request, which costs a round
 * trip and two processes, asks for `requestGrowth` times as many.
 */
const firstRequest = 128;
const requestGrowth = 4;
/** Maximum number of blobs in a request, except the last, so that its blobs are read while the next request runs. */
const maxRequest = 2048;

/**
 * Fetches a commit and its trees, and its blobs on demand: a few in one request, many in several. The guarded client downloads the packs;
 * git indexes and reads them in a repository in the scratch folder, and makes no connections.
 * @throws Failure
 */
export async function openCheckout(remote: Remote, options: CheckoutOptions): Promise<Checkout> {
  const { scratch, signal, idleTimeout, maxUnpacked, program } = options;
  const { url } = remote;
  const { command } = program;
  const maxDownload = Math.min(options.maxDownload, program.maxDownload);
  const memory = Math.max(options.limits.memory, program.memory);
  const limits = { ...options.limits, memory, fileSize: maxDownload };
  // `resolveRef` has followed the redirects already.
  const transport = remote.connect({ signal, maxBytes: maxDownload, idleTimeout, maxRedirects: 0 });
  const repository = join(scratch, "read.git");
  const env = gitSettings(repository, scratch);
  let tip = remote.revision;
  let hasBlobs = false;
  const fetched = new Set<string>();
  let unpacked = 0;

  /** Counts unpacked bytes: a small pack can unpack to terabytes, and skipped blobs are unpacked too. @throws Failure library_too_large */
  function countUnpacked(size: number): void {
    unpacked += size;
    if (unpacked > maxUnpacked)
      throw new Failure(
        "library_too_large",
        `The documents of ${repositoryName(url)} unpack to more than the ${maxUnpacked} bytes that are read, including files that are too large to be indexed. Choose some with folders or excludeFolders, or raise MAX_BYTES.`,
      );
  }

  /** Fetches objects by their IDs. Returns whether the server left out blobs. @throws Failure; ServerError; PacketError; GitExit */
  async function fetch(oids: readonly string[], how: { isTip: boolean; withoutBlobs: boolean }, until: AbortSignal) {
    const ended = new AbortController();
    const requestSignal = AbortSignal.any([until, ended.signal]);
    const { leavesOut, bytes } = await requestPack(transport, { oids, ...how }, requestSignal);
    const git = await startGit(["index-pack", "--stdin"], { env, limits, command, signal: until });
    git.stdout.resume();
    // Only the end of git counts, not that of its input.
    const pack = Readable.from(bytes).on("error", (error) => git.stop(error));
    pack.pipe(git.stdin);
    try {
      await git.done();
      return leavesOut;
    } finally {
      ended.abort(new Error("The pack is complete."));
      pack.destroy();
    }
  }

  const fetchTip = (oid: string, withoutBlobs: boolean, until = signal): Promise<boolean> =>
    fetch([oid], { isTip: true, withoutBlobs }, until);

  /** Fetches blobs in one request, or the whole commit from a server that serves only the tips of its refs. */
  async function fetchBlobs(oids: readonly string[], until = signal): Promise<void> {
    const wants = hasBlobs ? [] : [...new Set(oids.filter((oid) => !fetched.has(oid)))];
    if (wants.length === 0) return;
    try {
      await fetch(wants, { isTip: false, withoutBlobs: true }, until);
      for (const oid of wants) fetched.add(oid);
    } catch (error) {
      if (!isRefusal(error)) throw await explain(error);
      await fetchTip(tip, false, until).catch(async (cause: unknown) => {
        throw await explain(cause);
      });
      hasBlobs = true;
    }
  }

  /** Runs git on the repository and parses its output. */
  async function* read<T>(
    args: readonly string[],
    input: string,
    parse: (output: AsyncIterable<Buffer>) => AsyncIterable<T>,
  ): AsyncGenerator<T> {
    const git = await startGit(args, { env, limits, command, signal });
    git.stdin.end(input);
    try {
      yield* parse(git.stdout);
      await git.done();
    } catch (error) {
      if (error instanceof Failure) throw error;
      // Truncated output is only a consequence: the reason why git ended is thrown instead.
      await git.done().catch(async (cause: unknown) => {
        throw await explain(cause);
      });
      throw error;
    } finally {
      git.stop(new Error("Nobody reads any more."));
    }
  }

  async function explain(error: unknown): Promise<unknown> {
    if (error instanceof ServerError) return serverFailure(error, url, remote.secrets);
    if (error instanceof PacketError) return notARepository(url, "it does not speak Git's protocol", error);
    if (!(error instanceof GitExit)) return program.name === "git" ? error : withoutGit(error);
    const failure = gitFailure(error, url, remote.secrets);
    if (program.name !== "git") return withoutGit(failure);
    // Git does not always say why it could not write.
    return failure.code === "source_invalid" && (await isFull(scratch)) ? noSpaceLeft(error) : failure;
  }

  try {
    await makeRepository(repository);
    const leavesOut = await fetchTip(tip, true).catch(async (error: unknown) => {
      if (!isRefusal(error)) throw error;
      tip = await findTag(remote, options, error);
      return fetchTip(tip, true);
    });
    hasBlobs = !leavesOut;
  } catch (error) {
    throw await explain(error);
  }

  return {
    entries: () => read(["ls-tree", "-r", "-z", "--full-tree", remote.revision], "", parseTree),
    fetch: (oids) => fetchBlobs(oids),
    async *blobs(oids, maxBytes): AsyncGenerator<GitBlob> {
      const stopped = new AbortController();
      const until = AbortSignal.any([signal, stopped.signal]);
      const groups = groupsOf(oids);
      let pending = fetchBlobs(groups[0] ?? [], until);
      try {
        for (const [at, group] of groups.entries()) {
          await pending;
          pending = fetchBlobs(groups[at + 1] ?? [], until);
          // Its error is thrown by the await of the next group.
          pending.catch(() => {});
          yield* read(["cat-file", "--batch", "--buffer"], toLines(group), (output) =>
            parseCatFile(output, maxBytes, countUnpacked),
          );
        }
      } finally {
        // A caller that stops early deletes the folder that a pending request writes to.
        stopped.abort(new Error("Nobody reads any more."));
        await Promise.allSettled([pending]);
      }
    },
  };
}

/** Adds to a size failure of the stand-in that git reads larger repositories. */
function withoutGit(error: unknown): unknown {
  if (!(error instanceof Failure && error.code === "library_too_large")) return error;
  const more = "The program git, which is not installed on this server, reads larger ones.";
  return new Failure(error.code, `${error.message} ${more}`, { cause: error });
}

/** Whether a server refuses to send the requested objects, in the words of Git or JGit. */
function isRefusal(error: unknown): boolean {
  return error instanceof ServerError && /not our ref|unadvertised object|want \S+ not valid/i.test(error.message);
}

/** Free bytes below which a disk counts as full: git has deleted its partial file by then. */
const fullBelow = 1_000_000;

async function isFull(folder: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize < fullBelow;
}

function toLines(oids: readonly string[]): string {
  return oids.map((oid) => `${oid}\n`).join("");
}

/** Splits blobs into requests, in order. */
function groupsOf(oids: readonly string[]): readonly (readonly string[])[] {
  const groups: (readonly string[])[] = [];
  for (let start = 0, size = firstRequest; start < oids.length; size = Math.min(size * requestGrowth, maxRequest)) {
    const most = Math.min((1 + requestGrowth) * size, 1.5 * maxRequest);
    const end = oids.length - start < most ? oids.length : start + size;
    groups.push(oids.slice(start, end));
    start = end;
  }
  return groups;
}

/** Cap on the refs that begin with one name, in bytes. */
const maxRefs = 1_000_000;

/** Finds the annotated tag of the commit, for a server that sends only the objects that its refs name. @throws Failure */
async function findTag(
  { url, revision, ref, connect }: Remote,
  { signal, idleTimeout }: CheckoutOptions,
  cause: unknown,
): Promise<string> {
  const prefixes = ref === null ? [] : [`refs/heads/${ref}`, `refs/tags/${ref}`];
  const transport = connect({ signal, idleTimeout, maxBytes: maxRefs });
  if (prefixes.length > 0)
    for await (const refs of listRefs(transport, prefixes)) {
      const tag = refs.find(({ oid, peeled }) => peeled === revision && oid !== revision);
      if (tag !== undefined) return tag.oid;
    }
  throw new Failure(
    "source_unreachable",
    `${repositoryName(url)} no longer has the commit ${revision}. Refresh the library to read what it has now.`,
    { cause },
  );
}

/**
 * Settings of the repository that a commit is read from. It does not outlive the step, so nothing is synced to the disk.
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

/** Creates what `git init --bare` would, without templates or a process. It may exist already. */
async function makeRepository(path: string): Promise<void> {
  await mkdir(join(path, "objects", "pack"), { recursive: true });
  await mkdir(join(path, "refs"), { recursive: true });
  await writeFile(join(path, "HEAD"), "ref: refs/heads/none\n");
  await writeFile(join(path, "config"), config);
}

/** The environment of git: only our own settings, no prompts and no connections, so that git fetches no missing objects. */
function gitSettings(repository: string, home: string): Record<string, string> {
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

/** A commit and where to fetch it. */
export interface Remote {
  /** Address without a slash at its end. */
  readonly url: URL;
  readonly revision: string;
  /** Short name of the branch or tag that has the commit; null if unknown. */
  readonly ref: string | null;
  readonly connect: ConnectGit;
  /** Strings that must never appear in a message. */
  readonly secrets: readonly string[];
}
