import type { Block, Document, Lines, Stretch } from "../blocks.ts";
import { fenceMarker } from "../markdown/fences.ts";
import { lineAt, splitLines } from "../markdown/lines.ts";

/** The origin of each line of a page's text that is assembled from several files. */
export type Origins = ReturnType<typeof createOrigins>;

/** Creates the record of the text for a page. Lines are added in order. */
export function createOrigins(page: string) {
  const places: { readonly pageLine: number; readonly file?: { readonly path: string; readonly line: number } }[] = [];

  return {
    /** Adds a line of a file, with its number there and that of the page's line it replaces, from 0. */
    add(path: string, line: number, pageLine: number): void {
      places.push({ pageLine, file: { path, line } });
    },
    /** Adds a line of no file, such as a fence's marker. */
    addMade(pageLine: number): void {
      places.push({ pageLine });
    },
    /** Converts lines of the text to lines of the page. */
    onPage([first, last]: Lines): Lines {
      const from = places[first - 1]?.pageLine ?? 0;
      // The parser may count a line after the last one.
      const to = places[Math.min(last, places.length) - 1]?.pageLine ?? from;
      return [from + 1, to + 1];
    },
    /** The files and lines that lines of the text come from; undefined if all are the page's. */
    stretches([first, last]: Lines): readonly Stretch[] | undefined {
      const stretches: { path: string; lines: [number, number] }[] = [];
      let included = false;
      for (const { file } of places.slice(first - 1, last)) {
        if (file === undefined) continue;
        const { path } = file;
        included ||= path !== page;
        const at = file.line + 1;
        const before = stretches.at(-1);
        if (before?.path === path && before.lines[1] === at - 1) before.lines[1] = at;
        else stretches.push({ path, lines: [at, at] });
      }
      return included ? stretches : undefined;
    },
  };
}

/**
 * Converts the lines of a document with replaced includes to lines of the page, and adds the sources of included code. `marker` matches the
 * lines around code.
 */
export function relocate(
  document: Document,
  { text, origins }: { readonly text: string; readonly origins: Origins },
  marker = fenceMarker,
): Document {
  const lines = splitLines(text);
  const isMarker = (line: number): boolean => marker.test(lineAt(lines, line - 1));
  const withSources = (block: Block, [first, last]: Lines): Block => {
    if (block.type !== "code") return block;
    const from = isMarker(first) ? first + 1 : first;
    const to = from > first && last > first && isMarker(last) ? last - 1 : last;
    const sources = origins.stretches([from, to]);
    return sources === undefined ? block : { ...block, sources };
  };
  const blocks = document.blocks.map((block): Block => ({
    ...withSources(block, block.lines),
    lines: origins.onPage(block.lines),
  }));
  return { ...document, blocks };
}
