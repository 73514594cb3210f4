import type { Block, Document, Lines, Stretch } from "../blocks.ts";
import { fenceMarker } from "../markdown/fences.ts";
import { lineAt, splitLines } from "../markdown/lines.ts";

/** The file and line that each line of a text comes from, which was put together from several files. Lines are added in order. */
export interface Origins {
  /** A line that is in a file: number of it, from 0, and of the line of the page that it stands for. */
  add(path: string, line: number, pageLine: number): void;
  /** A line that is in no file, such as a fence's marker. */
  addMade(pageLine: number): void;
  /** The lines of the page that lines of the text stand for. */
  onPage(lines: Lines): Lines;
  /** What the lines of the text are made of; undefined where all of it is the page's own. */
  stretches(lines: Lines): readonly Stretch[] | undefined;
}

/** Creates the record of a text that is put together for a page. */
export function createOrigins(page: string): Origins {
  /** Of each line the line of the page, and where it stands in a file. */
  const places: { readonly pageLine: number; readonly file?: { readonly path: string; readonly line: number } }[] = [];

  return {
    add(path, line, pageLine) {
      places.push({ pageLine, file: { path, line } });
    },
    addMade(pageLine) {
      places.push({ pageLine });
    },
    onPage([first, last]) {
      const from = places[first - 1]?.pageLine ?? 0;
      // The parser may count a line behind the last one.
      const to = places[Math.min(last, places.length) - 1]?.pageLine ?? from;
      return [from + 1, to + 1];
    },
    stretches([first, last]) {
      const found: { path: string; lines: [number, number] }[] = [];
      let included = false;
      for (const { file } of places.slice(first - 1, last)) {
        if (file === undefined) continue;
        const { path } = file;
        included ||= path !== page;
        const at = file.line + 1;
        const before = found.at(-1);
        if (before?.path === path && before.lines[1] === at - 1) before.lines[1] = at;
        else found.push({ path, lines: [at, at] });
      }
      return included ? found : undefined;
    },
  };
}

/** A document that was read from a text with its includes replaced, with lines of the page, and the sources of included code. */
export function relocate(
  document: Document,
  { text, origins }: { readonly text: string; readonly origins: Origins },
): Document {
  const lines = splitLines(text);
  const isMarker = (line: number): boolean => fenceMarker.test(lineAt(lines, line - 1));
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
