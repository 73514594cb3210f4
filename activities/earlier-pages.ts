import { hash } from "node:crypto";
import type { BlobStore, PageRef } from "../domain/ports.ts";
import type { IncludedRef, ManifestPage, Snippet } from "../domain/snippet.ts";
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

/** What a page's snippets depend on: its place, its content, the extractor. */
export function pageKey(page: Pick<PageRef, "path" | "fingerprint">): string {
  return hash("sha256", `${extractorVersion}\n${page.path}\n${page.fingerprint}`, "base64url");
}

/** A page that need not be read again. */
export interface EarlierPage {
  readonly page: ManifestPage;
  readonly snippets: readonly Snippet[];
}

/** Pages that earlier work has extracted from. */
export interface EarlierPages {
  /** The error message if the live generation is damaged. */
  readonly damage: string | undefined;
  /** What else the result of a page depends on; undefined where none is kept. */
  includesOf(key: string): readonly IncludedRef[] | undefined;
  /** The page where it can still be read as it was written. */
  get(key: string): Promise<EarlierPage | undefined>;
}

/** Parts kept decompressed: pages are asked for in the order in which they were written. */
const openParts = 2;

/**
 * The pages of the live generation, and those that broken attempts of this run have left. Pages of
 * missing or damaged parts are left out. Only their outcomes stay in memory, not their snippets.
 */
export async function openEarlierPages(
  blobs: BlobStore,
  live: string | undefined,
  runId: string,
  signal: AbortSignal,
): Promise<EarlierPages> {
  let damage: string | undefined;
  const isWhole = async (reading: Promise<unknown>): Promise<boolean> => {
    const found = await damageIn(reading);
    signal.throwIfAborted();
    damage ??= found;
    return found === undefined;
  };
  const pages = new Map<string, { readonly page: ManifestPage; readonly part: string }>();
  const hashes = new Map<string, string>();
  const opened = new Map<string, readonly string[]>();

  const reading = live === undefined ? undefined : manifestOf(blobs, live);
  const manifest = reading && (await isWhole(reading)) ? await reading : undefined;
  for (const part of manifest?.parts ?? [])
    if (await isWhole(checkPart(blobs, part))) hashes.set(part.key, part.sha256);
  for (const page of manifest?.pages ?? []) {
    const part = manifest?.parts[page.place?.[0] ?? -1]?.key ?? "";
    if (page.key !== undefined && (hashes.has(part) || page.place?.[2] === 0)) pages.set(page.key, { page, part });
  }
  for await (const key of blobs.list(generationPrefix(runId))) {
    const part = partOfPages(key);
    const lines = part === undefined ? undefined : await readLooseLines(blobs, part);
    if (part === undefined || lines === undefined || lines.length === 0) continue;
    for (const line of (await readLooseLines(blobs, key)) ?? []) {
      const page = JSON.parse(line) as ManifestPage;
      if (page.key !== undefined) pages.set(page.key, { page, part });
    }
  }

  const linesOf = async (part: string): Promise<readonly string[]> => {
    const known = opened.get(part);
    if (known) return known;
    const sha256 = hashes.get(part);
    const lines =
      sha256 === undefined
        ? await readLooseLines(blobs, part)
        : await unlessDamaged(readPartLines(blobs, { key: part, sha256 }));
    if (opened.size >= openParts) opened.delete([...opened.keys()][0] ?? "");
    opened.set(part, lines ?? []);
    return lines ?? [];
  };

  return {
    damage,
    includesOf: (key) => {
      const found = pages.get(key);
      return found && (found.page.includes ?? []);
    },
    async get(key) {
      const found = pages.get(key);
      if (!found) return undefined;
      const [, first, count] = found.page.place ?? [0, 0, 0];
      if (count === 0) return { page: found.page, snippets: [] };
      const lines = (await linesOf(found.part)).slice(first, first + count);
      if (lines.length < count) return undefined;
      return { page: found.page, snippets: lines.map((line) => JSON.parse(line) as Snippet) };
    },
  };
}
