import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { BlobStore, Earlier, EarlierRef, PageRef, SourceItem } from "../domain/ports.ts";
import { toPageRef } from "../domain/source-port.ts";
import { readPassage, type Passage } from "../domain/passage.ts";
import type { IncludedRef, Manifest, ManifestPage } from "../domain/generation.ts";
import { extractorVersion } from "../extract/formats.ts";
import {
  checkPart,
  damageIn,
  generationPrefix,
  manifestOf,
  partOfPages,
  readLooseLines,
  readPartLines,
  unlessDamaged,
} from "./parts.ts";

/** Hash of everything that a page's passages depend on: its key, its content, the extractor, and the name of the classifier. */
function pageHash(judge: string, page: Pick<PageRef, "key" | "fingerprint">): string {
  const suffix = judge === "" ? "" : `\n${judge}`;
  return hash("sha256", `${extractorVersion}\n${page.key}\n${page.fingerprint}${suffix}`, "base64url");
}

/** An extracted page. */
export interface EarlierPage {
  readonly page: ManifestPage;
  readonly passages: readonly Passage[];
}

/** The pages of the live generation and of earlier attempts. */
export interface EarlierPages extends Earlier {
  /** The manifest of the live generation; undefined: missing or damaged. */
  readonly live: Manifest | undefined;
  /** The error message if the live generation is damaged. */
  readonly damage: string | undefined;
  /** The key of a page. Pages with the same key have equal passages. */
  keyOf(page: Pick<PageRef, "key" | "fingerprint">): string;
  /** The files that a page includes, by its key; undefined for an unknown page. */
  includesOf(key: string): readonly IncludedRef[] | undefined;
  /** A page by its key; undefined if it is unknown, or its part can no longer be read. */
  get(key: string): Promise<EarlierPage | undefined>;
  /** The live page at a path (the key of a PageRef), changed or not, if it has passages. */
  last(key: string): Promise<EarlierPage | undefined>;
}

interface Stored {
  readonly page: ManifestPage;
  readonly part: string;
}

/** Maximum number of decompressed parts in memory. Pages are requested in the order in which they were written. */
const openParts = 2;

/**
 * The pages of the live generation and of broken attempts of this run, without those in missing or damaged parts. Memory holds only their
 * outcomes, not their passages. `judge` is the name of the classifier, if any.
 */
export async function openEarlierPages(
  blobs: BlobStore,
  live: string | undefined,
  runId: string,
  signal: AbortSignal,
  judge = "",
): Promise<EarlierPages> {
  const keyOf = pageHash.bind(undefined, judge);
  let damage: string | undefined;
  const isWhole = async (reading: Promise<unknown>): Promise<boolean> => {
    const problem = await damageIn(reading);
    signal.throwIfAborted();
    damage ??= problem;
    return problem === undefined;
  };
  const pages = new Map<string, Stored>();
  const byPlace = new Map<string, Stored>();
  const hashes = new Map<string, string>();

  const reading = live === undefined ? undefined : manifestOf(blobs, live);
  const manifest = reading && (await isWhole(reading)) ? await reading : undefined;
  for (const part of manifest?.parts ?? [])
    if (await isWhole(checkPart(blobs, part))) hashes.set(part.key, part.sha256);
  for (const page of manifest?.pages ?? []) {
    const part = manifest?.parts[page.place?.[0] ?? -1]?.key ?? "";
    if (page.key === undefined || (!hashes.has(part) && page.place?.[2] !== 0)) continue;
    if (!page.unjudged) pages.set(page.key, { page, part });
    byPlace.set(page.path, { page, part });
  }
  for await (const key of blobs.list(generationPrefix(runId))) {
    const part = partOfPages(key);
    const lines = part === undefined ? undefined : await readLooseLines(blobs, part);
    if (part === undefined || lines === undefined || lines.length === 0) continue;
    for (const line of (await readLooseLines(blobs, key)) ?? []) {
      const page = JSON.parse(line) as ManifestPage;
      if (page.key !== undefined && page.failures === undefined) pages.set(page.key, { page, part });
    }
  }

  // It holds promises, as many pages of a part are requested at once.
  const linesOf = new LRUCache<string, Promise<readonly string[] | undefined>>({
    max: openParts,
    memoMethod(key) {
      const sha256 = hashes.get(key);
      if (sha256 === undefined) return readLooseLines(blobs, key);
      return unlessDamaged(readPartLines(blobs, { key, sha256 }));
    },
  });

  const read = async (stored: Stored | undefined): Promise<EarlierPage | undefined> => {
    if (!stored) return undefined;
    const { page, part } = stored;
    const [, first, count] = page.place ?? [0, 0, 0];
    if (count === 0) return { page, passages: [] };
    const lines = (await linesOf.memo(part))?.slice(first, first + count) ?? [];
    return lines.length < count ? undefined : { page, passages: lines.map(readPassage) };
  };

  return {
    live: manifest,
    damage,
    keyOf,
    ...offered(manifest, byPlace, keyOf),
    includesOf: (key) => {
      const stored = pages.get(key);
      return stored && (stored.page.includes ?? []);
    },
    get: (key) => read(pages.get(key)),
    async last(key) {
      const page = await read(byPlace.get(key));
      return page && page.passages.length > 0 ? page : undefined;
    },
  };
}

