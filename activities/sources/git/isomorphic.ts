import fs from "node:fs";
import { join } from "node:path";
import type { FetchClient } from "../../fetch/client.ts";
import { Failure } from "../../../domain/failures.ts";
import { notARepository, repositoryName } from "./failures.ts";
import { createGitHttp } from "./http.ts";
import type { Remote } from "./remote.ts";
import type { Checkout, TreeEntry } from "./tree.ts";

/** What fetching without a git program needs. */
export interface IsomorphicGitOptions {
  readonly client: FetchClient;
  /** An empty folder of our own. */
  readonly scratch: string;
  readonly signal: AbortSignal;
  /** Cap on the pack, in bytes: it is held in memory. */
  readonly maxDownload: number;
}

/** Entries handed over at once. */
const batchSize = 1000;

/** Deeper trees are made to wear us out. */
const maxDepth = 200;

/**
 * Fetches a commit with all its files, since isomorphic-git knows no partial clones: for hosts without a git program.
 * It takes five to twenty-five times the bytes, and memory for the whole pack.
 * @throws Failure
 */
export async function openWithIsomorphicGit(remote: Remote, options: IsomorphicGitOptions): Promise<Checkout> {
  const git = await import("isomorphic-git");
  const { url, revision, ref, authorization } = remote;
  const { client, signal } = options;
  const gitdir = join(options.scratch, "isomorphic.git");
  // Every object of the pack is looked up here; it goes with the checkout.
  const cache = {};
  await git.init({ fs, gitdir, bare: true });
  await git.addRemote({ fs, gitdir, remote: "origin", url: url.href });

  async function fetch(wanted: string): Promise<void> {
    const http = createGitHttp({ client, repository: url, authorization, signal, maxBytes: options.maxDownload });
    await git.fetch({
      fs,
      http,
      gitdir,
      cache,
      url: url.href,
      ref: wanted,
      remoteRef: wanted,
      depth: 1,
      singleBranch: true,
      tags: false,
    });
    http.assertWhole();
  }

  const wanted = [revision, ...(ref === null ? [] : [`refs/heads/${ref}`, `refs/tags/${ref}`])];
  let refusal: unknown;
  let tree: string | undefined;
  for (const one of wanted) {
    try {
      await fetch(one);
      ({ tree } = (await git.readCommit({ fs, gitdir, cache, oid: revision })).commit);
      break;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof Failure) throw error;
      refusal ??= error;
    }
  }
  if (tree === undefined) throw toFailure(refusal, remote);
  const root = tree;

  async function* walk(oid: string, folder: string, depth: number): AsyncGenerator<TreeEntry> {
    if (depth > maxDepth)
      throw new Failure("library_too_large", `${repositoryName(url)} has folders more than ${maxDepth} deep.`);
    signal.throwIfAborted();
    // Not readTree: that refuses a whole tree for one odd name.
    const { object } = await git.readObject({ fs, gitdir, cache, oid, format: "content" });
    if (!(object instanceof Uint8Array)) throw notARepository(url, "a folder of it is none");
    for (const entry of parseTreeObject(object)) {
      const path = folder + entry.path;
      if (entry.mode === "40000") yield* walk(entry.oid, `${path}/`, depth + 1);
      else yield { mode: entry.mode, oid: entry.oid, path };
    }
  }

  return {
    async *entries() {
      let batch: TreeEntry[] = [];
      try {
        for await (const entry of walk(root, "", 0)) {
          if (batch.push(entry) < batchSize) continue;
          yield batch;
          batch = [];
        }
      } catch (error) {
        throw toFailure(error, remote);
      }
      yield batch;
    },
    // They came with the commit.
    async fetch() {},
    async *blobs(oids, maxBytes) {
      for (const oid of oids) {
        signal.throwIfAborted();
        const { blob } = await git.readBlob({ fs, gitdir, cache, oid }).catch((error: unknown) => {
          throw toFailure(error, remote);
        });
        yield { size: blob.length, bytes: blob.length > maxBytes ? null : new Uint8Array(blob) };
      }
    },
  };
}

/** Parses a tree: `<mode> <name>\0<20 bytes of id>` for each entry. */
function parseTreeObject(bytes: Uint8Array): TreeEntry[] {
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

function toFailure(error: unknown, { url }: Remote): unknown {
  // Errors of isomorphic-git have a code of its own; anything else is a bug, or the disk.
  if (error instanceof Error && "code" in error && /^[A-Z][a-z]/.test(String(error.code)))
    return notARepository(url, "what it sent cannot be read", error);
  return error;
}
