import type { Lines, Stretch } from "../blocks.ts";

/** Where each line of a text stands that was put together from several files. Lines are added in order. */
export interface Origins {
  /** A line that is in a file: number of it, from 0, and of the line of the page that it stands for. */
  add(path: string, line: number, pageLine: number): void;
  /** A line that is in no file, such as a fence's marker. */
  addMade(pageLine: number): void;
  /** Lines added so far. */
  count(): number;
  /** The lines of the page that lines of the text stand for. */
  onPage(lines: Lines): Lines;
  /** What the lines of the text are made of; undefined where all of it is the page's own. */
  stretches(lines: Lines): readonly Stretch[] | undefined;
}

/** Creates the record of a text that is put together for a page. */
export function createOrigins(page: string): Origins {
  const paths = [page];
  const numbers = new Map([[page, 0]]);
  const files: number[] = [];
  const fileLines: number[] = [];
  const pageLines: number[] = [];
  const made = -1;

  return {
    add(path, line, pageLine) {
      let number = numbers.get(path);
      if (number === undefined) {
        number = paths.push(path) - 1;
        numbers.set(path, number);
      }
      files.push(number);
      fileLines.push(line);
      pageLines.push(pageLine);
    },
    addMade(pageLine) {
      files.push(made);
      fileLines.push(0);
      pageLines.push(pageLine);
    },
    count: () => files.length,
    onPage([first, last]) {
      const from = pageLines[first - 1] ?? 0;
      // The parser may count a line behind the last one.
      const to = pageLines[Math.min(last, pageLines.length) - 1] ?? from;
      return [from + 1, to + 1];
    },
    stretches([first, last]) {
      const found: { path: string; lines: [number, number] }[] = [];
      let included = false;
      for (let line = first - 1; line < Math.min(last, files.length); line++) {
        const number = files[line] ?? made;
        if (number === made) continue;
        included ||= number > 0;
        const path = paths[number] ?? page;
        const at = (fileLines[line] ?? 0) + 1;
        const before = found.at(-1);
        if (before?.path === path && before.lines[1] === at - 1) before.lines[1] = at;
        else found.push({ path, lines: [at, at] });
      }
      return included ? found : undefined;
    },
  };
}
