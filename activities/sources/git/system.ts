import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { setImmediate as turn } from "node:timers/promises";
import type { FetchClient } from "../../fetch/client.ts";
import { Failure } from "../../../domain/failures.ts";
import { parseCatFile } from "./cat-file.ts";
import { answerFailure, gitFailure, repositoryName } from "./failures.ts";
import { createGitHttp } from "./http.ts";
import { listRefs } from "./ls-refs.ts";
import { parseTree } from "./ls-tree.ts";
import { PacketError } from "./packets.ts";
import { createPackFetcher, isRefusal, type PackFetcherOptions, type PackRequest } from "./packs.ts";
import { GitExit, startGit } from "./process.ts";
import type { Remote } from "./remote.ts";
import { hardening, makeRepository } from "./settings.ts";
import type { Checkout, GitBlob } from "./tree.ts";

/** What the system's git is run with. Times are in milliseconds. */
export interface SystemGitOptions extends PackFetcherOptions {
  readonly client: FetchClient;
  /** Program name or path. */
  readonly binary: string;
  /** An empty folder of our own. */
  readonly scratch: string;
  readonly signal: AbortSignal;
}

/**
 * Blobs in the first request, where there are many more: they are read while the next request is under way. Each request
 * asks for so many times as many as the one before it, and none for less: one costs a program and a round trip.
 */
const firstRequest = 128;
const requestGrowth = 4;

/**
 * Fetches a commit and its trees, and on demand the blobs: few in one request, many in some. The packs come through the
 * guarded client; the system's git makes objects of them and reads these, in a repository that knows no remote, so
 * it connects to nothing.
 * @throws Failure
 */
export async function openWithSystemGit(remote: Remote, options: SystemGitOptions): Promise<Checkout> {
  const { binary, scratch, signal } = options;
  const repository = join(scratch, "read.git");
  const env = { PATH: process.env["PATH"] ?? "", ...hardening(scratch), GIT_DIR: repository };
  await makeRepository(repository);
  const packs = createPackFetcher(remote, options);

  /** Brings a pack here. @throws Failure; PacketError where the server refuses it */
  async function fetch(request: PackRequest, until = signal): Promise<void> {
    try {
      await index(request, until);
    } catch (error) {
      throw isRefusal(error) ? error : toFailure(error, remote);
    }
  }

  async function index(request: PackRequest, until: AbortSignal): Promise<void> {
    const asked = packs.fetch(request, until);
    await onItsWay(asked);
    const git = startGit(binary, ["index-pack", "--stdin"], { env, signal: until });
    git.stdout.resume();
    const pack = await asked.catch((error: unknown) => {
      git.stop(error);
      throw error;
    });
    const [sent, indexed] = await Promise.allSettled([pipeline(pack, git.stdin), git.done()]);
    until.throwIfAborted();
    // A program that ends early breaks the pipe; a pack that breaks off ends the program.
    if (sent.status === "rejected" && !isBrokenPipe(sent.reason)) throw sent.reason;
    if (indexed.status === "rejected") throw indexed.reason;
  }

  const fetchOne = (oid: string): Promise<void> => fetch({ wants: [oid], shallow: true, withoutBlobs: true });
  const tip = await fetchCommit(remote, options, fetchOne).catch((error: unknown) => {
    throw toFailure(error, remote);
  });
  // A server that knows no filters has sent the blobs with the trees.
  let hasBlobs = !packs.filters();

  const here = new Set<string>();

  /** In one request; a server that hands out nothing but the tips of its refs is asked for the whole commit again. */
  async function fetchBlobs(oids: readonly string[], until = signal): Promise<void> {
    const wants = hasBlobs ? [] : [...new Set(oids.filter((oid) => !here.has(oid)))];
    if (wants.length === 0) return;
    try {
      await fetch({ wants, shallow: false, withoutBlobs: false }, until);
      for (const oid of wants) here.add(oid);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await index({ wants: [tip], shallow: true, withoutBlobs: false }, until).catch((cause: unknown) => {
        throw toFailure(cause, remote);
      });
      hasBlobs = true;
    }
  }

  /** What a program prints of the repository, told `feed` by and by. */
  async function* read<T>(
    args: readonly string[],
    parse: (output: AsyncIterable<Buffer>) => AsyncIterable<T>,
    feed: (tell: (input: string) => void) => Promise<void>,
  ): AsyncGenerator<T> {
    const git = startGit(binary, args, { env, signal });
    // A failure is thrown behind what was told before it; until then it is not unhandled.
    const fed = feed((input) => git.stdin.write(input)).finally(() => git.stdin.end());
    fed.catch(() => {});
    try {
      yield* parse(git.stdout);
      await fed;
      await git.done();
    } catch (error) {
      if (error instanceof Failure) throw error;
      // Output that breaks off is a consequence; why the program ended comes first.
      await git.done().catch((cause: unknown) => {
        throw toFailure(cause, remote);
      });
      throw error;
    } finally {
      git.stop(new Error("Nobody reads any more."));
    }
  }

  return {
    entries: () => read(["ls-tree", "-r", "-z", "--full-tree", remote.revision], parseTree, async () => {}),
    fetch: (oids) => fetchBlobs(oids),
    async *blobs(oids, maxBytes): AsyncGenerator<GitBlob> {
      if (oids.length === 0) return;
      const left = new AbortController();
      const until = AbortSignal.any([signal, left.signal]);
      let feeding: Promise<void> | undefined;
      const groups = groupsOf(oids);
      const first = fetchBlobs(groups[0] ?? [], until);
      const feed = async (tell: (input: string) => void): Promise<void> => {
        for (const [at, group] of groups.entries()) {
          await (at === 0 ? first : fetchBlobs(group, until));
          tell(`${group.map((oid) => `contents ${oid}\n`).join("")}flush\n`);
        }
      };
      try {
        await onItsWay(first);
        yield* read(
          ["cat-file", "--batch-command", "--buffer"],
          (output) => parseCatFile(output, maxBytes),
          (tell) => (feeding = feed(tell)),
        );
      } finally {
        // Who goes away early removes the folder that is fetched into.
        left.abort(new Error("Nobody reads any more."));
        await Promise.allSettled([first, feeding]);
      }
    },
  };
}

