import { onTestFinished } from "vitest";
import { createFetchClient } from "../../sources/lib/fetch/client.ts";
import { createGuard } from "../../sources/lib/fetch/guard.ts";
import { createPoliteClient } from "../../sources/lib/fetch/polite.ts";
import { openApiReader } from "../../sources/openapi/index.ts";
import { pool } from "../support/pool.ts";
import type { ThreadPool } from "../../sources/lib/threads/thread-pool.ts";
import type { OpenApiSourceSpec } from "../../domain/kinds/openapi.ts";
import type { EarlierRef, SourceAccount, SourceItem } from "../../domain/ports.ts";
import { noCheckpoint } from "../support/nothing-earlier.ts";
import { startSite, type SitePage } from "../support/site.ts";
import { unpacedHosts } from "../support/unpaced-hosts.ts";

/** A site with these files, and `read` for a description; each read knows the pages of the one before. */
export async function setup(
  pages: Readonly<Record<string, SitePage>>,
  options: { etags?: boolean; limits?: object; upload?: string } = {},
) {
  const site = await startSite(pages, options);
  const guard = createGuard({ allow: [site.host] });
  const proxies = { http: undefined, https: undefined, except: "" };
  const client = createFetchClient({ guard, userAgent: "Lectern test", proxies });
  onTestFinished(async () => {
    await client.close();
    await site.close();
  });
  const politeClient = () => createPoliteClient({ client, hosts: unpacedHosts, interval: 0, now: Date.now });
  const parsed: string[] = [];
  const source = openApiReader.create({ politeClient, guard, pool: counting(pool, parsed) });
  let known: readonly EarlierRef[] = [];
  let account: SourceAccount = {};

  const read = async (path = "/openapi.json", spec: Partial<OpenApiSourceSpec> = {}) => {
    site.requests.length = 0;
    parsed.length = 0;
    const url = options.upload === undefined ? `${site.origin}${path}` : null;
    const whole: OpenApiSourceSpec = { kind: "openapi", url, fileName: path.split("/").at(-1) ?? "", ...spec };
    const before = account;
    account = {};
    const items: SourceItem[] = [];
    const signal = new AbortController().signal;
    const reading = source.read(whole, await source.resolve(whole), {
      signal,
      checkpoint: noCheckpoint,
      known: ({ key, fingerprint }) =>
        known.some(({ page }) => page.key === key && page.fingerprint === fingerprint) ? [] : undefined,
      earlier: {
        page: (key) => known.find(({ page }) => page.key === key),
        found: () => [],
        within: (resource) => known.filter(({ page }) => page.resource === resource),
        validators: (resource) => before.validators?.[resource],
        fetched: Object.keys(before.validators ?? {}),
        ...(before.settings && { settings: before.settings }),
        ...(before.notes && { notes: before.notes }),
      },
      pages: () => {},
      account: (reported) => (account = { ...account, ...reported }),
      upload: async () => new TextEncoder().encode(options.upload),
      credential: null,
      scratch: "",
      limits: { pages: 100, bytes: 1e6, pageBytes: 1e6, ...options.limits },
    });
    for await (const item of reading) items.push(item);
    known = items.map(({ page }) => ({ page, revision: "", failures: 0 }));
    const keys = (type: SourceItem["type"]): string[] =>
      items.filter((item) => item.type === type).map(({ page }) => decodeURIComponent(page.key.replace(/^[^#]*/, "")));
    const requests = site.requests.map(({ path: at, status }) => `${at} ${status}`);
    return { items, account, read: keys("page"), known: keys("known"), requests };
  };
  return { site, read, guard, parsed: () => parsed };
}

/** The pool, which records in `parsed` the files that threads parse. */
function counting({ run, close }: ThreadPool, parsed: string[]): ThreadPool {
  const note = (value: unknown): void => {
    if (value instanceof Map) parsed.push(...(value as ReadonlyMap<string, unknown>).keys());
    else if (typeof value === "object" && value !== null && !(value instanceof Uint8Array)) {
      if ("bytes" in value && "name" in value) parsed.push(String(value.name));
      for (const inner of Object.values(value)) note(inner);
    }
  };
  return {
    close,
    run(task, input, options) {
      note(input);
      return run(task, input, options);
    },
  };
}
