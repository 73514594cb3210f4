import { randomBytes } from "node:crypto";
import type {
  BlobStore,
  ReadContext,
  Source,
  SourceAccount,
  SourceItem,
  SourceState,
  Checkpoint,
} from "../domain/ports.ts";
import type { Counts, Manifest } from "../domain/generation.ts";
import { Failure } from "../domain/failures.ts";
import { kindOf, type SourceSpec } from "../domain/kinds/index.ts";
import { isReleased, type Releases } from "../domain/passage.ts";
import type { Progress } from "../domain/steps.ts";
import { boilerplateNotes } from "../extract/boilerplate.ts";
import { createFinisher } from "../extract/finish.ts";
import { extractorVersion } from "../extract/formats.ts";
import { countFindings, countFingerprints } from "../extract/fingerprints.ts";
import { unjudgedNotes } from "./findings.ts";
import { collectPage, type PageContext } from "./collect-page.ts";
import { failingPages, hashContent } from "./content-hash.ts";
import { describeLibrary } from "./describe-library.ts";
import { openEarlierPages, fromFirstChange, type Comparison } from "./earlier-pages.ts";
import { inOrder } from "../domain/in-order.ts";
import { flagLines } from "../extract/passage-lines.ts";
import { screenedSentence } from "../extract/screened-texts.ts";
import { createPartWriter, manifestFormat, writeManifest, compress, decompressAll, generationPrefix } from "./parts.ts";
import { unrenderedPages } from "./rendering.ts";
import { uploadKey } from "../domain/submitting.ts";

/** The ports that collecting uses. */
export interface CollectPorts extends Pick<PageContext, "parse" | "screen"> {
  readonly blobs: BlobStore;
  readonly source: Source;
}

/** The library version to collect, and its generation. */
export interface CollectInput extends Pick<Manifest, "generation" | "library" | "version" | "optionsHash"> {
  readonly spec: SourceSpec;
  readonly state: Pick<SourceState, "revision" | "ref" | "location">;
  /** Title and description if the source has none. */
  readonly title: string;
  readonly description: string;
  /** ID of the uploaded file, or null. */
  readonly upload: string | null;
  /** Passages that are served in spite of findings. */
  readonly releases?: Releases;
  /** The live generation, whose unchanged pages are reused. */
  readonly live: string | undefined;
}

/** The context of one attempt to collect. */
export interface CollectContext extends Pick<
  ReadContext,
  "signal" | "credential" | "scratch" | "limits" | "branchIsOpen" | "answers"
> {
  readonly keepFailed: PageContext["keepFailed"];
  report(progress: Progress): void;
}

/** Maximum size in bytes, and maximum number, of documents in extraction at once (backpressure). */
const inFlight = { weight: 8_000_000, items: 48 };

/** Maximum number of included files whose paths a manifest keeps. Pages beyond it are extracted again at each refresh. */
const maxKeptIncludes = 500_000;

/** Maximum number of too costly pages of a run, which fails beyond it: each blocks a thread for seconds. */
const maxCostly = 20;

/** Options hash of a generation with passages that the classifier has not judged. No other has it, so the next refresh judges them. */
const unjudgedOptions = "";

/** Heartbeat interval while a step waits for its source, in milliseconds. */
const aliveEvery = 20_000;

/**
 * Reads a source into a generation: parts while the pages arrive, in the order of the source, and the manifest last. Unchanged pages of
 * an earlier attempt or the live generation are neither read nor extracted again. If nothing has changed, nothing is written, and
 * `manifest` is the live one at the revision that was read. `damage` is the error message if the live generation is damaged.
 */
