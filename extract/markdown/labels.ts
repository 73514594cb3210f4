import { splitLines, lineAt, lineCount } from "./lines.ts";

const label = /^\(([^\s()]{1,100})\)=[ \t]*$/;
const heading = /^#{1,6}[ \t]+(\S.{0,300})$/;

/**
 * Creates the function that finds the title of the section that a label of MyST stands before, `(label)=`, or, after a number sign, that
 * has a fragment; undefined without one.
 */
export function createTitleFinder(text: string): (name: string) => string | undefined {
  let titles: Map<string, string> | undefined;
  /** Number of characters left for titles, as references may repeat long ones. */
  let budget = 2 * text.length + 10_000;
  return (name) => {
    const title = (titles ??= readTitles(text)).get(name);
    budget -= title?.length ?? 0;
    return budget < 0 ? undefined : title;
  };
}

function readTitles(text: string): Map<string, string> {
  const titles = new Map<string, string>();
  const lines = splitLines(text);
  let open: string[] = [];
  for (let at = 0; at < lineCount(lines); at++) {
    const line = lineAt(lines, at);
    const name = label.exec(line)?.[1];
    if (name !== undefined) open.push(name);
    else if (line.trim() !== "") {
      // A role in a title is its text.
      const title = heading
        .exec(line.trimEnd())?.[1]
        ?.replace(/(?<=[ \t])#{1,6}$|\{[\w:+-]{1,40}\}(?=`)/g, "")
        .trim();
      if (title !== undefined) {
        for (const one of open) titles.set(one, title);
        const fragment = `#${fragmentOf(title)}`;
        if (!titles.has(fragment)) titles.set(fragment, title);
      }
      open = [];
    }
  }
  return titles;
}

/** The fragment of a heading on GitHub, which MyST has too. */
function fragmentOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");
}
