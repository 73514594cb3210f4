import { lineAt, lineCount, type Range, type SourceLines } from "../markdown/lines.ts";

const directive = /\b(?:tag|(end))::([^\s[]{1,100})\[\](?=$|\s|[*-])/;

/**
 * The lines that a list of tags selects, such as `a;!b` or `**`, without the lines of the tags themselves (AsciiDoc, "Include Content by
 * Tagged Regions"). Linear.
 */
export function taggedRanges(lines: SourceLines, tags: readonly string[]): readonly Range[] {
  const wanted = new Map<string, boolean>();
  for (const tag of tags) {
    const name = tag.replace(/^!/, "");
    if (name !== "") wanted.set(name, !tag.startsWith("!"));
  }
  const firstTag = [...wanted.keys()][0];
  const isFirstRefused = wanted.get(firstTag ?? "") === false;
  const all = wanted.get("**");
  const anyTag = wanted.get("*");
  wanted.delete("**");
  wanted.delete("*");
  const base =
    all ?? (anyTag === undefined ? ![...wanted.values()].includes(true) : firstTag === "*" ? !anyTag : isFirstRefused);
  /** Whether regions that no tag names are selected; undefined if they are as the text around them. */
  const others = anyTag ?? (all === false && isFirstRefused && firstTag !== "**" ? true : undefined);
  const open: { readonly name: string; readonly selects: boolean }[] = [];
  const ranges: [number, number][] = [];
  let selects = base;
  for (let line = 0; line < lineCount(lines); line++) {
    const text = lineAt(lines, line);
    const [, end, name] = (text.length < 500 && text.includes("::") && directive.exec(text)) || [];
    if (name === undefined) {
      const last = ranges.at(-1);
      if (selects && last?.[1] === line) last[1] = line + 1;
      else if (selects) ranges.push([line, line + 1]);
    } else if (end !== undefined) {
      const at = open.findLastIndex((one) => one.name === name);
      if (at >= 0) open.splice(at, 1);
      selects = open.at(-1)?.selects ?? base;
    } else {
      const named = wanted.get(name);
      if (named === undefined && others === undefined) continue;
      selects = named ?? (open.length > 0 && !selects ? false : (others ?? selects));
      if (open.length < maxOpen) open.push({ name, selects });
    }
  }
  return ranges;
}

/** Maximum number of open regions, which keeps the cost linear. */
const maxOpen = 50;
