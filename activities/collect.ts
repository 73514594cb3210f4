import { randomBytes } from "node:crypto";
import { Failure, toFailureRecord } from "../domain/failures.ts";
import type {
  BlobStore,
  PageRef,
  ReadContext,
  Source,
  SourceAccount,
  SourceItem,
  SourceState,
} from "../domain/ports.ts";
import type { Counts, Manifest, ManifestPage } from "../domain/snippet.ts";
import { kindOf } from "../domain/kinds/index.ts";
import type { SourceSpec } from "../domain/kinds/index.ts";
import type { LibrarySettings } from "../domain/source.ts";
import type { Progress } from "../domain/steps.ts";
import { createFinisher } from "../extract/finish.ts";
import type { Finished, PageSummary } from "../extract/finish.ts";
import { extractorVersion } from "../extract/formats.ts";
import { countMarks } from "../extract/marks.ts";
import { movedTo, toLine } from "../extract/snippets.ts";
import { hashContent } from "./content-hash.ts";
import { openEarlierPages, pageKey } from "./earlier-pages.ts";
import type { EarlierPages } from "./earlier-pages.ts";
import { inOrder } from "./in-order.ts";
import { flagDuplicates, toPageLines } from "./page-lines.ts";
import type { PageLines } from "./page-lines.ts";
import type { ParsedPage, ParseInput } from "./parse-page.ts";
import { createPartWriter, writeManifest } from "./parts.ts";

/** What collecting needs of the world. */
export interface CollectPorts {
  readonly blobs: BlobStore;
  readonly source: Source;
  /** Extraction, off the event loop. */
  readonly parse: (input: ParseInput, signal: AbortSignal) => Promise<ParsedPage>;
}

/** What is collected, and under which names. */
export interface CollectInput extends Pick<Manifest, "generation" | "library" | "version" | "optionsHash"> {
  readonly spec: SourceSpec;
  readonly state: Pick<SourceState, "revision" | "ref" | "location">;
  /** Title and description where the source says none itself. */
  readonly title: string;
  readonly description: string;
  /** The live generation, whose pages are used again. */
  readonly live: string | undefined;
}

export interface CollectContext extends Pick<ReadContext, "signal" | "secret" | "scratch" | "limits" | "branchIsOpen"> {
  report(progress: Progress): void;
}

/** Maximum documents in extraction at once, by bytes and by number (backpressure). */
const inFlight = { weight: 8_000_000, items: 48 };

/**
 * So many paths that pages look for are kept in a manifest, held in memory while it is made. Pages beyond are extracted
 * from anew at each refresh.
 */
const maxKeptIncludes = 500_000;

/** Heartbeat interval while a step waits for its source, in milliseconds. */
const aliveEvery = 20_000;

/** A page with its snippet lines. */
interface CollectedPage extends PageLines {
  readonly page: ManifestPage;
  readonly summary?: PageSummary;
}

const noLines: PageLines = { lines: new Uint8Array(), marks: new Uint8Array() };

/**
 * Reads a source into a generation: its parts as the pages come, in the order of the source, and the manifest last.
 * Whatever an earlier attempt or the live generation has of a page that is the same is not read or extracted again.
 * `damage` is the error message if the live generation is damaged.
 */
export async function collect(
  ports: CollectPorts,
  input: CollectInput,
  context: CollectContext,
): Promise<{ readonly manifest: Manifest; readonly damage: string | undefined }> {
  const writer = createPartWriter(ports.blobs, input.generation, randomBytes(4).toString("hex"));
  const finisher = createFinisher(kindOf(input.spec).ownFolder(input.spec));
  const totals = { indexed: 0, skipped: 0, failed: 0, bytes: 0, snippets: 0 };
  let progress: Progress = {};
  let account: SourceAccount = {};
  let kept = 0;
  // No page comes while a source fetches. The source has its own idle timeout, so the heartbeat goes on.
  const alive = setInterval(() => context.report(progress), aliveEvery);
  let damage: string | undefined;
  try {
    const earlier = await openEarlierPages(ports.blobs, input.live, input.generation, context.signal);
    ({ damage } = earlier);
    const items = ports.source.read(input.spec, input.state, {
      ...context,
      known: (page) => earlier.includesOf(pageKey(page)),
      pages: (pagesKnown) => (progress = { ...progress, pagesKnown }),
      account: (said) => (account = said),
    });
    // What the source says comes before its first item.
    const read = (): CollectInput => ({ ...input, state: { ...input.state, ...account.instead } });
    const pages = inOrder(items, (item) => collectPage(ports, read(), earlier, item, context.signal), {
      ...inFlight,
      weigh,
    });
    for await (const { page, summary, lines, marks } of pages) {
      context.signal.throwIfAborted();
      const duplicates = summary ? finisher.take(summary, marks) : [];
      const snippets = countMarks(marks);
      kept += page.includes?.length ?? 0;
      const { key: _key, includes: _includes, ...unkept } = page;
      await writer.write(
        page.includes === undefined || kept <= maxKeptIncludes ? page : unkept,
        flagDuplicates(lines, duplicates),
        snippets,
      );
      totals[page.outcome] += 1;
      totals.bytes += page.outcome === "indexed" ? (page.bytes ?? 0) : 0;
      totals.snippets += snippets;
      const pagesDone = totals.indexed + totals.skipped + totals.failed;
      progress = { ...progress, pagesDone, snippets: totals.snippets, bytes: totals.bytes };
      context.report(progress);
    }
  } finally {
    clearInterval(alive);
  }

  const { parts, pages } = await writer.close();
  const { counts, contentHash, language, ...readme } = finisher.finish();
  const { settings, instead } = account;
  const figures: Counts = {
    pages: totals.indexed,
    pagesSkipped: totals.skipped,
    pagesFailed: totals.failed,
    bytes: totals.bytes,
    ...counts,
  };
  const manifest: Manifest = {
    format: 1,
    generation: input.generation,
    library: input.library,
    version: input.version,
    ...describeLibrary(input, readme, settings),
    source: input.spec,
    ...(settings && { settings }),
    revision: instead?.revision ?? input.state.revision,
    ref: instead ? instead.ref : input.state.ref,
    optionsHash: input.optionsHash,
    extractor: extractorVersion,
    contentHash: hashContent(contentHash, settings),
    counts: figures,
    language,
    parts,
    pages,
  };
  context.signal.throwIfAborted();
  await writeManifest(ports.blobs, manifest);
  return { manifest, damage };
}

