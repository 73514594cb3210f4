import { setImmediate as nextTurn } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { Failure } from "../domain/failures.ts";
import type { Manifest } from "../domain/generation.ts";
import {
  outlineFormat,
  readHeader,
  readOutline,
  wordsOf,
  writeOutline,
  type Outline,
  type OutlineHeader,
  type OutlinedPage,
  type OutlinePage,
} from "../domain/outline.ts";
import { isServed, linesOf, readPassage, withLanguage, type Passage } from "../domain/passage.ts";
import type { BlobStore, PageStore, Ranker } from "../domain/ports.ts";
import type { Subject } from "../domain/subject.ts";
import { withoutParts } from "../extract/boilerplate.ts";
import { headingsAt, outlineOf } from "../extract/outline.ts";
import { createSubjectCounter } from "../extract/subject.ts";
import { readParts, type DamagePorts } from "./damage.ts";
import { compress, decompressAll, generationPrefix, readPart } from "./parts.ts";

/** Maximum number of kept headings of passages that are held back. */
const maxHeldHeadings = 1000;

/** Lines that are read in one turn of the event loop, in bytes: about a millisecond. */
const turnSize = 64 * 1024;

/** The ports that writing outlines uses. */
export interface OutliningPorts extends DamagePorts {
  readonly ranker: Pick<Ranker, "meaningOfPage">;
}

/**
 * Writes the outline of a generation, unless it is there.
 * @throws Failure generation_damaged if a part is missing or damaged, which is recorded
 */
export async function writeOutlineOf(ports: OutliningPorts, manifest: Manifest, signal: AbortSignal): Promise<void> {
  const { blobs, ranker } = ports;
  const { generation, language, cuts = [], parts } = manifest;
  if ((await subjectOf(blobs, generation)) !== undefined) return;
  const pages: OutlinedPage[] = [];
  const words = createSubjectCounter();
  const placed = Map.groupBy(
    manifest.pages.flatMap(({ path, place }) => (place === undefined ? [] : [{ page: path, place }])),
    ({ place: [part] }) => part,
  );
  const cutAt = new Map(cuts.map((cut) => [cut.line, cut.parts]));
  const heldHeadings = new Set<string>();
  let [number, linesBefore, held] = [0, 0, 0];
  for await (const part of readParts(ports, { generation, parts })) {
    const lines = [...linesOf(part)];
    let turn = 0;
    for (const { page, place } of pagesIn(lines, number, placed.get(number) ?? [])) {
      const [, first, count] = place;
      const own = lines.slice(first, first + count);
      const ownCuts = own.flatMap((_, line) => {
        const cut = cutAt.get(linesBefore + first + line);
        return cut === undefined ? [] : [{ line, parts: cut }];
      });
      const passages = own.map((line, at) => withCut(readPassage(line), cutAt.get(linesBefore + first + at)));
      for (const passage of passages) {
        if (!passage.flags?.includes("quarantined")) continue;
        held += 1;
        for (const heading of headingsAt(passage).map(wordsOf))
          if (heading !== "" && heldHeadings.size < maxHeldHeadings) heldHeadings.add(heading);
      }
      const outline = outlineOf({ page, place, cuts: ownCuts, passages }, ranker.meaningOfPage);
      if (outline) {
        pages.push(outline);
        const gone = new Set(ownCuts.filter((cut) => cut.parts.length === 0).map(({ line }) => line));
        words.add(
          outline.page,
          passages.filter((one, at) => isServed(one) && !gone.has(at)),
        );
      }
      turn += own.reduce((sum, { length }) => sum + length, 0);
      if (turn < turnSize) continue;
      turn = 0;
      await nextTurn();
      signal.throwIfAborted();
    }
    linesBefore += lines.length;
    number += 1;
  }
  const header: OutlineHeader = {
    format: outlineFormat,
    language,
    parts: parts.map(({ key, sha256 }) => ({ key, sha256 })),
    held,
    heldHeadings: [...heldHeadings],
    subject: words.subject(),
  };
  await blobs.put(outlineKey(generation), await compress(writeOutline(header, pages)));
}

/** A page with the place of its passages. */
type PlacedPage = Pick<OutlinePage, "page" | "place">;

