import type { BlobStore } from "../domain/ports.ts";
import type { FoundSnippet } from "../domain/quarantine.ts";
import type { Snippet } from "../domain/snippet.ts";
import { releaseKeyOf } from "../extract/snippets.ts";
import { manifestOf, readPartLines } from "./parts.ts";

/**
 * The snippets of a generation in which the screen has found something, in order. Only parts that have some are read.
 * @throws Failure generation_damaged, format_unknown
 */
export async function readFindings(blobs: BlobStore, generation: string): Promise<readonly FoundSnippet[]> {
  const { parts } = await manifestOf(blobs, generation);
  const found: FoundSnippet[] = [];
  for (const part of parts) {
    if (part.findings === undefined) continue;
    for (const line of await readPartLines(blobs, part)) {
      // Most lines have none, and need not be parsed.
      if (!line.includes('"findings":[')) continue;
      const snippet = JSON.parse(line) as Snippet;
      if (snippet.findings !== undefined) found.push({ snippet, releaseKey: releaseKeyOf(snippet) });
    }
  }
  return found;
}
