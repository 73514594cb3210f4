import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../domain/failures.ts";
import { createFairQueue } from "../domain/fair-queue.ts";
import type { PageRef, ReadContext, Source, SourceAccount, SourceItem } from "../domain/ports.ts";
import type { HeldPassage, Preview, PreviewPage, PreviewingPorts } from "../domain/previewing.ts";
import { forOtherReaders } from "../domain/generation.ts";
import { readPassage, isServed, type Passage } from "../domain/passage.ts";
import { kindOf, type SourceSpec } from "../domain/kinds/index.ts";
import { createFinisher } from "../extract/finish.ts";
import { collectPage, screenedPage, type CollectedPage } from "./collect-page.ts";
import type { CollectPorts } from "./collect.ts";
import { describeLibrary } from "./describe-library.ts";
import type { EarlierPages } from "./earlier-pages.ts";
import { flagLines } from "../extract/passage-lines.ts";
import { findingsOfPlace, screenedSentence, screenedFailure } from "../extract/screened-texts.ts";

/** The ports and limits of previews. */
export interface PreviewOptions extends Pick<CollectPorts, "parse" | "screen"> {
  readonly sources: Readonly<Record<SourceSpec["kind"], Source>>;
  readonly scratch: string;
  readonly limits: ReadContext["limits"];
  /** Maximum time of a preview, in milliseconds. */
  readonly time?: number;
}

/** Maximum number of pages that a preview extracts, of passages that it shows of each, and of pages and quarantined passages that it lists. */
const maxSampled = 5;
const maxPassages = 2;
const maxListed = 1000;
const maxHeld = 100;
const maxVisits = 25;
/** Maximum number of concurrent previews: each reads a source in the process that answers questions. */
const atOnce = 2;

const nothing: EarlierPages = {
  live: undefined,
  damage: undefined,
  keyOf: ({ key }) => key,
  includesOf: () => undefined,
  get: async () => undefined,
  last: async () => undefined,
  page: () => undefined,
  found: () => [],
  within: () => [],
  validators: () => undefined,
  fetched: [],
};