/** The pages of a part in order: those with a place in the manifest, and lines of others, as those of an import, by the page they name. */
function pagesIn(lines: readonly string[], part: number, placed: readonly PlacedPage[]): readonly PlacedPage[] {
  const keyAt = (line: number): string => {
    const { source, page } = readPassage(lines[line] ?? "");
    return source.path ?? page.url;
  };
  const pages: PlacedPage[] = [];
  let at = 0;
  const nameUntil = (end: number): void => {
    while (at < end) {
      const first = at;
      const page = keyAt(first);
      do at += 1;
      while (at < end && keyAt(at) === page);
      pages.push({ page, place: [part, first, at - first] });
    }
  };
  for (const one of placed.toSorted((a, b) => a.place[1] - b.place[1])) {
    nameUntil(one.place[1]);
    pages.push(one);
    at = one.place[1] + one.place[2];
  }
  nameUntil(lines.length);
  return pages;
}

/** A passage without what is cut of it; one that is cut as a whole stays as it is. */
function withCut(passage: Passage, cut: readonly number[] = []): Passage {
  return cut.length === 0 ? passage : withoutParts(passage, cut);
}

/** What a generation is about; undefined if its outline is missing or damaged. @throws Failure service_unavailable */
export async function subjectOf(blobs: BlobStore, generation: string): Promise<Subject | undefined> {
  const stored = await blobs.get(outlineKey(generation));
  const text = stored && (await textOf(stored));
  return parsed(text, readHeader)?.subject;
}

function outlineKey(generation: string): string {
  return `${generationPrefix(generation)}outline.zst`;
}

/** Sizes of the caches in characters and bytes of stored data; an outline takes half as much again in memory. */
const outlineSize = 16 * 1024 * 1024;
const partsSize = 8 * 1024 * 1024;

/** Reads pages from the outline and the parts of their generation, and caches both, as they never change. */
export function createPageStore(blobs: BlobStore): PageStore {
  const outlines = new LRUCache<string, Outline>({
    maxSize: outlineSize,
    ignoreFetchAbort: true,
    async fetchMethod(generation, _, { options }) {
      const stored = await blobs.get(outlineKey(generation));
      const text = stored && (await textOf(stored));
      // A larger one takes the place of all others.
      options.size = Math.min((text?.length ?? 0) + 1, outlineSize);
      return text === undefined ? undefined : parsed(text, readOutline);
    },
  });
  const parts = new LRUCache<string, Buffer>({
    maxSize: partsSize,
    ignoreFetchAbort: true,
    async fetchMethod(key, _, { options, context }) {
      const part = await readPart(blobs, { key, sha256: context as string });
      options.size = part.length + 1;
      return part;
    },
  });
  return {
    outline: (generation) => outlines.fetch(generation),
    async passages({ parts: stored, language }, { place, cuts }) {
      const [number, first, count] = place;
      const { key = "", sha256 = "" } = stored[number] ?? {};
      const part = await parts.fetch(key, { context: sha256 });
      if (part === undefined)
        throw new Failure("generation_damaged", `The part ${key} is missing. Refresh the library.`);
      const cutAt = new Map(cuts.map((cut) => [cut.line, cut.parts]));
      return linesIn(part, first, count).map((line, at): Passage | undefined => {
        const passage = withLanguage(readPassage(line), language);
        const cut = cutAt.get(at);
        if (passage.flags?.includes("quarantined") || cut?.length === 0) return undefined;
        return withCut(passage, cut);
      });
    },
  };
}

/** The text of a stored outline; undefined if it is damaged. */
async function textOf(stored: Uint8Array): Promise<string | undefined> {
  return decompressAll(stored).then(
    (bytes) => bytes.toString("utf8"),
    () => undefined,
  );
}

/** What `read` finds in a text; undefined for anything else than an outline, as it can be written again. */
function parsed<T>(text: string | undefined, read: (text: string) => T): T | undefined {
  try {
    return text === undefined ? undefined : read(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const lineBreak = 10;

/** Some lines of a part. */
function linesIn(part: Buffer, first: number, count: number): readonly string[] {
  let start = 0;
  for (let line = 0; line < first; line += 1) start = part.indexOf(lineBreak, start) + 1;
  const lines: string[] = [];
  for (let line = 0; line < count; line += 1) {
    const end = part.indexOf(lineBreak, start);
    lines.push(part.toString("utf8", start, end));
    start = end + 1;
  }
  return lines;
}
