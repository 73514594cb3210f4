import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Browser } from "../../sources/lib/browser/browser.ts";
import { createFetchClient } from "../../sources/lib/fetch/client.ts";
import { createGuard } from "../../sources/lib/fetch/guard.ts";
import { createPoliteClient } from "../../sources/lib/fetch/polite.ts";
import { readPartLines } from "../../activities/parts.ts";
import type { SourceTools } from "../../sources/source-reader.ts";
import { pool } from "../support/pool.ts";
import { createFolderBlobStore } from "../../stores/blobs/folder.ts";
import { publicRegistries } from "../support/public-registries.ts";
import type { SourceSpec } from "../../domain/kinds/index.ts";
import type { Source } from "../../domain/ports.ts";
import { codesOf, type Passage } from "../../domain/passage.ts";
import type { Manifest } from "../../domain/generation.ts";
import { collectHere } from "../activities/collecting.ts";
import { temporaryFolder } from "../support/lectern-process.ts";
import { startSite, type SitePage } from "../support/site.ts";

/** Options of a test's site. */
export interface SiteOptions {
  /** Whether texts have an ETag. */
  readonly etags?: boolean;
  readonly limits?: object;
  /** The browser of the second pass; none by default. */
  readonly browser?: Browser;
  /** Further hosts that may be fetched from. */
  readonly hosts?: readonly string[];
}

/** A site with these pages, and `index` for it; each result is live for the next. */
export async function indexedSite<Spec extends SourceSpec>(
  pages: Readonly<Record<string, SitePage>>,
  options: SiteOptions,
  create: (tools: SourceTools) => Source<Spec, never>,
) {
  const folder = await temporaryFolder();
  const site = await startSite(pages, options);
  const guard = createGuard({ allow: [site.host, ...(options.hosts ?? [])] });
  const client = createFetchClient({
    guard,
    userAgent: "Lectern test",
    proxies: { http: undefined, https: undefined, except: "" },
  });
  onTestFinished(async () => {
    await client.close();
    await site.close();
    await folder[Symbol.asyncDispose]();
  });
  const blobs = createFolderBlobStore({ folder: join(folder.path, "blobs") });
  const free = new Map<string, number>();
  const hosts = {
    reserve: async (host: string, interval: number, now: number) => {
      const at = Math.max(now, free.get(host) ?? 0);
      free.set(host, at + interval);
      return at;
    },
    postpone: async (host: string, until: number) => void free.set(host, Math.max(until, free.get(host) ?? 0)),
  };
  const politeClient = () => createPoliteClient({ client, hosts, interval: 0, now: Date.now });
  const source = create({
    client,
    politeClient,
    guard,
    pool,
    extensions: [],
    confluenceGateway: new URL("https://api.atlassian.com"),
    folderRoots: [],
    notionApi: new URL("http://127.0.0.1:9"),
    registries: publicRegistries,
    browser: () => options.browser ?? null,
  }) as unknown as Source;
  let live: Manifest | undefined;
  let runs = 0;
  const index = async (
    whole: Spec,
    { attempt = 1, ...context }: Partial<Parameters<typeof collectHere>[0]["context"]> & { attempt?: number } = {},
  ) => {
    // A further attempt goes on with the generation of the last one.
    runs += attempt === 1 ? 1 : 0;
    site.requests.length = 0;
    const signal = context.signal ?? new AbortController().signal;
    const { credential = null } = context;
    const state = await source.resolve(whole, null, { signal, credential });
    const { manifest } = await collectHere({
      blobs,
      source,
      // The options differ each time, so that a manifest is written even if nothing changed.
      input: { generation: `g${runs}`, spec: whole, state, live: live?.generation, optionsHash: `${runs}` },
      context: {
        signal,
        keepFailed: 3,
        scratch: folder.path,
        limits: { pages: 100, bytes: 1e6, pageBytes: 1e5, ...options.limits },
        ...context,
      },
    });
    const unchanged = live?.contentHash === manifest.contentHash;
    live = manifest;
    const lines = (await Promise.all(manifest.parts.map((part) => readPartLines(blobs, part)))).flat();
    const requests = site.requests.map(({ path: at, status }) => `${at} ${status}`);
    return { manifest, passages: lines.map((line) => JSON.parse(line) as Passage), unchanged, requests };
  };
  const codes = ({ passages }: Awaited<ReturnType<typeof index>>): string[] =>
    passages.flatMap((passage) => codesOf(passage).map(({ code }) => code)).toSorted();
  return { site, index, codes, blobs, source };
}
