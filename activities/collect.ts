import { createHash, randomBytes } from "node:crypto";
import { Failure, toFailureRecord } from "../domain/failures.ts";
import type { BlobStore, PageRef, ReadContext, Source, SourceItem, SourceState } from "../domain/ports.ts";
import type { Counts, Manifest, PageOutcome, Part } from "../domain/snippet.ts";
import type { SourceSpec } from "../domain/source.ts";
import type { Progress } from "../domain/steps.ts";
import { createFinisher, hashableLine } from "../extract/finish.ts";
import { extractorVersion } from "../extract/index.ts";
import type { PageInput, ParsedPage } from "../extract/page.ts";
import { inOrder } from "./in-order.ts";
import { openPageResults, parseResultLine, resultKey, toResultLine } from "./page-results.ts";
import type { KeptResult, PageResults } from "./page-results.ts";
import { createPartWriter, generationPrefix, readPart, writeManifest } from "./parts.ts";

/** What collecting needs of the world. */
export interface CollectPorts {
  readonly blobs: BlobStore;
  readonly source: Source;
  /** Extraction, off the event loop. */
  readonly parse: (input: PageInput, signal: AbortSignal) => Promise<ParsedPage>;
}

/** What is collected, and under which names. */
export interface CollectInput extends Pick<Manifest, "generation" | "library" | "version" | "optionsHash"> {
  readonly spec: SourceSpec;
  readonly state: Pick<SourceState, "revision" | "ref" | "location">;
  /** Title and description where the source says none itself. */
  readonly title: string;
  readonly description: string;
  /** Manifest of the live generation, whose page results are used again. */
  readonly live: Manifest | undefined;
}

export interface CollectContext extends Pick<ReadContext, "signal" | "secret" | "scratch" | "limits"> {
  report(progress: Progress): void;
}

/** Documents on their way through extraction at most, in bytes and in number. */
const inFlight = { weight: 24_000_000, items: 64 };

/** Page results up to this size, in characters, are kept in memory for the finishing pass; beyond it they are read again. */
const keptInMemory = 24_000_000;

/** How often a step that waits for its source says so, in milliseconds. */
const aliveEvery = 20_000;

interface ReadPage {
  readonly page: PageRef;
  /** Its line of page results; absent where that has to be read again. */
  line?: string;
}

interface Reading {
  readonly outcomes: PageOutcome[];
  /** Pages with a result, in order. */
  readonly pages: ReadPage[];
  readonly parts: readonly Part[];
  readonly bytes: number;
}

type Finisher = ReturnType<typeof createFinisher>;

/**
 * Reads a source into a generation: page results as they come, then, in a finishing pass over all pages, the snippets,
 * and the manifest last. Whatever an earlier attempt has extracted is not extracted again.
 */
export async function collect(ports: CollectPorts, input: CollectInput, context: CollectContext): Promise<Manifest> {
  const known = await openPageResults(ports.blobs, input.live, input.generation);
  const finisher = createFinisher();
  const attempt = randomBytes(4).toString("hex");
  const prefix = generationPrefix(input.generation);
  const reading = await readPages(ports, input, context, { known, finisher, prefix: `${prefix}pages-${attempt}-` });
  const { parts, counts, contentHash } = await finishPages(ports.blobs, input, reading, {
    finisher,
    prefix: `${prefix}snippets-${attempt}-`,
  });
  const described = finisher.describeLibrary();
  const manifest: Manifest = {
    format: 1,
    generation: input.generation,
    library: input.library,
    version: input.version,
    title: input.spec.kind === "folder" || described.title === "" ? input.title : described.title,
    description: described.description === "" ? input.description : described.description,
    source: input.spec,
    revision: input.state.revision,
    ref: input.state.ref,
    optionsHash: input.optionsHash,
    extractor: extractorVersion,
    contentHash,
    counts,
    parts,
    pageResults: reading.parts,
    pages: reading.outcomes,
  };
  context.signal.throwIfAborted();
  await writeManifest(ports.blobs, manifest);
  return manifest;
}

