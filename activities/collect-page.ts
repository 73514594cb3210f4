import { Failure, toFailureRecord, type FailureRecord } from "../domain/failures.ts";
import { kindOf, type SourceSpec } from "../domain/kinds/index.ts";
import type { PageRef, Screen, SourceItem } from "../domain/ports.ts";
import type { ManifestPage, PageOutcome } from "../domain/generation.ts";
import { toManifestPage } from "../domain/source-port.ts";
import { edgesOf } from "../extract/boilerplate.ts";
import type { PageSummary } from "../extract/finish.ts";
import { countFingerprints } from "../extract/fingerprints.ts";
import { beforeFinishing, movedTo, rescreened, toLine, toPageLines, type PageLines } from "../extract/passage-lines.ts";
import type { EarlierPages } from "./earlier-pages.ts";
import { judgeLines } from "./findings.ts";
import type { ParsedPage, ParseInput } from "./parse-page.ts";
import { findingsOfPlace, screenedSentence } from "../extract/screened-texts.ts";

/** A page with its passage lines. */
export interface CollectedPage extends PageLines {
  readonly page: ManifestPage;
  /** Absent for pages without passages. */
  readonly summary?: PageSummary;
}

/** The context of collecting a page. */
export interface PageContext {
  readonly spec: SourceSpec;
  readonly revision: string;
  readonly earlier: EarlierPages;
  readonly signal: AbortSignal;
  /** Refreshes for which a failing page keeps its last good passages. */
  readonly keepFailed: number;
  /** Extraction, off the event loop. */
  readonly parse: (input: ParseInput, signal: AbortSignal) => Promise<ParsedPage>;
  /** A classifier that judges passages in addition to the built-in screen. */
  readonly screen?: Screen | undefined;
}

type PageItem = Extract<SourceItem, { type: "page" }>;
type KnownItem = Extract<SourceItem, { type: "known" }>;

const browserNeeded: FailureRecord = {
  code: "browser_needed",
  message: "The page is empty without a browser, and no worker with one has read it. Its last passages are kept.",
};

const noLines: PageLines = { lines: new Uint8Array(), fingerprints: new Uint8Array() };

/** Turns an item of a source into the outcome and the lines of its page. A bad page is an outcome, never an error. Texts of the outcome are screened. */
export async function collectPage(item: SourceItem, context: PageContext): Promise<CollectedPage> {
  const collected = await judged(await outcomeOf(item, context), item.type === "known", context);
  return { ...collected, page: screenedPage(collected.page) };
}

/** Adds the classifier's findings; those of an unchanged page are in its lines already. */
async function judged(collected: CollectedPage, isKnown: boolean, context: PageContext): Promise<CollectedPage> {
  if (context.screen === undefined || isKnown) return collected;
  const { unjudged: _before, ...page } = collected.page;
  const lines = await judgeLines(context.screen, collected, context.signal);
  return lines ? { ...collected, ...lines, page } : { ...collected, page: { ...page, unjudged: true } };
}

/** The outcome of a page without injected instructions; its `findings` are those in its path and title. */
export function screenedPage<T extends QuotingPage>(page: T): T {
  const { findings: _before, ...rest } = page;
  const { reason, notes } = page;
  const findings = findingsOfPlace(page);
  return {
    ...rest,
    ...(reason !== undefined && { reason: screenedSentence(reason) }),
    ...(notes && { notes: notes.map(screenedSentence) }),
    ...(findings && { findings }),
  } as unknown as T;
}

/** The texts of an outcome that come from the page. */
type QuotingPage = Pick<PageOutcome, "path" | "title" | "reason" | "notes" | "findings">;

async function outcomeOf(item: SourceItem, context: PageContext): Promise<CollectedPage> {
  if (item.type === "known") return knownPage(item, context);
  if (item.type === "failed") return failedPage(item.page, item.failure, context);
  if (item.type === "unrendered") return failedPage(item.page, browserNeeded, context);
  if (item.type === "page") return readPage(item, context);
  const { page, code, reason, bytes } = item;
  return {
    page: { ...toManifestPage(page), outcome: "skipped", code, reason, ...(bytes !== undefined && { bytes }) },
    ...noLines,
  };
}

