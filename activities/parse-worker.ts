import { extractPage } from "../extract/index.ts";
import { toParsedPage } from "../extract/page.ts";
import type { ParsedPage } from "../extract/page.ts";

/** Pages in one message: their paths, and their bytes one behind the other. */
export interface ParseBatch {
  readonly paths: readonly string[];
  /** Of each page, in bytes. */
  readonly sizes: readonly number[];
  readonly bytes: Uint8Array;
}

/** A page's result, or what its extraction failed with. */
export type ParseOutcome = { readonly result: ParsedPage } | { readonly error: string };

/** What a thread of the pool runs: extracts from each page of a batch, in order. An error is that of its page alone. */
export function parseBatch({ paths, sizes, bytes }: ParseBatch): ParseOutcome[] {
  let start = 0;
  return paths.map((path, index) => {
    const end = start + (sizes[index] ?? 0);
    const page = bytes.subarray(start, end);
    start = end;
    try {
      return { result: toParsedPage(extractPage({ path, bytes: page })) };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  });
}
