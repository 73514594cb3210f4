import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createFetchClient } from "../../../activities/fetch/client.ts";
import { createGuard } from "../../../activities/fetch/guard.ts";
import { createPoliteClient } from "../../../activities/fetch/polite.ts";
import { readPartLines } from "../../../activities/parts.ts";
import { llmsTxtReader } from "../../../activities/sources/llmstxt/index.ts";
import { createThreadPool } from "../../../activities/thread-pool.ts";
import { createFolderBlobStore } from "../../../blobs/folder.ts";
import type { LlmsTxtSourceSpec } from "../../../domain/kinds/index.ts";
import { codesOf } from "../../../domain/passage.ts";
import type { Manifest } from "../../../domain/generation.ts";
import type { Passage } from "../../../domain/passage.ts";
import { collectHere } from "../collecting.ts";
import { temporaryFolder } from "../../support/lectern-process.ts";
import { startSite } from "../../support/site.ts";
import type { SitePage } from "../../support/site.ts";

/** A page of documentation, as Markdown. */
export const page = (name: string): string =>
  `# ${name}\n\nThis page tells how ${name} is used, and when it is better not to.\n\n## Use of ${name}\n\n\`\`\`js\n${name.toLowerCase()}();\n\`\`\`\n`;
/** The same as HTML. */
export const html = (name: string): string =>
  `<!doctype html><html><head><title>${name}</title></head><body><nav><a href="/">Home</a><a href="/b">B</a></nav><main><article><h1>${name}</h1><p>This page tells how ${name} is used, and when it is better not to be used, in a paragraph that is long enough.</p><pre><code class="language-js">${name.toLowerCase()}(&lt;a&gt;);\n  next();\n</code></pre></article></main></body></html>`;

/** A site that has the pages, and what indexing its llms.txt comes to; the last result is live for the next. */
export async function setup(
  pages: Readonly<Record<string, SitePage>>,
  options: { etags?: boolean; limits?: object; hosts?: string[] } = {},
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
    await pool.close();
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
  const pool = createThreadPool({ maxThreads: 1 });
  const politeClient = () => createPoliteClient({ client, hosts, interval: 0, now: Date.now });
  const source = llmsTxtReader.create({
    client,
    politeClient,
    browser: () => null,
    guard,
    pool,
    extensions: [],
    folderRoots: [],
  });
  let live: Manifest | undefined;
  let runs = 0;
  const index = async (path = "/llms.txt", spec: Partial<LlmsTxtSourceSpec> = {}) => {
    site.requests.length = 0;
    const whole: LlmsTxtSourceSpec = { kind: "llmstxt", url: `${site.origin}${path}`, otherHosts: false, ...spec };
    const signal = new AbortController().signal;
    const state = await source.resolve(whole, null, { signal, credential: null });
    const { manifest } = await collectHere({
      blobs,
      source,
      input: { generation: `g${runs++}`, spec: whole, state, live: live?.generation },
      context: {
        signal,
        keepFailed: 3,
        scratch: folder.path,
        limits: { pages: 100, bytes: 1e6, pageBytes: 1e5, ...options.limits },
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
  return { site, index, codes, blobs };
}
