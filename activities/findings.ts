import type { BlobStore } from "../domain/ports.ts";
import type { FoundPassage } from "../domain/quarantine.ts";
import { readPassage } from "../domain/passage-lines.ts";
import { releaseKeyOf } from "../extract/passage-lines.ts";
import { manifestOf, readPartLines } from "./parts.ts";

/**
 * The passages of a generation in which the screen has found something, in order. Only parts that have some are read.
 * @throws Failure generation_damaged, format_unknown
 */
export async function readFindings(blobs: BlobStore, generation: string): Promise<readonly FoundPassage[]> {
  const { parts } = await manifestOf(blobs, generation);
  const found: FoundPassage[] = [];
  for (const part of parts) {
    if (part.findings === undefined) continue;
    for (const line of await readPartLines(blobs, part)) {
      // Most lines have none, and need not be parsed.
      if (!line.includes('"findings":[')) continue;
      const passage = readPassage(line);
      if (passage.findings !== undefined) found.push({ passage, releaseKey: releaseKeyOf(passage) });
    }
  }
  return found;
}
