import { noCheckpoint, noUpload, nothingEarlier } from "../../support/nothing-earlier.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import type { Throughput } from "../../../sources/lib/fetch/body.ts";
import { createFetchClient } from "../../../sources/lib/fetch/client.ts";
import { createGuard } from "../../../sources/lib/fetch/guard.ts";
import { pool } from "../../support/pool.ts";
import { createGitSource, type GitSourceOptions } from "../../../sources/git/index.ts";
import type { PageRef, SourceAccount, SourceItem, SourceState } from "../../../domain/ports.ts";
import type { IncludedRef } from "../../../domain/generation.ts";
import type { GitCredential, GitSourceSpec } from "../../../domain/kinds/index.ts";
import { startGitServer, type GitServer } from "../../support/git-server.ts";
import { gitSpec } from "../../support/git-spec.ts";

/** Options of a reading. */
export interface ReadOptions {
  readonly secret?: string;
  /** In place of a secret. */
  readonly credential?: GitCredential;
  /** Refs that are kept before others. */
  readonly named?: readonly string[];
  readonly signal?: AbortSignal;
  /** True for a page that includes nothing, else what it included. */
  readonly known?: (page: PageRef) => boolean | readonly IncludedRef[] | undefined;
  /** Called with each item as it comes. */
  readonly onItem?: (item: SourceItem) => void;
  /** False if a branch or tag was asked for. */
  readonly branchIsOpen?: boolean;
  readonly limits?: Partial<{ pages: number; bytes: number; pageBytes: number }>;
}

/** The result of a reading. */
export interface Reading {
  readonly items: SourceItem[];
  /** The number that `pages` was called with. */
  readonly counted: number | undefined;
  /** What the source reported besides its pages. */
  readonly account?: SourceAccount;
}

/** A server and everything that reads from it; `close` removes it all. */
export interface GitTestbed {
  readonly server: GitServer;
  /** The folder of temporary folders of readings. */
  readonly scratch: string;
  readonly spec: (url: string, more?: Partial<GitSourceSpec>) => GitSourceSpec;
  resolve(spec: GitSourceSpec, ref?: string | null, options?: ReadOptions): Promise<SourceState>;
  read(spec: GitSourceSpec, state: SourceState, options?: ReadOptions): Promise<Reading>;
  /** Resolves and reads. */
  readAll(spec: GitSourceSpec, options?: ReadOptions): Promise<Reading>;
  close(): Promise<void>;
}

/** Options of a testbed's source. */
interface TestbedOptions extends Partial<GitSourceOptions> {
  /** Timeout for a silent server, in milliseconds; the default is enough for a busy machine. */
  readonly patience?: number;
  /** Lowest accepted throughput. */
  readonly slowest?: Throughput;
}

function credentialOf({ secret: token, credential }: ReadOptions): GitCredential | null {
  return credential ?? (token === undefined ? null : { token });
}

/** Starts a server, and a source that may reach it. */
export async function startGitTestbed({
  patience = 20_000,
  slowest,
  ...options
}: TestbedOptions = {}): Promise<GitTestbed> {
  const server = await startGitServer();
  const folder = await mkdtemp(join(tmpdir(), "lectern-git-read-"));
  const guard = createGuard({ allow: [server.host, "localhost"] });
  const client = createFetchClient({
    guard,
    userAgent: "Lectern test",
    proxies: { http: undefined, https: undefined, except: "" },
    headersTimeout: patience,
    bodyTimeout: patience,
    ...(slowest && { slowest }),
  });
  const source = createGitSource({ client, guard, pool, extensions: [".md", ".mdx", ".txt", ".rst"], ...options });

  const resolve: GitTestbed["resolve"] = (spec, ref = null, options = {}) => {
    const { signal = new AbortController().signal, named = [] } = options;
    return source.resolve(spec, ref, { credential: credentialOf(options), signal, named });
  };
  const read: GitTestbed["read"] = async (spec, state, options = {}) => {
    const { signal, known, limits, onItem, branchIsOpen = true } = options;
    const scratch = await mkdtemp(join(folder, "reading-"));
    const items: SourceItem[] = [];
    let counted: number | undefined;
    let account: SourceAccount | undefined;
    try {
      const reading = source.read(spec, state, {
        credential: credentialOf(options),
        earlier: nothingEarlier,
        checkpoint: noCheckpoint,
        upload: noUpload,
        signal: signal ?? new AbortController().signal,
        known: (page) => {
          const kept = known?.(page);
          return kept === true ? [] : kept === false ? undefined : kept;
        },
        pages: (count) => (counted = count),
        account: (reported) => (account = reported),
        branchIsOpen,
        scratch,
        limits: { pages: 1000, bytes: 10_000_000, pageBytes: 100_000, ...limits },
      });
      for await (const item of reading) {
        items.push(item);
        onItem?.(item);
      }
      return { items, counted, ...(account && { account }) };
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  };

  return {
    server,
    scratch: folder,
    resolve,
    read,
    spec: gitSpec,
    readAll: async (spec, options) => read(spec, await resolve(spec, null, options), options),
    async close() {
      await client.close();
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A testbed for the tests of a file or suite, closed after them. */
export async function openGitTestbed(options?: TestbedOptions): Promise<GitTestbed> {
  const bed = await startGitTestbed(options);
  afterAll(() => bed.close());
  return bed;
}

/** The state of a repository whose commit is all ones. */
export function stateOf(url: string, more: Partial<SourceState> = {}): SourceState {
  return { revision: "1".repeat(40), ref: "main", location: url, refs: [], ...more };
}

/** The outcome of each path: the text of a page, a code or a type. */
export function outline(items: readonly SourceItem[]): Record<string, string> {
  return Object.fromEntries(
    items.map((item) => [
      item.page.key,
      item.type === "page" ? Buffer.from(item.bytes).toString() : item.type === "skipped" ? item.code : item.type,
    ]),
  );
}
