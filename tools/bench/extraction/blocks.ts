import { Parser } from "commonmark";

/** A block of code that an independent parser finds in a page. */
export interface ReferenceBlock {
  readonly code: string;
  /** Info string of the fence. */
  readonly info: string;
  /** First and last line, from 1. */
  readonly lines: readonly [number, number];
}

const decoder = new TextDecoder();

/** The text of a page, with line feeds. */
function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes).replace(/\r\n?/g, "\n");
}

/** The front matter of a page with its lines of dashes or plus signs; "" without front matter. */
function frontMatterOf(text: string): string {
  return /^(---|\+\+\+)\n[\s\S]*?\n\1[ \t]*(?:\n|$)/.exec(text)?.[0] ?? "";
}

/**
 * The blocks of code that commonmark.js finds; in MDX only fences, as indentation means nothing there. commonmark.js reads a component's tag as
 * HTML, which hides the fence below it, and indented text in a callout or tab of MkDocs as code: fences in these are read line by line.
 */
export function referenceBlocks({
  path,
  bytes,
}: {
  readonly path: string;
  readonly bytes: Uint8Array;
}): ReferenceBlock[] {
  // Indented plain text is not code.
  if (path.endsWith(".txt") && !/(?:^|\/)llms[\w-]*\.txt$/.test(path)) return [];
  const text = textOf(bytes);
  const matter = frontMatterOf(text);
  const above = matter.split("\n").length - 1;
  const rows = text.split("\n");
  const walker = new Parser().parse(text.slice(matter.length)).walker();
  const blocks: ReferenceBlock[] = [];
  for (let step = walker.next(); step !== null; step = walker.next()) {
    const { node, entering } = step;
    if (!entering || node.type !== "code_block" || (node.literal ?? "").trim() === "") continue;
    const [[first], [last]] = node.sourcepos;
    if (path.endsWith(".mdx") && !/[`~]{3}/.test(rows[above + first - 1] ?? "")) continue;
    const block = { code: node.literal ?? "", info: node.info ?? "", lines: [above + first, above + last] as const };
    blocks.push(...(path.endsWith(".mdx") ? [block] : withinDirective(block)));
  }
  const { between, inside } = fencesWithin(rows, path.endsWith(".mdx") ? Infinity : 3);
  const apart = blocks.filter(
    ({ lines: [first, last] }) =>
      !between.some(({ lines }) => lines[0] <= last && lines[1] >= first) &&
      !(inside.has(first) && /^\s/.test(rows[first - 1] ?? "") && !/[`~]{3}/.test(rows[first - 1] ?? "")),
  );
  return [...apart, ...between]
    .filter(({ code }) => code.trim() !== "")
    .toSorted(({ lines: [one] }, { lines: [other] }) => one - other);
}

/** The code in a fence that MyST reads as a directive: without its options, or the blocks in the text of a directive with prose. */
function withinDirective({ code, info, lines }: ReferenceBlock): readonly ReferenceBlock[] {
  if (/^\{(?:code|code-block|code-cell|sourcecode)\}/.test(info))
    return [{ code: code.replace(/^(?:[ \t]*:[\w-]+:.*\n)+\n?/, ""), info, lines }];
  const isProse =
    /^(?:admonish|ad-[a-z]+)(?=\s|$)|^\{(?:note|tip|hint|important|warning|caution|attention|danger|error|seealso|admonition|tab-item|tab-set|tab|tabs|dropdown|card|grid|grid-item|grid-item-card|details|topic|sidebar|versionadded|versionchanged|deprecated|div|margin|figure|only|container|epigraph|panels|toctree|contents|tableofcontents|index|image|raw|include)\}/.test(
      info,
    );
  if (!isProse) return [{ code, info, lines }];
  const inner = referenceBlocks({ path: "a.md", bytes: new TextEncoder().encode(code) });
  return inner.map((one) => ({ ...one, lines: [one.lines[0] + lines[0], one.lines[1] + lines[0]] }));
}