export async function collect(
  ports: CollectPorts,
  input: CollectInput,
  context: CollectContext,
): Promise<{ readonly manifest: Manifest; readonly damage: string | undefined }> {
  const writer = createPartWriter(ports.blobs, input.generation, randomBytes(4).toString("hex"));
  const checkpoint = openCheckpoint(ports.blobs, input.generation);
  const finisher = createFinisher({
    folder: kindOf(input.spec).ownFolder?.(input.spec) ?? "",
    order: kindOf(input.spec).order,
    isReleased: (key) => isReleased(input.releases ?? {}, key),
  });
  const totals = { indexed: 0, skipped: 0, failed: 0, bytes: 0, snippets: 0 };
  let progress: Progress = {};
  let account: SourceAccount = {};
  let kept = 0;
  let costly = 0;
  let unjudged = 0;
  // Aborts extractions that are still running when the run ends.
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  // No page arrives while a source fetches. It has its own idle timeout, so the heartbeat continues.
  using _alive = setInterval(() => context.report(progress), aliveEvery);
  const earlier = await openEarlierPages(ports.blobs, input.live, input.generation, context.signal, ports.screen?.name);
  const { damage, live } = earlier;
  const items = ports.source.read(input.spec, input.state, {
    ...context,
    known: (page) => earlier.includesOf(earlier.keyOf(page)),
    pages: (pagesKnown, answers) => (progress = { ...progress, pagesKnown, ...(answers && { answers }) }),
    earlier,
    checkpoint: {
      load: () => checkpoint.load(),
      // The pages that it marks as read must be in parts first.
      async save(state, how) {
        await writer.flush();
        await checkpoint.save(state, how);
      },
    },
    upload: () => uploadedFile(ports.blobs, input.upload, input.library.id),
    account: (more) => (account = { ...account, ...more }),
  });
  const { keepFailed } = context;
  const { parse, screen } = ports;
  const pageContext = { spec: input.spec, earlier, signal, keepFailed, parse, screen };
  // A source that reads another revision than the resolved one reports it before its first item.
  const revision = (): string => account.instead?.revision ?? input.state.revision;
  let isUnchanged = false;
  const comparison: Comparison = {
    order: kindOf(input.spec).order,
    keyOf: earlier.keyOf,
    held(pagesDone) {
      context.signal.throwIfAborted();
      progress = { ...progress, pagesDone };
      context.report(progress);
    },
    isUnchanged: () => (isUnchanged = live !== undefined && isAsBefore(live, input, account)),
  };
  const changed = live && damage === undefined ? fromFirstChange(items, live, comparison) : items;
  const collected = inOrder(changed, (item) => collectPage(item, { ...pageContext, revision: revision() }), {
    ...inFlight,
    weigh,
  });
  for await (const { page, summary, lines, fingerprints, edges } of collected) {
    context.signal.throwIfAborted();
    const flags = summary ? finisher.take(summary, fingerprints, edges) : [];
    const snippets = countFingerprints(fingerprints);
    kept += page.includes?.length ?? 0;
    const { key: _key, includes: _includes, ...unkept } = page;
    await writer.write(
      page.includes === undefined || kept <= maxKeptIncludes ? page : unkept,
      flagLines(lines, flags),
      snippets,
      countFindings(fingerprints),
    );
    totals[page.outcome] += 1;
    unjudged += page.unjudged ? 1 : 0;
    totals.bytes += page.outcome === "indexed" ? (page.bytes ?? 0) : 0;
    totals.snippets += snippets;
    const pagesDone = totals.indexed + totals.skipped + totals.failed;
    const failed = totals.failed > 0 && { pagesFailed: totals.failed };
    progress = { ...progress, pagesDone, ...failed, snippets: totals.snippets, bytes: totals.bytes };
    context.report(progress);
    if (page.code === "page_too_costly" && ++costly > maxCostly) {
      stop.abort(tooCostly(page.path));
      stop.signal.throwIfAborted();
    }
  }
  const { instead, revision: revisionRead, claims = [], notes: notesOfSource = [], ...besides } = account;
  const read = instead ?? { revision: revisionRead ?? input.state.revision, ref: input.state.ref };
  if (isUnchanged && live) return { manifest: { ...live, ...read }, damage };

  const { parts, pages } = await writer.close();
  const { counts, contentHash, folds, cuts, language, released, held, ...readme } = finisher.finish();
  const described = describeLibrary(input, { ...readme, claims }, besides.settings);
  // A set, as the second pass of a run repeats the notes of the first one.
  const notes = [
    ...new Set([
      ...notesOfSource.map(screenedSentence),
      ...(described.notes ?? []),
      ...unjudgedNotes(unjudged),
      ...boilerplateNotes(cuts),
    ]),
  ];
  const { indexed, skipped, failed, bytes } = totals;
  const figures: Counts = {
    pages: indexed,
    pagesSkipped: skipped,
    pagesFailed: failed,
    bytes,
    ...counts,
    ...(besides.unread?.isMost && { isPartial: besides.unread.isMost }),
  };
  const manifest: Manifest = {
    format: manifestFormat,
    generation: input.generation,
    library: input.library,
    version: input.version,
    ...described,
    source: input.spec,
    ...besides,
    ...(claims.length > 0 && { claims }),
    ...read,
    optionsHash: unjudged > 0 ? unjudgedOptions : input.optionsHash,
    extractor: extractorVersion,
    contentHash: hashContent(contentHash, { ...account, failing: failingPages(pages), released, held }),
    counts: figures,
    language,
    parts,
    pages,
    ...(folds.length > 0 && { folds }),
    ...(cuts.length > 0 && { cuts }),
    ...(released.length > 0 && { released }),
    ...(held !== undefined && { held }),
    ...(notes.length > 0 && { notes }),
  };
  context.signal.throwIfAborted();
  await checkpoint.clear();
  await writeManifest(ports.blobs, manifest);
  return { manifest, damage };
}

