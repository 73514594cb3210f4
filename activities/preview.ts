import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../domain/failures.ts";
import type { PageRef, ReadContext, Source, SourceAccount, SourceItem } from "../domain/ports.ts";
import type { Preview, PreviewPage, PreviewingPorts } from "../domain/previewing.ts";
import { readPassage } from "../domain/passage-lines.ts";
import type { Passage } from "../domain/passage.ts";
import type { SourceSpec } from "../domain/kinds/index.ts";
import { collectPage } from "./collect-page.ts";
import type { CollectPorts } from "./collect.ts";
import type { EarlierPages } from "./earlier-pages.ts";

/** What previews need of the world. */
export interface PreviewOptions {
  readonly sources: Readonly<Record<SourceSpec["kind"], Source>>;
  readonly parse: CollectPorts["parse"];
  /** Folder for what a preview needs on disk. */
  readonly scratch: string;
  readonly limits: ReadContext["limits"];
  /** Longest time that a preview takes, in milliseconds. */
  readonly time?: number;
}

/** Bounds of one preview: pages that are read and extracted from, passages of each that are shown, pages that are listed. */
const maxSampled = 5;
const maxPassages = 2;
const maxListed = 1000;
/** Pages that a crawl visits. */
const maxVisits = 25;
/** Previews at once: each reads a source on the process that answers questions. */
const atOnce = 2;

const nothing: EarlierPages = {
  damage: undefined,
  includesOf: () => undefined,
  get: async () => undefined,
  last: async () => undefined,
  page: () => undefined,
  found: () => [],
  within: () => [],
  validators: () => undefined,
  fetched: [],
};

/** Makes what previews sources: it reads as a run does, and keeps nothing. */
export function createPreview(options: PreviewOptions): PreviewingPorts["previewOf"] {
  const { sources, parse, scratch, limits, time = 30_000 } = options;
  let underWay = 0;

  async function preview(spec: SourceSpec, credential: object | null, signal: AbortSignal): Promise<Preview> {
    const over = AbortSignal.timeout(time);
    const both = AbortSignal.any([signal, over]);
    const source = sources[spec.kind];
    const state = await source.resolve(spec, null, { signal: both, credential });
    const seen = createNotes();
    await mkdir(scratch, { recursive: true });
    const folder = await mkdtemp(join(scratch, "preview-"));
    let asked = 0;
    // Where a source asks before it reads, all but a few pages need not be read.
    const known = (): readonly [] | undefined => ((asked += 1) > maxSampled ? [] : undefined);
    const checkpoint = { load: async () => undefined, save: async () => {} };
    const context = { spec, revision: state.revision, earlier: nothing, signal: both, keepFailed: 0, parse };
    try {
      const items = source.read(spec, state, {
        signal: both,
        credential,
        checkpoint,
        known,
        earlier: nothing,
        pages: seen.count,
        account: seen.account,
        upload: () => Promise.reject(new Failure("validation_error", "What is uploaded has no preview.")),
        scratch: folder,
        limits,
        branchIsOpen: true,
        preview: { pages: maxVisits, waiting: seen.waiting },
      });
      for await (const item of items) {
        if (item.type === "page" && seen.sampled() < maxSampled) {
          const { page, lines } = await collectPage(item, context);
          const passages = new TextDecoder().decode(lines).split("\n").slice(0, -1).map(readPassage);
          const { outcome, snippets, ...said } = page;
          const became = outcome === "indexed" ? "read" : outcome;
          seen.page({ ...said, ...(snippets !== undefined && { snippets }), outcome: became }, passages);
        } else seen.page(toPage(item));
        if (seen.listed() >= maxListed) return seen.result(state, false);
      }
      return seen.result(state, true);
    } catch (error) {
      if (!over.aborted || signal.aborted || seen.listed() === 0) throw error;
      return seen.result(state, false);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  return async (spec, credential, signal) => {
    if (underWay >= atOnce)
      throw new Failure("service_unavailable", "Other previews are under way. Try again in a moment.", {
        retryAfter: 10,
      });
    underWay += 1;
    try {
      return await preview(spec, credential, signal);
    } finally {
      underWay -= 1;
    }
  };
}

/** What a source has said so far. */
function createNotes() {
  const pages: PreviewPage[] = [];
  const sample: Passage[] = [];
  let sampled = 0;
  let total = 0;
  let answers: Preview["answers"];
  let waiting: readonly string[] = [];
  let account: SourceAccount = {};
  return {
    count(known: number, statuses?: Readonly<Record<string, number>>): void {
      total = known;
      answers = statuses;
    },
    account: (said: SourceAccount): void => void (account = { ...account, ...said }),
    waiting: (keys: readonly string[]): void => void (waiting = keys.slice(0, maxListed)),
    sampled: () => sampled,
    listed: () => pages.length,
    page(
      { path, url, outcome, code, reason, title, from, snippets }: PreviewPage,
      passages?: readonly Passage[],
    ): void {
      const why = { ...(code !== undefined && { code }), ...(reason !== undefined && { reason }) };
      const found = { ...(title !== undefined && { title }), ...(from !== undefined && { from }) };
      pages.push({ path, url, outcome, ...why, ...found, ...(snippets !== undefined && { snippets }) });
      if (passages === undefined) return;
      sampled += 1;
      sample.push(...passages.filter(({ flags }) => flags === undefined).slice(0, maxPassages));
    },
    result: ({ revision, ref }: { revision: string; ref: string | null }, isWhole: boolean): Preview => ({
      revision: account.instead?.revision ?? account.revision ?? revision,
      ref: account.instead?.ref ?? ref,
      settings: account.settings ?? {},
      pages,
      total: Math.max(total, pages.length),
      waiting,
      notes: account.notes ?? [],
      ...(answers && { answers }),
      sample,
      isWhole,
    }),
  };
}

/** A page that is listed only. */
function toPage(item: SourceItem): PreviewPage {
  const { key: path, url, from }: PageRef = item.page;
  const place = { path, url, ...(from !== undefined && { from }) };
  if (item.type === "skipped") return { ...place, outcome: "skipped", code: item.code, reason: item.reason };
  if (item.type === "failed")
    return { ...place, outcome: "failed", code: item.failure.code, reason: item.failure.message };
  const reason = item.type === "unrendered" ? { reason: "It is read in a browser." } : {};
  return { ...place, outcome: "read", ...reason };
}
