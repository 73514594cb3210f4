import { join } from "node:path";
import { Failure } from "../../../domain/failures.ts";
import { parseCatFile } from "./cat-file.ts";
import { gitFailure, repositoryName } from "./failures.ts";
import { parseTree } from "./ls-tree.ts";
import { GitExit, startGit } from "./process.ts";
import type { Remote } from "./remote.ts";
import { hardening, makeRepository, promisor, remoteSettings } from "./settings.ts";
import type { Checkout, GitBlob } from "./tree.ts";
import { superviseFetch, type FetchLimits } from "./watch.ts";

/** What the system's git is run with. */
export interface SystemGitOptions extends FetchLimits {
  /** Program name or path. */
  readonly binary: string;
  /** An empty folder of our own. */
  readonly scratch: string;
  readonly signal: AbortSignal;
}

/**
 * Blobs in the first request, where there are many more: they are read while the next request is under way. Each request
 * asks for so many times as many as the one before it, and none for less: one costs some 40 ms of a core and two round trips.
 */
const firstRequest = 128;
const requestGrowth = 4;

/**
 * Fetches a commit and its trees with the system's git, and on demand the blobs: few in one request, many in some.
 *
 * The repository that reads shares the objects of the one that fetches and knows no remote, so that reading an object
 * which is not there cannot make Git connect to anything.
 * @throws Failure
 */
export async function openWithSystemGit(remote: Remote, options: SystemGitOptions): Promise<Checkout> {
  const { binary, scratch, signal } = options;
  const environment = { PATH: process.env["PATH"] ?? "", ...hardening(scratch) };
  const settings = remoteSettings(remote, options.idleTimeout);
  const [partial, whole, reader] = ["partial.git", "whole.git", "read.git"].map((name) => join(scratch, name)) as [
    string,
    string,
    string,
  ];
  await Promise.all([makeRepository(partial, promisor), makeRepository(reader, "")]);
  let objects = join(partial, "objects");

  async function fetch(
    repository: string,
    args: readonly string[],
    { input = "", until = signal }: { readonly input?: string; readonly until?: AbortSignal } = {},
  ): Promise<readonly string[]> {
    const env = { ...environment, ...settings, GIT_DIR: repository };
    const git = startGit(binary, [...fetchArguments, ...args], { env, signal: until });
    git.stdin.end(input);
    git.stdout.resume();
    return superviseFetch(git, join(repository, "objects", "pack"), remote.url, options);
  }

  const partially = ["--filter=blob:none"];
  const told = await fetchCommit(remote, (one) => fetch(partial, [...partially, "--depth=1", "origin", one]));
  // A server that knows no filters has sent the blobs with the trees.
  let hasBlobs = told.some((line) => line.includes("filtering not recognized"));

  const here = new Set<string>();

  /** In one request; a server that hands out nothing but the tips of its refs is asked for the whole commit again. */
  async function fetchBlobs(oids: readonly string[], until = signal): Promise<void> {
    const wanted = new Set(hasBlobs ? [] : oids.filter((oid) => !here.has(oid)));
    if (wanted.size === 0) return;
    try {
      await fetch(partial, [...partially, "--stdin", "origin"], { input: `${[...wanted].join("\n")}\n`, until });
      for (const oid of wanted) here.add(oid);
    } catch (error) {
      if (!isRefusal(error)) throw toFailure(error, remote);
      await makeRepository(whole, "");
      await fetchCommit(remote, (one) => fetch(whole, ["--depth=1", "origin", one], { until }));
      objects = join(whole, "objects");
      hasBlobs = true;
    }
  }

  async function* read<T>(
    args: readonly string[],
    input: string,
    parse: (output: AsyncIterable<Buffer>) => AsyncIterable<T>,
  ): AsyncGenerator<T> {
    const env = { ...environment, GIT_DIR: reader, GIT_OBJECT_DIRECTORY: objects };
    const git = startGit(binary, args, { env, signal });
    git.stdin.end(input);
    try {
      yield* parse(git.stdout);
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
    entries: () => read(["ls-tree", "-r", "-z", "--full-tree", remote.revision], "", parseTree),
    fetch: (oids) => fetchBlobs(oids),
    async *blobs(oids, maxBytes): AsyncGenerator<GitBlob> {
      const groups = groupsOf(oids);
      const left = new AbortController();
      const until = AbortSignal.any([signal, left.signal]);
      let fetched = fetchBlobs(groups[0] ?? [], until);
      try {
        for (const [index, group] of groups.entries()) {
          await fetched;
          fetched = fetchBlobs(groups[index + 1] ?? [], until);
          // A failure is thrown where the blobs are wanted; until then it is not unhandled.
          fetched.catch(() => {});
          yield* read(["cat-file", "--batch", "--buffer"], `${group.join("\n")}\n`, (output) =>
            parseCatFile(output, maxBytes),
          );
        }
      } finally {
        // Who goes away early removes the folder that is fetched into.
        left.abort(new Error("Nobody reads any more."));
        await Promise.allSettled([fetched]);
      }
    },
  };
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

const fetchArguments = [
  "fetch",
  "--progress",
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
      if (!isRefusal(error)) throw toFailure(error, remote);
      refusal = error;
    }
  }
  throw new Failure(
    "source_unreachable",
    `${repositoryName(remote.url)} no longer has the commit ${revision}. Refresh the library to read what it has now.`,
    { cause: refusal },
  );
}

/** True where the server is in order, but does not hand out what was asked for. */
function isRefusal(error: unknown): boolean {
  const refused = /unadvertised object|not our ref|couldn't find remote ref/i;
  return error instanceof GitExit && error.lines.some((line) => refused.test(line));
}

function toFailure(error: unknown, { url, secrets }: Remote): unknown {
  return error instanceof GitExit ? gitFailure(error.lines, url, secrets) : error;
}