/** Whether everything but the pages is as in the live generation. */
function isAsBefore(live: Manifest, { optionsHash }: CollectInput, account: SourceAccount): boolean {
  // The options decide what is held back and released.
  const isSame = hashContent("", { ...live, released: [], held: undefined }) === hashContent("", account);
  return isSame && live.optionsHash === optionsHash && unrenderedPages(live).length === 0;
}

function tooCostly(path: string): Failure {
  const message = `More than ${maxCostly} pages are too slow to read, the last of them ${path}. Exclude them with excludeFiles or excludeFolders.`;
  return new Failure("page_too_costly", message);
}

function weigh(item: SourceItem): number {
  if (item.type !== "page") return 1;
  return (item.includes ?? []).reduce((sum, { bytes }) => sum + (bytes?.length ?? 100), item.bytes.length);
}

/** Each attempt has a folder. Its name begins with a number that is higher than those of earlier attempts. */
const place = /^\d{6}-[0-9a-f]{8}\/\d{6}$/;

const maxConcurrent = 16;

/** The checkpoint of the run of a generation. Each save is a blob of its own, as stores cannot append. `clear` removes all. */
export function openCheckpoint(blobs: BlobStore, generation: string): Checkpoint & { clear(): Promise<void> } {
  const prefix = `${generationPrefix(generation)}checkpoint/`;
  let folder: string | undefined;
  let entries = 0;

  /** Keys of all entries by folder, the oldest first. */
  async function saved(): Promise<Map<string, string[]>> {
    const keys = (await Array.fromAsync(blobs.list(prefix))).filter((key) => place.test(key.slice(prefix.length)));
    return Map.groupBy(keys.toSorted(), (key) => key.slice(prefix.length, key.lastIndexOf("/")));
  }

  return {
    async load() {
      // An abandoned attempt may have written more after the next one began: only a folder with its first entry counts.
      const [last] = [...(await saved())].filter(([name, [first]]) => first === entryKey(name, 0)).toReversed();
      const states: Uint8Array[] = [];
      for await (const bytes of inOrder(last?.[1] ?? [], (key) => blobs.get(key), { items: maxConcurrent })) {
        const state = bytes && (await decompressAll(bytes).catch(() => undefined));
        // Later entries build on this one.
        if (state === undefined) break;
        states.push(state);
      }
      return states;
    },
    async save(state, { whole }) {
      if (!whole && folder === undefined) throw new Failure("internal_error", "There is no saved state to add to.");
      const before = whole ? [...(await saved()).keys()] : [];
      if (whole || folder === undefined) {
        const number = Number(before.at(-1)?.slice(0, 6) ?? -1) + 1;
        folder = `${String(number).padStart(6, "0")}-${randomBytes(4).toString("hex")}`;
        entries = 0;
      }
      await blobs.put(entryKey(folder, entries), await compress(state));
      entries += 1;
      for (const name of before) await blobs.removeAll(`${prefix}${name}/`);
    },
    clear: () => blobs.removeAll(prefix),
  };

  function entryKey(name: string, number: number): string {
    return `${prefix}${name}/${String(number).padStart(6, "0")}`;
  }
}

/** The uploaded file of a library. @throws Failure source_not_found if the BlobStore has lost it */
export async function uploadedFile(blobs: BlobStore, upload: string | null, libraryId: string): Promise<Uint8Array> {
  const bytes = upload === null ? undefined : await blobs.get(uploadKey(upload));
  if (bytes) return bytes;
  const message = `The uploaded file of ${libraryId} is not in the BlobStore. Upload it again with force=true (--force).`;
  throw new Failure("source_not_found", message);
}
