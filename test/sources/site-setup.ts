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

/** What a test of a site chooses. */
export interface SiteOptions {
  /** Texts have an ETag. */
  readonly etags?: boolean;
  readonly limits?: object;
  /** What reads pages in the second pass; none by default. */
  readonly browser?: Browser;
  /** Hosts beside the site's own that may be fetched from. */
  readonly hosts?: readonly string[];
}

/** A site that has the pages, and what indexing it comes to; the last result is live for the next. */
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
  const asked = new Map<string, number>();
  const hosts = {
    reserve: async (host: string, interval: number, now: number) => {
      const at = Math.max(now, asked.get(host) ?? 0);
      asked.set(host, at + interval);
      return at;
    },
    postpone: async (host: string, until: number) => void asked.set(host, Math.max(until, asked.get(host) ?? 0)),
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
    // A further attempt makes the generation of the one that was broken off.
    runs += attempt === 1 ? 1 : 0;
    site.requests.length = 0;
    const signal = context.signal ?? new AbortController().signal;
    const { credential = null } = context;
    const state = await source.resolve(whole, null, { signal, credential });
    const { manifest } = await collectHere({
      blobs,
      source,
      // With other options each time, a manifest is written of what is unchanged too.
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
    const asked = site.requests.map(({ path: at, status }) => `${at} ${status}`);
    return { manifest, passages: lines.map((line) => JSON.parse(line) as Passage), unchanged, asked };
  };
  const codes = ({ passages }: Awaited<ReturnType<typeof index>>): string[] =>
    passages.flatMap((passage) => codesOf(passage).map(({ code }) => code)).toSorted();
  return { site, index, codes, blobs, source };
}
