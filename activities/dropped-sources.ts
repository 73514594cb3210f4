import { isSourceCode } from "../domain/addresses.ts";
import { servedPassages, type Counts, type Manifest } from "../domain/generation.ts";
import type { BlobStore } from "../domain/ports.ts";
import { readManifest } from "./parts.ts";

/** The pages of a generation whose passages come from documents, or from sources. */
function indexed(manifest: Manifest | undefined, isSource: boolean): Manifest["pages"] {
  const pages = manifest?.pages ?? [];
  return pages.filter(({ outcome, path }) => outcome === "indexed" && isSourceCode(path) === isSource);
}

/**
 * The figures of a live generation without its sources, if the next one has none and as many documents: sources are only read where few
 * documents are written. Undefined if that makes no difference.
 */
export async function withoutDroppedSources(
  blobs: BlobStore,
  record: { readonly id: string; readonly counts: Counts } | null | undefined,
  generation: string,
): Promise<Counts | undefined> {
  if (!record) return undefined;
  const { id, counts } = record;
  const [live, next] = [await readManifest(blobs, id), await readManifest(blobs, generation)];
  const sources = indexed(live, true);
  if (sources.length === 0 || indexed(next, true).length > 0) return undefined;
  if (indexed(next, false).length < indexed(live, false).length) return undefined;
  const dropped = sources.reduce((sum, { snippets = 0 }) => sum + snippets, 0);
  return { ...counts, passages: Math.max(servedPassages(counts) - dropped, 0) };
}