/** Creates the preview of sources, which reads like a run but stores nothing. */
export function createPreview(options: PreviewOptions): PreviewingPorts["previewOf"] {
  const { sources, parse, screen, scratch, limits, time = 30_000 } = options;
  const refuse = (): Failure =>
    new Failure("service_unavailable", "Too many previews are running. Try again in a moment.", { retryAfter: 10 });
  const previews = createFairQueue({ places: atOnce, maxWaiting: 0, refuse });

  async function preview(
    ...[spec, credential, signal, onProgress]: Parameters<PreviewingPorts["previewOf"]>
  ): Promise<Preview> {
    const timeout = AbortSignal.timeout(time);
    const both = AbortSignal.any([signal, timeout]);
    const source = sources[spec.kind];
    const state = await source.resolve(spec, null, { signal: both, credential });
    const result = createResult(spec);
    await mkdir(scratch, { recursive: true });
    const folder = await mkdtemp(join(scratch, "preview-"));
    let asked = 0;
    // Sources ask before they read a page: beyond the sample, they are told that the page is known.
    const known = (): readonly [] | undefined => ((asked += 1) > maxSampled ? [] : undefined);
    const checkpoint = { load: async () => [], save: async () => {} };
    const context = { spec, revision: state.revision, earlier: nothing, signal: both, keepFailed: 0, parse, screen };
    try {
      const items = source.read(spec, state, {
        signal: both,
        credential,
        checkpoint,
        known,
        earlier: nothing,
        pages: result.count,
        account: result.account,
        upload: () => Promise.reject(new Failure("validation_error", "Uploads have no preview.")),
        scratch: folder,
        limits,
        branchIsOpen: true,
        preview: { pages: maxVisits, waiting: result.waiting },
      });
      for await (const item of items) {
        if (item.type === "page" && result.sampled() < maxSampled) {
          result.collected(await collectPage(item, context));
        } else result.page(toPage(item));
        onProgress?.(result.progress());
        if (result.listed() >= maxListed) return result.preview(state, false);
      }
      return result.preview(state, true);
    } catch (error) {
      if (timeout.aborted && !signal.aborted && result.listed() > 0) return result.preview(state, false);
      throw error;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  return (...asked) =>
    previews.run("all", async () => {
      try {
        return await preview(...asked);
      } catch (error) {
        throw error instanceof Failure ? screened(error) : error;
      }
    });
}

/** The same failure, without injected instructions in its message. */
function screened(error: Failure): Failure {
  const { code, message } = screenedFailure(error);
  return message === error.message ? error : new Failure(code, message, { cause: error, ...error.details });
}

/** Collects the pages and passages that a preview shows. */
function createResult(spec: SourceSpec) {
  const { ownFolder, order } = kindOf(spec);
  const finisher = createFinisher({ folder: ownFolder?.(spec) ?? "", order });
  const pages: PreviewPage[] = [];
  const sample: Passage[] = [];
  const quarantined: HeldPassage[] = [];
  let sampled = 0;
  let total = 0;
  let answers: Preview["answers"];
  let waiting: readonly string[] = [];
  let account: SourceAccount = {};
  function list({
    path,
    url,
    outcome,
    code,
    reason,
    title,
    from,
    snippets,
    notes,
    dropped,
    findings,
  }: PreviewPage): void {
    const why = { ...(code !== undefined && { code }), ...(reason !== undefined && { reason }) };
    const about = {
      ...(title !== undefined && { title }),
      ...(from !== undefined && { from }),
      ...(notes && { notes }),
      ...(dropped && { dropped }),
    };
    const screened = { ...(snippets !== undefined && { snippets }), ...(findings && { findings }) };
    pages.push(forOtherReaders({ path, url, outcome, ...why, ...about, ...screened }));
  }
  return {
    count(known: number, statuses?: Readonly<Record<string, number>>): void {
      total = known;
      answers = statuses;
    },
    account: (more: SourceAccount): void => void (account = { ...account, ...more }),
    waiting: (keys: readonly string[]): void => void (waiting = keys.slice(0, maxListed)),
    sampled: () => sampled,
    listed: () => pages.length,
    progress: () => ({ done: pages.length, total: Math.max(total, pages.length), path: pages.at(-1)?.path ?? "" }),
    page: (page: PreviewPage): void => list(screenedPage(page)),
    collected({ page: { outcome, ...page }, summary, lines, fingerprints }: CollectedPage): void {
      list({ ...page, outcome: outcome === "indexed" ? "read" : outcome });
      sampled += 1;
      if (summary === undefined) return;
      const flagged = flagLines(lines, finisher.take(summary, fingerprints));
      const passages = new TextDecoder().decode(flagged).split("\n").slice(0, -1).map(readPassage);
      sample.push(...passages.filter(isServed).slice(0, maxPassages));
      for (const { source, findings = [], flags = [] } of passages)
        if (flags.includes("quarantined") && quarantined.length < maxHeld)
          quarantined.push({ url: page.findings?.path ? "" : source.url, findings });
    },
    preview({ revision, ref }: { revision: string; ref: string | null }, isWhole: boolean): Preview {
      const named = { spec, title: "", description: "" };
      const {
        title,
        description,
        notes = [],
      } = describeLibrary(named, { ...finisher.finish(), claims: account.claims }, account.settings);
      return {
        revision: account.instead?.revision ?? account.revision ?? revision,
        ref: account.instead?.ref ?? ref,
        title,
        description,
        pages,
        total: Math.max(total, pages.length),
        waiting: waiting.filter((path) => findingsOfPlace({ path }) === undefined),
        notes: [...(account.notes ?? []).map(screenedSentence), ...notes],
        ...(answers && { answers }),
        sample,
        quarantined,
        isWhole,
      };
    },
  };
}

/** A page that is only listed. */
function toPage(item: SourceItem): PreviewPage {
  const { key: path, url, from }: PageRef = item.page;
  const place = { path, url, ...(from !== undefined && { from }) };
  if (item.type === "skipped") return { ...place, outcome: "skipped", code: item.code, reason: item.reason };
  if (item.type === "failed")
    return { ...place, outcome: "failed", code: item.failure.code, reason: item.failure.message };
  const reason = item.type === "unrendered" ? { reason: "It is read in a browser." } : {};
  return { ...place, outcome: "read", ...reason };
}
