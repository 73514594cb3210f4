import { createHash } from "node:crypto";
import type { BlobStore, PageRef } from "../domain/ports.ts";
import type { Manifest } from "../domain/snippet.ts";
import { extractorVersion } from "../extract/index.ts";
import { toParsedPage } from "../extract/page.ts";
import type { PageResult, ParsedPage } from "../extract/page.ts";
import { generationPrefix, readLooseLines, readPart } from "./parts.ts";

/** What extraction said of a page, and the size of the page as read. */
export interface KeptResult extends ParsedPage {
  readonly bytes: number;
}

/** What a page's result depends on: its place, its content, the extractor. */
export function resultKey(page: Pick<PageRef, "path" | "fingerprint">): string {
  return createHash("sha256").update(`${extractorVersion}\n${page.path}\n${page.fingerprint}`).digest("base64url");
}

/** A kept result as a line: the key first, so that it can be found without parsing, then size and result. */
export function toResultLine(key: string, { bytes, json }: KeptResult): string {
  return `["${key}",${bytes},${json}]`;
}

/** The result in a line, and the size of its page. */
export function parseResultLine(line: string): { readonly result: PageResult; readonly bytes: number } {
  const [, bytes, result] = JSON.parse(line) as [string, number, PageResult];
  return { result, bytes };
}

export interface PageResults {
  has(key: string): boolean;
  /** @throws Failure internal_error where what `has` has seen is gone since */
  get(key: string): Promise<KeptResult>;
}

/** Parts kept decompressed: results are asked for in the order in which they were written. */
const openParts = 2;

/**
 * The results that earlier work has left: those of the live generation, and those of broken attempts of this run.
 * Only keys stay in memory.
 */
export async function openPageResults(
  blobs: BlobStore,
  live: Manifest | undefined,
  runId: string,
): Promise<PageResults> {
  const places = new Map<string, { readonly part: string; readonly line: number }>();
  const hashes = new Map<string, string>();
  const lines = new Map<string, readonly string[]>();

  const index = (part: string, content: readonly string[]): void => {
    content.forEach((line, number) => places.set(keyOf(line), { part, line: number }));
  };
  for (const part of live?.pageResults ?? []) {
    hashes.set(part.key, part.sha256);
    index(part.key, await readPart(blobs, part));
  }
  for await (const key of blobs.list(generationPrefix(runId))) {
    if (!/\/pages-[^/]*$/.test(key)) continue;
    const content = await readLooseLines(blobs, key);
    if (content) index(key, content);
  }

  const open = async (part: string): Promise<readonly string[]> => {
    const known = lines.get(part);
    if (known) return known;
    const sha256 = hashes.get(part);
    const content =
      sha256 === undefined ? await readLooseLines(blobs, part) : await readPart(blobs, { key: part, sha256 });
    if (lines.size >= openParts) lines.delete([...lines.keys()][0] ?? "");
    lines.set(part, content ?? []);
    return content ?? [];
  };

  return {
    has: (key) => places.has(key),
    async get(key) {
      const place = places.get(key);
      const line = place && (await open(place.part))[place.line];
      if (line === undefined) throw new Error(`The page result ${key} is gone.`);
      const { result, bytes } = parseResultLine(line);
      return { ...toParsedPage(result), bytes };
    },
  };
}

/** The key stands between the first quotes of its line. */
function keyOf(line: string): string {
  return line.slice(2, line.indexOf('"', 2));
}