async function readPage(item: PageItem, context: PageContext): Promise<CollectedPage> {
  const { page: ref, bytes, includes: files = [], revision, firstLine } = item;
  const { key: path, url, mediaType } = ref;
  const includes = files.map(({ path: at, fingerprint }) => ({ path: at, fingerprint }));
  const row = {
    ...toManifestPage(ref),
    key: context.earlier.keyOf(ref),
    bytes: bytes.length,
    ...(includes.length > 0 && { includes }),
    ...(revision !== undefined && { revision }),
  };
  const resource = ref.resource !== undefined && firstLine !== undefined && { url: ref.resource, firstLine };
  try {
    const input = { path, mediaType, url, bytes, includes: files, spec: context.spec, ...(resource && { resource }) };
    const parsed = await context.parse({ ...input, revision: revision ?? context.revision }, context.signal);
    if (parsed.outcome === "skipped") return { page: { ...row, ...parsed }, ...noLines };
    const { summary, lines, fingerprints, edges, notes } = parsed;
    const { path: _path, ...kept } = summary;
    const page = {
      ...row,
      outcome: "indexed",
      snippets: countFingerprints(fingerprints),
      ...kept,
      ...(notes && { notes }),
    } as const;
    return { page, summary, lines, fingerprints, ...(edges && { edges }) };
  } catch (error) {
    if (context.signal.aborted || !(error instanceof Failure)) throw error;
    return failedPage(ref, toFailureRecord(error), context);
  }
}

/** An unchanged page. In a tree it moves to the current revision; elsewhere it keeps its own. */
async function knownPage(
  { page: ref, includes = [] }: KnownItem,
  { earlier, spec, revision }: PageContext,
): Promise<CollectedPage> {
  const stored = await earlier.get(earlier.keyOf(ref));
  // Its part was damaged after it was verified. The next attempt verifies it again, and reads the page from the source.
  if (!stored) {
    const message = `The stored passages of ${ref.key} can no longer be read. Refresh the library to read the page again.`;
    throw new Failure("internal_error", message);
  }
  const { place: _place, ...row } = stored.page;
  if (row.outcome !== "indexed" && row.failures === undefined)
    return { page: { ...row, ...toManifestPage(ref) }, ...noLines };
  const { failures: _failures, code: _code, reason: _reason, ...kept } = row;
  const moves = kindOf(spec).hasPaths;
  const passages = stored.passages.map((passage) =>
    moves ? movedTo(passage, { path: ref.key, url: ref.url, includes }, { spec, revision }) : beforeFinishing(passage),
  );
  const page: ManifestPage = { ...kept, ...toManifestPage(ref), outcome: "indexed", snippets: passages.length };
  return {
    page,
    summary: { title: "", languages: {}, ...page },
    ...toPageLines(passages.map((passage) => toLine(passage))),
    ...edgesOf(spec, passages),
  };
}

/** A page that failed. It keeps its last good passages, as they were, for some refreshes. */
async function failedPage(
  ref: PageRef,
  { code, message }: FailureRecord,
  { earlier, keepFailed, spec }: PageContext,
): Promise<CollectedPage> {
  const failed = { ...toManifestPage(ref), outcome: "failed", code, reason: message } as const;
  const last = await earlier.last(ref.key);
  const failures = (last?.page.failures ?? 0) + 1;
  if (last === undefined || failures > keepFailed) return { page: failed, ...noLines };
  const { place: _place, notes: _notes, ...kept } = last.page;
  const page: ManifestPage = { ...kept, ...failed, failures };
  const lines = last.passages.map((passage) => toLine(rescreened(beforeFinishing(passage))));
  const summary = { title: "", languages: {}, ...page };
  return { page, summary, ...toPageLines(lines), ...edgesOf(spec, last.passages) };
}
