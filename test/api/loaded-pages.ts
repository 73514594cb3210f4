import { outlineFormat, readOutline, writeOutline } from "../../domain/outline.ts";
import type { Passage } from "../../domain/passage.ts";
import type { PageStore } from "../../domain/ports.ts";
import { outlineOf } from "../../extract/outline.ts";
import { subject } from "../support/outlined.ts";
import { ranker } from "./ranker.ts";

/** The pages of the loaded passages, which are in the order of their pages. */
export function loadedPages(loaded: ReadonlyMap<string, readonly Passage[]>): PageStore {
  const pagesOf = (generation: string) =>
    [...Map.groupBy(loaded.get(generation) ?? [], ({ page }) => page.url)].map(([url, passages]) => ({
      page: passages[0]?.source.path ?? url,
      passages,
    }));
  return {
    async outline(generation) {
      if (!loaded.has(generation)) return undefined;
      const pages = pagesOf(generation).flatMap(
        ({ page, passages }, at) =>
          outlineOf({ page, passages, place: [at, 0, passages.length], cuts: [] }, ranker.meaningOfPage) ?? [],
      );
      // The key of its only part names the generation.
      const header = {
        format: outlineFormat,
        language: "",
        parts: [{ key: generation, sha256: "" }],
        held: (loaded.get(generation) ?? []).filter(isHeld).length,
        heldHeadings: [],
        subject,
      } as const;
      return readOutline(writeOutline(header, pages));
    },
    async passages({ parts }, { url }) {
      return (loaded.get(parts[0]?.key ?? "") ?? [])
        .filter(({ page }) => page.url === url)
        .map((passage) => (isHeld(passage) ? undefined : passage));
    },
  };
}

function isHeld({ flags = [] }: Passage): boolean {
  return flags.includes("quarantined");
}
