import type { FetchClient } from "../../fetch/client.ts";
import { Failure } from "../../../domain/failures.ts";
import { answerFailure, diskFailure, packFailure, repositoryName } from "./failures.ts";
import { createGitHttp } from "./http.ts";
import { listRefs } from "./ls-refs.ts";
import { createGitObjects, type GitObject } from "./objects.ts";
import { PackError } from "./pack-file.ts";
import { PacketError } from "./packets.ts";
import { createPackFetcher, isRefusal, type PackFetcherOptions, type PackRequest } from "./packs.ts";
import type { Remote } from "./remote.ts";
import type { Checkout, GitBlob, TreeEntry } from "./tree.ts";

/** What a commit is fetched with. Times are in milliseconds. */
export interface CheckoutOptions extends PackFetcherOptions {
  readonly client: FetchClient;
  /** An empty folder of our own. */
  readonly scratch: string;
  readonly signal: AbortSignal;
}

/**
 * Blobs in the first request, where there are many more: they are read while the next request is under way. Each request
 * asks for so many times as many as the one before it, and none for less: one costs a round trip.
 */
const firstRequest = 128;
const requestGrowth = 4;
/** What comes in one burst is not collected before it is here, so no request but the last asks for more than this. */
const largestRequest = 2048;

/** What packs may hold, in bytes for each byte of the cap on downloads. */
const maxUnpacked = 20;
/** Longest tree and commit that are read, in bytes. */
const maxTree = 32_000_000;
/** Entries handed over at once. */
const batchSize = 1000;
/** Deeper trees are made to wear us out. */
const maxDepth = 200;
/** Folders of a commit; a tree that repeats folders has them without end, at no cost to its maker. */
const maxFolders = 1_000_000;

/**
 * Fetches a commit and its trees, and on demand the blobs: few in one request, many in some.
 * @throws Failure
 */
export async function openCheckout(remote: Remote, options: CheckoutOptions): Promise<Checkout> {
  const { scratch, signal, maxDownload } = options;
  const packs = createPackFetcher(remote, options);
  const objects = createGitObjects({ folder: scratch, signal, maxBytes: maxUnpacked * maxDownload });

  /** Brings a pack here. @throws Failure; PacketError where the server refuses it */
  async function fetch(request: PackRequest, until = signal): Promise<void> {
    try {
      await objects.add(await packs.fetch(request, until));
    } catch (error) {
      until.throwIfAborted();
      throw isRefusal(error) ? error : toFailure(error, remote);
    }
  }

  async function read(oid: string, maxBytes: number): Promise<GitObject | undefined> {
    try {
      return await objects.read(oid, maxBytes);
    } catch (error) {
      throw toFailure(error, remote);
    }
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
      await fetch({ wants: [tip], shallow: true, withoutBlobs: false }, until).catch((cause: unknown) => {
        throw toFailure(cause, remote);
      });
      hasBlobs = true;
    }
  }

  async function readRoot(): Promise<string> {
    const commit = await read(remote.revision, maxTree);
    const text = commit?.type === "commit" && commit.bytes ? Buffer.from(commit.bytes).toString("latin1", 0, 46) : "";
    const [, root] = /^tree ([\da-f]{40})\n/.exec(text) ?? [];
    if (root !== undefined) return root;
    throw new Failure("source_invalid", `What ${repositoryName(remote.url)} calls ${remote.revision} is no commit.`);
  }

  let folders = 0;
  async function* walk(oid: string, folder: string, depth: number): AsyncGenerator<TreeEntry> {
    folders += 1;
    if (depth > maxDepth || folders > maxFolders)
      throw new Failure(
        "library_too_large",
        `${repositoryName(remote.url)} has folders more than ${maxDepth} deep, or more than ${maxFolders} of them.`,
      );
    const tree = await read(oid, maxTree);
    if (tree?.type !== "tree" || tree.bytes === null)
      throw new Failure("source_invalid", `${repositoryName(remote.url)} left out a folder that the commit has.`);
    for (const entry of parseTree(tree.bytes)) {
      const path = folder + entry.path;
      if (entry.mode === "40000") yield* walk(entry.oid, `${path}/`, depth + 1);
      else yield { mode: entry.mode, oid: entry.oid, path };
    }
  }

  return {
    async *entries() {
      let batch: TreeEntry[] = [];
      for await (const entry of walk(await readRoot(), "", 0)) {
        if (batch.push(entry) < batchSize) continue;
        yield batch;
        batch = [];
      }
      yield batch;
    },
    fetch: (oids) => fetchBlobs(oids),
    async *blobs(oids, maxBytes): AsyncGenerator<GitBlob> {
      const left = new AbortController();
      const until = AbortSignal.any([signal, left.signal]);
      const groups = groupsOf(oids);
      let coming = fetchBlobs(groups[0] ?? [], until);
      try {
        for (const [at, group] of groups.entries()) {
          await coming;
          coming = fetchBlobs(groups[at + 1] ?? [], until);
          // What it fails with is thrown where its blobs are wanted.
          coming.catch(() => {});
          for (const oid of group) yield await readBlob(oid, maxBytes);
        }
      } finally {
        // Who goes away early removes the folder that is fetched into.
        left.abort(new Error("Nobody reads any more."));
        await Promise.allSettled([coming]);
      }
    },
  };

  async function readBlob(oid: string, maxBytes: number): Promise<GitBlob> {
    const blob = await read(oid, maxBytes);
    if (blob?.type === "blob") return blob;
    throw new Failure("source_invalid", "The Git server left out a document that the commit has. Try again later.");
  }
}

/** Cuts a list of blobs into those of each request, in their order. */
function groupsOf(oids: readonly string[]): readonly (readonly string[])[] {
  const groups: (readonly string[])[] = [];
  for (let start = 0, size = firstRequest; start < oids.length; size = Math.min(size * requestGrowth, largestRequest)) {
    const most = Math.min((1 + requestGrowth) * size, 1.5 * largestRequest);
    const end = oids.length - start < most ? oids.length : start + size;
    groups.push(oids.slice(start, end));
    start = end;
  }
  return groups;
}

/** Parses a tree: `<mode> <name>\0<20 bytes of id>` for each entry. */
function parseTree(bytes: Uint8Array): TreeEntry[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries: TreeEntry[] = [];
  for (let at = 0; at < buffer.length;) {
    const space = buffer.indexOf(0x20, at);
    const end = buffer.indexOf(0, space);
    if (space < 0 || end < 0) break;
    entries.push({
      mode: buffer.toString("latin1", at, space),
      path: buffer.toString("utf8", space + 1, end),
      oid: buffer.toString("hex", end + 1, end + 21),
    });
    at = end + 21;
  }
  return entries;
}

/**
 * By its id, so that a branch that moved meanwhile does no harm; by the tags and branches that name it where the server
 * hands out only those. Answers the id it was asked for by.
 */
async function fetchCommit(
  remote: Remote,
  { client, signal, idleTimeout }: CheckoutOptions,
  fetch: (oid: string) => Promise<void>,
): Promise<string> {
  const { url, revision, ref, authorization } = remote;
  try {
    await fetch(revision);
    return revision;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const http = createGitHttp({ client, repository: url, authorization, signal, maxBytes: maxRefBytes, idleTimeout });
    const named = ref === null ? [] : await listRefs(http, [`refs/heads/${ref}`, `refs/tags/${ref}`]);
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

function toFailure(error: unknown, { url, secrets }: Remote): unknown {
  if (error instanceof PacketError) return answerFailure(error.message, url, secrets, error);
  if (error instanceof PackError) return packFailure(error, url);
  return diskFailure(error) ?? error;
}
