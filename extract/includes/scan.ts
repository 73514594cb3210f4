import { bodyLine } from "../markdown/front-matter.ts";
import { closesFence, readFenceLine, type FenceLine } from "../markdown/fences.ts";
import { lineAt, lineCount, splitLines, type Range, type SourceLines } from "../markdown/lines.ts";
import { readLine, readScissors, type Written } from "./forms.ts";
import { findTags } from "./mdx-imports.ts";
import { placesOf } from "./includable-files.ts";
import type { Selection } from "./selection.ts";
import { toRange, toRanges } from "./arguments.ts";

/** An include, with the candidate paths of its file. */
export interface Include extends Omit<Written, "path" | "base" | "shared" | "endings"> {
  /** The path as written on the page. */
  readonly written: string;
  /** Candidate paths in the tree, the best first; none for a path that leaves it. */
  readonly places: readonly string[];
}

/** A fence of the page, in lines from 0. */
export interface Fence extends FenceLine {
  readonly line: number;
  /** The line that closes it; -1 if none does. */
  close: number;
  /** The text before it on its line. */
  readonly prefix: string;
}

/** Lines of a page that are replaced by other files. */
export interface Directive {
  readonly lines: Range;
  /** The text before it on its first line: blanks, quote or list markers. */
  readonly prefix: string;
  /** The fence around it. */
  readonly fence: Fence | null;
  readonly includes: readonly Include[];
  /** It is always a block of its own. */
  readonly apart: boolean;
}

/** A page's text and its includes. */
export interface Scanned {
  readonly lines: SourceLines;
  readonly directives: readonly Directive[];
  /** The first line after the front matter, from 0. */
  readonly body: number;
  /** The fence that is still open at the end of the text. */
  readonly open: Fence | null;
}

/** Maximum number of includes on one page. */
export const maxDirectives = 1000;

