import { hash } from "node:crypto";
import type { BlobStore, Source, SourceAccount, SourceItem } from "../domain/ports.ts";
import type { FailureRecord } from "../domain/failures.ts";
import type { Manifest, ManifestPage } from "../domain/generation.ts";
import { toPageRef } from "../domain/source-port.ts";
import { boilerplateNotes } from "../extract/boilerplate.ts";
import { manifestOf } from "./parts.ts";

/** A source in its second pass: the pages of the first pass with their outcomes, then the pages that need a browser. */
export function rendering(source: Source, blobs: BlobStore, generation: string): Source {
  return {
    ...source,
    async *read(spec, state, context) {
      const manifest = await manifestOf(blobs, generation);
      const unrendered = unrenderedPages(manifest).map(toPageRef);
      const read = new Set(manifest.pages.filter((page) => !isUnrendered(page)).map(({ path }) => path));
      const { settings, revision } = manifest;
      let { validators } = manifest;
      context.account?.({ revision, ...(settings && { settings }), ...(validators && { validators }) });
      // Adds to the validators and notes of the first pass.
      const account = (more: SourceAccount): void => {
        validators = { ...validators, ...more.validators };
        const counted = boilerplateNotes(manifest.cuts);
        const notes = [...(manifest.notes ?? []).filter((note) => !counted.includes(note)), ...(more.notes ?? [])];
        const both = more.revision === undefined ? {} : { revision: `sha256-${hashOf(revision, more.revision)}` };
        context.account?.({ ...more, ...both, validators, ...(notes.length > 0 && { notes }) });
      };
      context.pages(manifest.pages.length);
      for (const page of manifest.pages) if (!isUnrendered(page)) yield itemOf(page);
      yield* source.read(spec, state, { ...context, unrendered, read, account });
    },
  };
}

/** One revision for both passes. */
function hashOf(...revisions: readonly string[]): string {
  return hash("sha256", revisions.join("\n")).slice(0, 40);
}

/** The pages of a generation that were not read because they need a browser. */
export function unrenderedPages({ pages }: Pick<Manifest, "pages">): readonly ManifestPage[] {
  return pages.filter(isUnrendered);
}

function isUnrendered({ outcome, code }: ManifestPage): boolean {
  return outcome === "failed" && code === "browser_needed";
}

/** The outcome of a page in the first pass as an item. Its passages are in the parts of the run. */
function itemOf(kept: ManifestPage): SourceItem {
  const page = toPageRef(kept);
  const { outcome, code, reason = "", bytes } = kept;
  if (outcome === "indexed") return { type: "known", page };
  if (outcome === "failed") return { type: "failed", page, failure: { code, message: reason } as FailureRecord };
  return { type: "skipped", page, reason, ...(bytes !== undefined && { bytes }), code } as SourceItem;
}
