import { hash } from "node:crypto";
import type { BlobStore, PageRef } from "../domain/ports.ts";
import type { IncludedRef, Manifest, ManifestPage, Snippet } from "../domain/snippet.ts";
import { extractorVersion } from "../extract/formats.ts";
import { generationPrefix, partOfPages, readLooseLines, readPartLines } from "./parts.ts";

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
  /** What else the result of a page depends on; undefined where none is kept. */
  includesOf(key: string): readonly IncludedRef[] | undefined;
  /** The page where it can still be read as it was written. */
  get(key: string): Promise<EarlierPage | undefined>;
}

/** Parts kept decompressed: pages are asked for in the order in which they were written. */
const openParts = 2;

/**
 * The pages of the live generation, and those that broken attempts of this run have left. Only their outcomes stay in
 * memory, not their snippets.
 */
export async function openEarlierPages(
  blobs: BlobStore,
  live: Manifest | undefined,
  runId: string,
): Promise<EarlierPages> {
  const pages = new Map<string, { readonly page: ManifestPage; readonly part: string }>();
  const hashes = new Map<string, string>();
  const opened = new Map<string, readonly string[]>();

  for (const { key, sha256 } of live?.parts ?? []) hashes.set(key, sha256);
  for (const page of live?.pages ?? []) {
    const part = live?.parts[page.place?.[0] ?? -1]?.key;
    if (page.key !== undefined && (part !== undefined || page.place?.[2] === 0))
      pages.set(page.key, { page, part: part ?? "" });
  }
  for await (const key of blobs.list(generationPrefix(runId))) {
    const part = partOfPages(key);
    for (const line of (part !== undefined && (await readLooseLines(blobs, key))) || []) {
      const page = JSON.parse(line) as ManifestPage;
      if (page.key !== undefined && part !== undefined) pages.set(page.key, { page, part });
    }
  }

  const linesOf = async (part: string): Promise<readonly string[]> => {
    const known = opened.get(part);
    if (known) return known;
    const sha256 = hashes.get(part);
    const lines =
      sha256 === undefined ? await readLooseLines(blobs, part) : await readPartLines(blobs, { key: part, sha256 });
    if (opened.size >= openParts) opened.delete([...opened.keys()][0] ?? "");
    opened.set(part, lines ?? []);
    return lines ?? [];
  };

  return {
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
