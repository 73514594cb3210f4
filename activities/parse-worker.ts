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
  readonly spec: SourceSpec;
  readonly revision: string;
}

/** Pages in one message, and their bytes one behind the other. */
export interface ParseBatch {
  readonly pages: readonly Omit<ParseInput, "bytes">[];
  /** Of each page, in bytes. */
  readonly sizes: readonly number[];
  readonly bytes: Uint8Array;
}

/** What extraction makes of a page: its snippets, ready to be written, or why it is left out. */
export type ParsedPage =
  | ({ readonly outcome: "indexed"; readonly summary: PageSummary } & PageLines)
  | Extract<PageResult, { outcome: "skipped" }>;

/** A page's result, or what its extraction failed with. */
export type ParseOutcome = { readonly result: ParsedPage } | { readonly error: string };

/** What a thread of the pool runs: extracts from each page of a batch, in order. An error is that of its page alone. */
export function parseBatch({ pages, sizes, bytes }: ParseBatch): ParseOutcome[] {
  let start = 0;
  return pages.map((page, index) => {
    const end = start + (sizes[index] ?? 0);
    const own = bytes.subarray(start, end);
    start = end;
    try {
      return { result: parsePage({ ...page, bytes: own }) };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  });
}

/** Extracts from one page. */
export function parsePage(input: ParseInput): ParsedPage {
  const result = extractPage(input);
  if (result.outcome === "skipped") return result;
  return {
    outcome: "indexed",
    summary: summarise(input.path, result),
    ...toPageLines(toLines(input, result, input)),
  };
}
