import type { IncludedFile } from "../domain/ports.ts";
import type { SourceSpec } from "../domain/source.ts";
import { summarise } from "../extract/finish.ts";
import type { PageSummary } from "../extract/finish.ts";
import { extractPage } from "../extract/index.ts";
import type { PageResult } from "../extract/page.ts";
import { toLines } from "../extract/snippets.ts";
import { toPageLines } from "./page-lines.ts";
import type { PageLines } from "./page-lines.ts";

/** A page to extract from, and where it was read. */
export interface ParseInput {
  readonly path: string;
  readonly url: string;
  readonly bytes: Uint8Array;
  /** What it includes. Their bytes are not to be changed any more. */
  readonly includes?: readonly IncludedFile[];
  readonly spec: SourceSpec;
  readonly revision: string;
}

/** An included file of which the bytes go by themselves; `size` is null where it has none. */
interface SentFile extends Omit<IncludedFile, "bytes"> {
  readonly size: number | null;
}

/** Pages in one message, and their bytes one behind the other, those of a page before those of the files that it includes. */
export interface ParseBatch {
  readonly pages: readonly (Omit<ParseInput, "bytes" | "includes"> & { readonly includes: readonly SentFile[] })[];
  /** Of each page, in bytes. */
  readonly sizes: readonly number[];
  readonly bytes: Uint8Array;
}

/** What extraction makes of a page: its snippets, ready to be written, or why it is left out. */
export type ParsedPage =
  | ({
      readonly outcome: "indexed";
      readonly summary: PageSummary;
      readonly notes?: readonly string[];
    } & PageLines)
  | Extract<PageResult, { outcome: "skipped" }>;

/** A page's result, or what its extraction failed with. */
export type ParseOutcome = { readonly result: ParsedPage } | { readonly error: string };

/** What a thread of the pool runs: extracts from each page of a batch, in order. An error is that of its page alone. */
export function parseBatch({ pages, sizes, bytes }: ParseBatch): ParseOutcome[] {
  let start = 0;
  const take = (size: number): Uint8Array => bytes.subarray(start, (start += size));
  return pages.map((page, index) => {
    const own = take(sizes[index] ?? 0);
    const includes = page.includes.map(({ size, ...file }) => ({ ...file, bytes: size === null ? null : take(size) }));
    try {
      return { result: parsePage({ ...page, bytes: own, includes }) };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  });
}

/** Extracts from one page. */
export function parsePage(input: ParseInput): ParsedPage {
  const files = new Map<string, Uint8Array | string>();
  for (const { path, bytes, reason } of input.includes ?? []) {
    const content = bytes ?? reason;
    if (content !== undefined) files.set(path, content);
  }
  const result = extractPage({ path: input.path, bytes: input.bytes, files });
  if (result.outcome === "skipped") return result;
  return {
    outcome: "indexed",
    ...(result.notes && { notes: result.notes }),
    summary: summarise(input.path, result),
    ...toPageLines(toLines(input, result, input)),
  };
}