/**
 * Lets a request go out: starting a program holds this thread up for some milliseconds, in which the server can work
 * already. What the request fails with is left to whoever waits for it.
 */
async function onItsWay(request: Promise<unknown>): Promise<void> {
  request.catch(() => {});
  await turn();
  await turn();
}

/** Cuts a list of blobs into those of each request, in their order. */
function groupsOf(oids: readonly string[]): readonly (readonly string[])[] {
  const groups: (readonly string[])[] = [];
  for (let start = 0, size = firstRequest; start < oids.length; size *= requestGrowth) {
    const end = oids.length - start < (1 + requestGrowth) * size ? oids.length : start + size;
    groups.push(oids.slice(start, end));
    start = end;
  }
  return groups;
}

/**
 * By its id, so that a branch that moved meanwhile does no harm; by the tags and branches that name it where the server
 * hands out only those. Answers the id it was asked for by.
 */
async function fetchCommit(
  remote: Remote,
  { client, signal, idleTimeout }: SystemGitOptions,
  fetch: (oid: string) => Promise<void>,
): Promise<string> {
  const { url, revision, ref, authorization } = remote;
  try {
    await fetch(revision);
    return revision;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const http = createGitHttp({ client, repository: url, authorization, signal, maxBytes: maxRefBytes, idleTimeout });
    const named = ref === null ? [] : await listRefs(http, url.href, [`refs/heads/${ref}`, `refs/tags/${ref}`]);
    const tag = named.find(({ oid, peeled }) => peeled === revision && oid !== revision);
    if (tag === undefined)
      throw new Failure(
        "source_unreachable",
        `${repositoryName(url)} no longer has the commit ${revision}. Refresh the library to read what it has now.`,
        { cause: error },
      );
    await fetch(tag.oid);
    return tag.oid;
  }
}

/** Refs that begin with a name may be more than one. */
const maxRefBytes = 1_000_000;

function isBrokenPipe(error: unknown): boolean {
  const codes = ["EPIPE", "ECONNRESET", "ERR_STREAM_DESTROYED", "ERR_STREAM_PREMATURE_CLOSE"];
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}

function toFailure(error: unknown, { url, secrets }: Remote): unknown {
  if (error instanceof PacketError) return answerFailure(error.message, url, secrets, error);
  return error instanceof GitExit ? gitFailure(error.lines, url) : error;
}