async function readPages(
  ports: CollectPorts,
  input: CollectInput,
  context: CollectContext,
  { known, finisher, prefix }: { known: PageResults; finisher: Finisher; prefix: string },
): Promise<Reading> {
  const writer = createPartWriter(ports.blobs, prefix);
  const outcomes: PageOutcome[] = [];
  const pages: ReadPage[] = [];
  let bytes = 0;
  let characters = 0;
  let inMemory = true;
  let snippets = 0;
  let pagesKnown: number | undefined;

  let progress: Progress = {};
  // While a source fetches, no page comes; it watches over its own silence, and the engine is to know that it does.
  const alive = setInterval(() => context.report(progress), aliveEvery);
  const items = ports.source.read(input.spec, input.state, {
    ...context,
    known: (page) => known.has(resultKey(page)),
    pages: (count) => {
      pagesKnown = count;
    },
  });
  const extract = async (item: SourceItem): Promise<{ item: SourceItem; kept?: KeptResult }> => {
    if (item.type === "known") return { item, kept: await known.get(resultKey(item.page)) };
    if (item.type !== "page") return { item };
    const size = item.bytes.length;
    try {
      const parsed = await ports.parse({ path: item.page.path, bytes: item.bytes }, context.signal);
      return { item: { type: "known", page: item.page }, kept: { ...parsed, bytes: size } };
    } catch (error) {
      // One bad page never ends a run.
      if (context.signal.aborted || !(error instanceof Failure)) throw error;
      return { item: { type: "failed", page: item.page, failure: toFailureRecord(error) } };
    }
  };

  const weight = (item: SourceItem): number => (item.type === "page" ? item.bytes.length : 1);
  try {
    for await (const { item, kept } of inOrder(items, extract, { ...inFlight, weigh: weight })) {
      context.signal.throwIfAborted();
      if (kept) {
        const line = toResultLine(resultKey(item.page), kept);
        await writer.write(line);
        characters += line.length;
        if (inMemory && characters > keptInMemory) {
          inMemory = false;
          pages.forEach((read) => delete read.line);
        }
        pages.push(inMemory ? { page: item.page, line } : { page: item.page });
        finisher.observe(kept.summary);
        bytes += kept.bytes;
        snippets += kept.summary.outcome === "indexed" ? kept.summary.snippets : 0;
      }
      outcomes.push(toOutcome(item, kept));
      progress = { pagesDone: outcomes.length, snippets, bytes, ...(pagesKnown !== undefined && { pagesKnown }) };
      context.report(progress);
    }
  } finally {
    clearInterval(alive);
  }
  return { outcomes, pages, parts: await writer.close(), bytes };
}

async function finishPages(
  blobs: BlobStore,
  input: CollectInput,
  reading: Reading,
  { finisher, prefix }: { finisher: Finisher; prefix: string },
): Promise<{ parts: readonly Part[]; counts: Counts; contentHash: string }> {
  const writer = createPartWriter(blobs, prefix);
  const hash = createHash("sha256");
  const totals = { code: 0, info: 0, quarantined: 0, duplicates: 0, tokens: 0 };
  let index = 0;
  for await (const line of resultLines(blobs, reading)) {
    const { page } = reading.pages[index++] ?? {};
    if (!page) throw new Error("There are more page results than pages.");
    const { result } = parseResultLine(line);
    for (const snippet of finisher.finish(page, result, { spec: input.spec, revision: input.state.revision })) {
      hash.update(hashableLine(snippet)).update("\n");
      await writer.write(JSON.stringify(snippet));
      if (snippet.flags?.includes("quarantined")) totals.quarantined += 1;
      else if (snippet.flags?.includes("duplicate")) totals.duplicates += 1;
      else {
        totals[snippet.kind] += 1;
        totals.tokens += snippet.tokens;
      }
    }
  }
  const of = (outcome: PageOutcome["outcome"]): number =>
    reading.outcomes.filter((page) => page.outcome === outcome).length;
  const counts: Counts = {
    pages: of("indexed"),
    pagesSkipped: of("skipped"),
    pagesFailed: of("failed"),
    ...totals,
    bytes: reading.bytes,
  };
  return { parts: await writer.close(), counts, contentHash: hash.digest("hex") };
}

async function* resultLines(blobs: BlobStore, { pages, parts }: Reading): AsyncGenerator<string> {
  if (pages.every(({ line }) => line !== undefined)) {
    for (const { line } of pages) if (line !== undefined) yield line;
    return;
  }
  for (const part of parts) yield* await readPart(blobs, part);
}

function toOutcome(item: SourceItem, kept: KeptResult | undefined): PageOutcome {
  const { path, url } = item.page;
  if (item.type === "failed")
    return { path, url, outcome: "failed", code: item.failure.code, reason: item.failure.message };
  if (item.type === "skipped") {
    return {
      path,
      url,
      outcome: "skipped",
      code: item.code,
      reason: item.reason,
      ...(item.bytes !== undefined && { bytes: item.bytes }),
    };
  }
  if (!kept) throw new Error(`The page ${path} has no result.`);
  const { summary, bytes } = kept;
  if (summary.outcome === "skipped") {
    return { path, url, outcome: "skipped", code: summary.code, reason: summary.reason, bytes };
  }
  return { path, url, outcome: "indexed", title: summary.title, snippets: summary.snippets, bytes };
}