/** A cheap test that every page with includes passes; it is fast because no part is bound to the start of a line. */
const anyForm =
  /<<<|@\[code|@include:|8<-|\{\*[ \t]|\{!|\{\{#(?:inc|rust|play)|\{%-?[ \t]*(?:\n\s{0,20})?(?:include|render)|\{\{[<%][ \t]*(?:include|readfile|code|embed)|<Snippet\s|raw-loader|[?&]raw|\.mdx?["']|:include|[`~:]\{(?:literal)?include\}/;

/** Finds the includes of a page, in its order. Linear; null for a page without includes. */
export function scan(path: string, source: string): Scanned | null {
  if (!anyForm.test(source)) return null;
  const lines = splitLines(source);
  const body = bodyLine(lines);
  const directives: Directive[] = [];
  const tags = new Map(tagLines(source, lines).map((tag) => [tag.lines[0], tag]));
  const toInclude = ({ path: written, base, shared, endings = [""], ...rest }: Written): Include => {
    const own = placesOf(path, written, base);
    const all = shared === undefined || own.length === 0 ? own : [...own, ...placesOf(path, shared, "documents")];
    return { ...rest, written, places: all.flatMap((place) => endings.map((ending) => place + ending)) };
  };
  const count = lineCount(lines);
  let fence: Fence | null = null;
  /** Liquid replaces nothing between `{% raw %}` and `{% endraw %}`. */
  let inRaw = false;
  for (let line = body; line < count && directives.length < maxDirectives; line++) {
    const text = lineAt(lines, line);
    if (fence !== null && closes(fence, text)) {
      if (isMarker(fence, text)) fence.close = line;
      // The end of a quote ends the fence in it; this line is read as text.
      const closed = fence.close === line;
      fence = null;
      if (closed) continue;
    }
    const tagged = fence === null ? tags.get(line) : undefined;
    const prefix = prefixOf(text);
    const rest = text.slice(prefix.length).trimEnd();
    if (tagged !== undefined) {
      directives.push({ ...tagged, prefix, fence, includes: [toInclude(tagged.written)] });
      line = tagged.lines[1] - 1;
      continue;
    }
    // After a list marker in a fence there is code.
    if (fence !== null && !/^[ \t>]*$/.test(prefix)) continue;
    if (text.includes("raw") && /\{%-?[ \t]{0,5}(?:end)?raw[ \t]{0,5}-?%\}/.test(text))
      inRaw = text.lastIndexOf("endraw") < text.lastIndexOf(" raw");
    if (inRaw && rest.startsWith("{%")) continue;
    const block = readBlock(lines, line, rest);
    if (block !== undefined) {
      const includes = block.written.map(toInclude);
      directives.push({ lines: [line, block.end], prefix, fence, includes, apart: false });
      line = block.end - 1;
      continue;
    }
    const written = readLine(rest, fence !== null);
    if (written !== null) {
      directives.push({ lines: [line, line + 1], prefix, fence, includes: [toInclude(written)], apart: false });
    } else if (fence === null) {
      const myst = readMystFence(lines, line, rest);
      if (myst !== undefined) {
        directives.push({ lines: [line, myst.end], prefix, fence, includes: [toInclude(myst.written)], apart: true });
        line = myst.end - 1;
      } else fence = openFence(rest, prefix, line);
    }
  }
  return directives.length === 0 ? null : { lines, directives, body, open: fence };
}

/** Blanks, quote markers and one list marker at the start of a line. */
function prefixOf(text: string): string {
  return /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+(?=[<@{`~[-]))?[ \t]*/.exec(text)?.[0] ?? "";
}

function openFence(rest: string, prefix: string, line: number): Fence | null {
  const fence = readFenceLine(rest);
  return fence === undefined ? null : { ...fence, line, close: -1, prefix };
}

function closes(fence: Fence, text: string): boolean {
  return isMarker(fence, text) || (fence.prefix.includes(">") && !text.includes(">"));
}

function isMarker({ marker }: Fence, text: string): boolean {
  return text.includes(marker) && closesFence(text.replace(/^[ \t>]+/, "").trimEnd(), marker);
}

interface Block {
  readonly end: number;
  readonly written: readonly Written[];
}

/** Reads an include of several lines: paths between two `--8<--`, or a Liquid tag. */
function readBlock(lines: SourceLines, line: number, rest: string): Block | undefined {
  if (/^-{1,9}8<-{1,9}$/.test(rest)) {
    const written: Written[] = [];
    for (let at = line + 1; at < Math.min(lineCount(lines), line + 200); at++) {
      const text = lineAt(lines, at).trim();
      if (/^-{1,9}8<-{1,9}$/.test(text)) return { end: at + 1, written };
      const one = readScissors(text);
      if (one !== null) written.push(one);
    }
    return undefined;
  }
  if (/^\{%-?$|^\{%-?[ \t]*include-markdown\b/.test(rest) && !rest.includes("%}")) {
    let text = rest;
    for (let at = line + 1; at < Math.min(lineCount(lines), line + 12); at++) {
      const more = lineAt(lines, at).trim();
      // Another tag begins, so this was none.
      if (more.includes("{%")) break;
      text += ` ${more}`;
      if (!text.endsWith("%}")) continue;
      const written = readLine(text, true);
      return written === null ? undefined : { end: at + 1, written: [written] };
    }
  }
  return undefined;
}

/** The tags that are alone on their lines. */
function tagLines(
  source: string,
  lines: SourceLines,
): { readonly lines: Range; readonly written: Written; readonly apart: true }[] {
  let line = 0;
  return findTags(source).flatMap(({ from, to, written }) => {
    while ((lines.starts[line + 1] ?? Infinity) <= from) line++;
    let end = line;
    while ((lines.starts[end + 1] ?? Infinity) < to) end++;
    const before = source.slice(lines.starts[line], from);
    const after = source.slice(to, lines.starts[end + 1] ?? source.length);
    const alone = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?$/.test(before) && after.trim() === "";
    return alone ? [{ lines: [line, end + 1] as const, written, apart: true as const }] : [];
  });
}

/** Maximum number of option lines. */
const maxOptions = 40;

/**
 * Reads a MyST directive as a fence: `{literalinclude} x.py` or `{include} ../README.md` with options (Sphinx, "literalinclude";
 * MyST-Parser, "Inserting other documents directly").
 */
function readMystFence(
  lines: SourceLines,
  line: number,
  rest: string,
): { readonly end: number; readonly written: Written } | undefined {
  const [, marker = "", form, path = ""] =
    /^(`{3,}|~{3,}|:{3,})\{(literalinclude|include)\}[ \t]+(\S{1,500})$/.exec(rest) ?? [];
  if (form === undefined) return undefined;
  const options = new Map<string, string>();
  for (let at = line + 1; at < Math.min(lineCount(lines), line + maxOptions); at++) {
    const text = lineAt(lines, at).trim();
    if (text.startsWith(marker)) return { end: at + 1, written: toWritten(path, form, options) };
    const [, name, value = ""] = /^:([\w-]{1,40}):[ \t]*(.{0,300})$/.exec(text) ?? [];
    if (name !== undefined) options.set(name, value.trim());
  }
  return undefined;
}

function toWritten(path: string, form: string, options: ReadonlyMap<string, string>): Written {
  const asCode = form === "literalinclude" || options.has("literal") || options.has("code");
  const language = options.get("language") ?? options.get("code");
  const label = options.get("caption");
  const highlight = toRanges(options.get("emphasize-lines") ?? "");
  return {
    path: path.replace(/^\/+/, ""),
    base: path.startsWith("/") ? "documents" : "page",
    selection: toSelection(options),
    asCode,
    ...(language !== undefined && language !== "" && { language }),
    ...(label !== undefined && label !== "" && { label }),
    ...(highlight.length > 0 && { highlight: { lines: highlight, ofFile: false } }),
  };
}

/** The lines that the options of `literalinclude` or `include` select. */
export function toSelection(options: ReadonlyMap<string, string>): Selection {
  const bound = (including: string, excluding: string): Selection["from"] => {
    const included = options.get(including);
    const text = included ?? options.get(excluding);
    return text === undefined || text === "" ? undefined : { text: unquote(text), included: included !== undefined };
  };
  const from = bound("start-at", "start-after");
  const to = bound("end-at", "end-before");
  const [first, last] = [options.get("start-line"), options.get("end-line")];
  const range =
    first === undefined && last === undefined ? undefined : [toRange(String(Number(first ?? 0) + 1), last ?? "")];
  const lines = options.get("lines");
  const object = options.get("pyobject");
  return {
    ...((lines !== undefined || range !== undefined) && {
      lines: lines === undefined ? (range ?? []) : toRanges(lines),
    }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(object !== undefined && { object }),
    ...(options.has("dedent") && { dedent: true }),
  };
}

function unquote(text: string): string {
  return /^(["'])(.*)\1$/.exec(text)?.[2] ?? text;
}