function weigh(item: SourceItem): number {
  if (item.type !== "page") return 1;
  return (item.includes ?? []).reduce((sum, { bytes }) => sum + (bytes?.length ?? 100), item.bytes.length);
}

/**
 * Title and description of a library. The README of its own folder comes before what the file at the root says of all.
 */
function describeLibrary(
  { spec, title, description }: CollectInput,
  readme: Pick<Finished, "title" | "description" | "hasOwnReadme">,
  said: LibrarySettings = {},
): Pick<Manifest, "title" | "description"> {
  const own = readme.hasOwnReadme ? {} : said;
  const words = {
    title: own.title ?? (readme.title || title),
    description: own.description ?? (readme.description || description),
  };
  return kindOf(spec).keepsTitle ? { ...words, title: own.title ?? title } : words;
}

async function collectPage(
  { parse }: CollectPorts,
  { spec, state }: CollectInput,
  earlier: EarlierPages,
  item: SourceItem,
  signal: AbortSignal,
): Promise<CollectedPage> {
  const { path, url } = item.page;
  const { revision } = state;
  if (item.type === "known") return knownPage(earlier, item, { spec, revision });
  if (item.type === "failed") return failedPage(item.page, item.failure);
  if (item.type === "skipped") {
    const { code, reason, bytes } = item;
    return { page: { path, url, outcome: "skipped", code, reason, ...(bytes !== undefined && { bytes }) }, ...noLines };
  }
  const files = item.includes ?? [];
  const includes = files.map(({ path: at, fingerprint }) => ({ path: at, fingerprint }));
  const found = {
    path,
    url,
    key: pageKey(item.page),
    bytes: item.bytes.length,
    ...(includes.length > 0 && { includes }),
  };
  try {
    const parsed = await parse({ path, url, bytes: item.bytes, includes: files, spec, revision }, signal);
    if (parsed.outcome === "skipped") return { page: { ...found, ...parsed }, ...noLines };
    const { summary, lines, marks, notes } = parsed;
    const { title, languages, description } = summary;
    const kept = { title, languages, ...(description !== undefined && { description }), ...(notes && { notes }) };
    return { page: { ...found, outcome: "indexed", snippets: countMarks(marks), ...kept }, summary, lines, marks };
  } catch (error) {
    // One bad page never ends a run.
    if (signal.aborted || !(error instanceof Failure)) throw error;
    return failedPage(item.page, toFailureRecord(error));
  }
}

/** An unchanged page, moved to the current revision. */
async function knownPage(
  earlier: EarlierPages,
  { page: ref, includes = [] }: Extract<SourceItem, { type: "known" }>,
  source: { readonly spec: SourceSpec; readonly revision: string },
): Promise<CollectedPage> {
  const found = await earlier.get(pageKey(ref));
  // Damaged since its part was verified: the next attempt verifies it again, and reads the page from the source.
  if (!found) {
    const message = `What was kept of ${ref.path} cannot be read any more. Refresh the library to read it again.`;
    throw new Failure("internal_error", message);
  }
  const { place: _, ...page } = { ...found.page, path: ref.path, url: ref.url };
  if (page.outcome !== "indexed") return { page, ...noLines };
  const { title = "", languages = {}, description } = page;
  return {
    page,
    summary: { path: ref.path, title, languages, ...(description !== undefined && { description }) },
    ...toPageLines(found.snippets.map((snippet) => toLine(movedTo(snippet, { ...ref, includes }, source)))),
  };
}

function failedPage({ path, url }: PageRef, { code, message }: ReturnType<typeof toFailureRecord>): CollectedPage {
  return { page: { path, url, outcome: "failed", code, reason: message }, ...noLines };
}
