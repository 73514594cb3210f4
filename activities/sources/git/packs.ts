import type { FetchClient } from "../../fetch/client.ts";
import { Failure } from "../../../domain/failures.ts";
import { createGitHttp, type GitHttp } from "./http.ts";
import { PacketError, readLines, readPack, toLine } from "./packets.ts";
import type { Remote } from "./remote.ts";

/** What a pack is to hold. */
export interface PackRequest {
  /** Ids of commits, tags or blobs, one at least. */
  readonly wants: readonly string[];
  /** True for commits: their trees come along, and none of their parents. */
  readonly shallow: boolean;
  /** True to have the blobs of commits left out, where the server can do that. */
  readonly withoutBlobs: boolean;
}

/** Fetches packs from one repository. */
export interface PackFetcher {
  /**
   * A pack as it comes; what is wrong with the request shows before its first bytes.
   * @throws Failure; PacketError where the server refuses or does not speak Git's protocol
   */
  fetch(request: PackRequest, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** Whether the server leaves blobs out when asked; known after the first pack. */
  filters(): boolean;
}

/** What fetching packs needs. */
export interface PackFetcherOptions {
  readonly client: FetchClient;
  /** Cap on all packs together, in bytes. */
  readonly maxDownload: number;
  /** Longest silence of the server, in milliseconds. */
  readonly idleTimeout: number;
}

/** What a server speaks. */
interface Dialect {
  /** Protocol 2, or what was before. */
  readonly isTwo: boolean;
  readonly capabilities: ReadonlySet<string>;
}

/** What servers of these days speak. */
const usual: Dialect = { isTwo: true, capabilities: new Set(["filter"]) };

/** Capabilities of the old protocol that are taken where a server has them (gitprotocol-capabilities). */
const oldCapabilities = ["multi_ack_detailed", "side-band-64k", "ofs-delta", "no-progress", "filter"];

/**
 * Speaks Git's protocol for fetching (gitprotocol-v2, gitprotocol-pack) over the guarded client. A server is taken to
 * speak protocol 2 and to know filters, which saves a request each time; one that answers something else is asked what it speaks.
 */
export function createPackFetcher(remote: Remote, options: PackFetcherOptions): PackFetcher {
  const { client, idleTimeout } = options;
  const { url: repository, authorization } = remote;
  let dialect = usual;
  let isKnown = false;
  let left = options.maxDownload;

  async function ask(request: PackRequest, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const http = createGitHttp({ client, repository, authorization, signal, maxBytes: left, idleTimeout });
    const answer = dialect.isTwo
      ? await http.uploadPack(toRequest(request, dialect))
      : await http.uploadPack(toOldRequest(request, dialect), 1);
    const pack = readPack(answer);
    const first = await pack.next();
    if (first.done === true) throw new PacketError("The answer has no pack.");
    isKnown = true;
    return counted(first.value, pack);
  }

  async function* counted(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    left -= first.length;
    yield first;
    for await (const bytes of rest) {
      left -= bytes.length;
      yield bytes;
    }
  }

  return {
    filters: () => dialect.capabilities.has("filter"),
    async fetch(request, signal) {
      try {
        return await ask(request, signal);
      } catch (error) {
        if (isKnown || !isDoubtful(error)) throw error;
        const http = createGitHttp({ client, repository, authorization, signal, maxBytes: left, idleTimeout });
        const spoken = await readDialect(http).catch(() => {
          signal.throwIfAborted();
          // Who answers neither question is told of by what the first one brought.
          throw error;
        });
        if (spoken.isTwo && spoken.capabilities.has("filter")) throw error;
        [dialect, isKnown] = [spoken, true];
        return ask(request, signal);
      }
    },
  };
}

/** True where the server may speak something else; a refusal of what was asked for is in order. */
function isDoubtful(error: unknown): boolean {
  if (error instanceof PacketError) return !isRefusal(error);
  // Some servers fail over words that they do not know.
  return error instanceof Failure && (error.code === "source_invalid" || error.cause === 500);
}

/** True where a server is in order, but does not hand out what was asked for, in the words of Git or of JGit. */
export function isRefusal(error: unknown): boolean {
  return error instanceof PacketError && /not our ref|unadvertised object|want \S+ not valid/i.test(error.message);
}

async function readDialect(http: GitHttp): Promise<Dialect> {
  const lines = readLines(await http.discover());
  if (lines.includes("version 2")) {
    const features = lines.find((line) => line.startsWith("fetch="))?.slice("fetch=".length) ?? "";
    return { isTwo: true, capabilities: new Set(features.split(" ")) };
  }
  const [, capabilities] = lines.find((line) => line.includes("\0"))?.split("\0") ?? [];
  if (capabilities === undefined) throw new PacketError("The answer names no capabilities.");
  return { isTwo: false, capabilities: new Set(capabilities.trim().split(" ")) };
}

function toRequest({ wants, shallow, withoutBlobs }: PackRequest, { capabilities }: Dialect): string {
  const lines = [
    "ofs-delta",
    "no-progress",
    ...wants.map((oid) => `want ${oid}`),
    ...(shallow ? ["deepen 1"] : []),
    ...(withoutBlobs && capabilities.has("filter") ? ["filter blob:none"] : []),
    "done",
  ];
  return `${toLine("command=fetch")}0001${lines.map(toLine).join("")}0000`;
}

function toOldRequest({ wants, shallow, withoutBlobs }: PackRequest, { capabilities }: Dialect): string {
  const taken = oldCapabilities.filter((capability) => capabilities.has(capability));
  const lines = [
    ...wants.map((oid, at) => (at === 0 ? `want ${oid} ${taken.join(" ")}` : `want ${oid}`)),
    ...(shallow ? ["deepen 1"] : []),
    ...(withoutBlobs && capabilities.has("filter") ? ["filter blob:none"] : []),
  ];
  return `${lines.map(toLine).join("")}0000${toLine("done")}`;
}