/** The live generation for a source: its settings, and the pages of fetched resources that this extractor has read. */
function offered(
  manifest: Manifest | undefined,
  byPlace: ReadonlyMap<string, Stored>,
  keyOf: EarlierPages["keyOf"],
): Earlier {
  const earlierAt = (path: string): EarlierRef | undefined => {
    const page = byPlace.get(path)?.page;
    const ref = page && toPageRef(page);
    if (ref?.resource === undefined || page?.key !== keyOf(ref) || page.unjudged) return undefined;
    return { page: ref, revision: page.revision ?? manifest?.revision ?? "", failures: page.failures ?? 0 };
  };
  const byResource = Map.groupBy(manifest?.pages ?? [], ({ resource }) => resource);
  const within = (resource: string): (EarlierRef | undefined)[] =>
    (byResource.get(resource) ?? []).map(({ path }) => earlierAt(path));
  return {
    page: earlierAt,
    *found() {
      for (const { path: key, resource, outcome, from } of manifest?.pages ?? [])
        if (resource !== undefined)
          yield { key, isIndexed: outcome === "indexed", ...(from !== undefined && { from }) };
    },
    within: (resource) => within(resource).filter((ref) => ref !== undefined),
    validators: (resource) => (within(resource).includes(undefined) ? undefined : manifest?.validators?.[resource]),
    fetched: Object.keys(manifest?.validators ?? {}),
    ...(manifest?.settings && { settings: manifest.settings }),
    ...(manifest?.notes && { notes: manifest.notes }),
  };
}

/** How the items of a source are compared with the live generation. */
export interface Comparison extends Pick<EarlierPages, "keyOf"> {
  /** Whether pages must have the same order (`source`), or may have any. */
  readonly order: "source" | "key";
  /** Called with the number of items held back. */
  held(count: number): void;
  /** Whether everything but the pages is unchanged too. Called after the last item if no page has changed. */
  isUnchanged(): boolean;
}

/**
 * Holds items back until one differs from the live generation, then yields all of them. A refresh without a change yields nothing, and so
 * reads and writes no passage.
 */
export async function* fromFirstChange(
  items: AsyncIterable<SourceItem>,
  { pages }: Pick<Manifest, "pages">,
  { order, keyOf, held: report, isUnchanged }: Comparison,
): AsyncGenerator<SourceItem> {
  // Imported pages have no key, and are never known. A failed page that is known now has recovered: that is a change.
  const extracted = pages.filter(({ key, outcome }) => key !== undefined || outcome === "indexed");
  const numbers = new Map(extracted.map(({ key, failures }, at) => [failures === undefined ? key : undefined, at]));
  let known = 0;
  const isAsBefore = (item: SourceItem): boolean => {
    // Skipped pages are not part of the content hash.
    if (item.type === "skipped") return true;
    const number = item.type === "known" ? numbers.get(keyOf(item.page)) : undefined;
    known += 1;
    return number !== undefined && (order === "key" || number === known - 1);
  };

  const held: SourceItem[] = [];
  let hasChanged = false;
  for await (const item of items) {
    hasChanged ||= !isAsBefore(item);
    if (hasChanged) {
      yield* held.splice(0);
      yield item;
    } else report(held.push(item));
  }
  if (!hasChanged && (known < extracted.length || !isUnchanged())) yield* held;
}