/**
 * Closed fences, at any indentation, in a component, directly below its tag, or in a callout or tab of MkDocs, and the lines in these, from 1.
 * The closing marker is indented by at most `deeper` more columns.
 */
function fencesWithin(
  rows: readonly string[],
  deeper: number,
): {
  readonly between: readonly ReferenceBlock[];
  readonly inside: ReadonlySet<number>;
} {
  const between: ReferenceBlock[] = [];
  const inside = new Set<number>();
  const open: string[] = [];
  const isMdx = deeper > 3;
  let isBelow = false;
  let isComment = false;
  /** Indentation of the content of a callout or tab; Infinity outside. */
  let depth = Infinity;
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] ?? "";
    if (isMdx && /^export .*\{$/.test(row)) {
      const end = rows.findIndex((next, line) => line > at && next.startsWith("}"));
      // A fence inside a template literal is not a fence.
      if (end > 0) {
        between.push({ code: "", info: "", lines: [at + 1, end + 1] });
        at = end;
        continue;
      }
    }
    const width = row.length - row.trimStart().length;
    if (row.trim() !== "" && width < depth)
      depth = /^\s*(?:!!!|\?\?\?\+?|===[!+]?|: {1,3}(?=\S)|:\t)\s?/.test(row) ? width + 2 : Infinity;
    const isHeld = open.length > 0 || width >= depth;
    if (isHeld) inside.add(at + 1);
    const [, indent = "", marker, info = ""] = /^([ \t]*)(`{3,}|~{3,})([^`]*)$/.exec(row) ?? [];
    if (marker !== undefined) {
      const end = rows.findIndex((next, line) => {
        const closing = next.trim();
        const isMarker = closing.length >= marker.length && closing === marker.charAt(0).repeat(closing.length);
        return line > at && isMarker && next.length - next.trimStart().length <= indent.length + deeper;
      });
      if (end < 0) continue;
      const code = rows.slice(at + 1, end).map((line) => {
        const blanks = /^[ \t]*/.exec(line)?.[0].length ?? 0;
        return line.slice(Math.min(blanks, indent.length));
      });
      if ((isHeld || isBelow || (isMdx && indent.length > 3)) && !isComment)
        between.push({ code: `${code.join("\n")}\n`, info: info.trim(), lines: [at + 1, end + 1] });
      at = end;
      continue;
    }
    if (row.includes("<!--")) isComment = !row.includes("-->");
    else if (row.includes("-->")) isComment = false;
    isBelow = /^\s*<\/?[A-Z][\w.]*(?:\s[^<>]*)?>\s*$/.test(row) || (isBelow && row.trim() !== "");
    if (!/^\s*<\/?[A-Z]/.test(row)) continue;
    for (const [tag, slash, name = ""] of row.matchAll(/<(\/?)([A-Z][\w.]*)[^<>]*>/g)) {
      if (slash === "/" && open.includes(name)) open.length = open.lastIndexOf(name);
      else if (slash === "" && !tag.endsWith("/>") && rows.slice(at).some((next) => next.includes(`</${name}>`)))
        open.push(name);
    }
  }
  return { between, inside };
}

/** Code for comparison: without differences of line ends, trailing blanks and blanks in empty lines. */
export function comparable(code: string): string {
  return code
    .replace(/\r\n?/g, "\n")
    .replace(/^[ \t]+$/gm, "")
    .replace(/\s+$/, "");
}

const directive =
  /^[ \t]*(?:\{\{\s?#(?:rustdoc_)?(?:include|playground)\b|<<< ?[@./\w]|--8<-- |;--8<--|\{\* \.|\{% include(?:_relative)? |\{\{[<%]\s?(?:include|readfile|code_sample)\b|<!-- ?@include: )/m;

/** Whether some lines of code include lines of other files. */
export function hasInclude(code: string): boolean {
  return directive.test(code);
}
