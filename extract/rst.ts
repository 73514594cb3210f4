import type { Document } from "./blocks.ts";
import { assemble } from "./declared/document.ts";
import type { CommentPart } from "./declared/document.ts";
import { readDocstring } from "./declared/docstring.ts";

const underline = /^([=\-~^"'`#*+.:_<>])\1{2,}$/;
/** Directives that describe something of an API, whose body is text like any other. */
const described =
  /^\.\.[ \t]{1,3}(?:[a-z]{1,10}:)?(?:function|class|method|attribute|data|exception|module|option|confval|envvar|setting|describe|property|classmethod|staticmethod|decorator|rubric)::[ \t]{1,5}(.{1,300})$/;
/** Targets, substitutions and comments. */
const silent = /^\.\.(?:[ \t]{1,5}(?!\S{1,40}::)|$)/;

/** Reads reStructuredText: its sections, code and prose. What only Sphinx knows to fill in, such as `autoclass`, is left out. */
export function readRst(source: string): Document {
  const lines = source.split(/\r?\n/).map((line) => line.trimEnd());
  const titles: (Title & { readonly at: number })[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const title = titleAt(lines, at);
    if (title === undefined) continue;
    titles.push({ ...title, at });
    at = title.end - 1;
  }
  // Marks have the level in which they are first used.
  const styles = [...new Set(titles.map(({ style }) => style))];
  const page = assemble(titles[0]?.title ?? "", "");
  page.comment(read(lines, 0, titles[0]?.at ?? lines.length));
  for (const [index, { title, style, line, end }] of titles.entries()) {
    page.heading(title, Math.min(styles.indexOf(style) + 1, 6), line + 1);
    page.comment(read(lines, end, titles[index + 1]?.at ?? lines.length));
  }
  return page.document();
}

/** What stands between two titles. */
function read(lines: readonly string[], from: number, until: number): readonly CommentPart[] {
  const parts = readDocstring(plain(lines.slice(from, until)).join("\n"), from + 1);
  return parts.map((part) => (part.type === "code" ? part : { ...part, text: linked(part.text) }));
}

/** A title: its text, the marks round it, and the lines that it takes, from 0 on. */
interface Title {
  readonly title: string;
  readonly style: string;
  readonly line: number;
  readonly end: number;
}

/** The title that begins at a line: one with a line of marks below it, or with one above it too. */
function titleAt(lines: readonly string[], at: number): Title | undefined {
  const [one = "", two = "", three = ""] = lines.slice(at, at + 3);
  const before = lines[at - 1] ?? "";
  if (before !== "") return undefined;
  if (underline.test(one) && two.trim() !== "" && three === one)
    return { title: textOf(two.trim()), style: `${one[0]}${one[0]}`, line: at + 1, end: at + 3 };
  if (/^\S/.test(one) && !underline.test(one) && !one.startsWith("..") && underline.test(two) && two.length >= 3)
    return { title: textOf(one), style: two.slice(0, 1), line: at, end: at + 2 };
  return undefined;
}

/** Lines without what is not shown, each at its place; what describes an API as text. */
function plain(lines: readonly string[]): readonly string[] {
  const shown = [...lines];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const [, signature] = described.exec(line.trimStart()) ?? [];
    if (signature !== undefined) {
      shown[at] = `**${signature.replaceAll("*", "\\*")}**`;
      const end = endOf(lines, at);
      const width = indentOf(lines.slice(at + 1, end).find((one) => one !== "") ?? "");
      for (let inside = at + 1; inside < end; inside += 1) {
        const text = (lines[inside] ?? "").slice(width);
        // Options of the directive.
        shown[inside] = /^:[\w-]{1,30}:/.test(text) && (shown[inside - 1] ?? "").startsWith("**") ? "" : text;
      }
    } else if (silent.test(line)) {
      const end = endOf(lines, at);
      for (let inside = at; inside < end; inside += 1) shown[inside] = "";
      at = end - 1;
    }
  }
  return shown;
}

/** Where what is indented below a line ends. */
function endOf(lines: readonly string[], at: number): number {
  const width = indentOf(lines[at] ?? "");
  let end = at + 1;
  while (end < lines.length && (lines[end] === "" || indentOf(lines[end] ?? "") > width)) end += 1;
  return end;
}

function indentOf(line: string): number {
  return /^ */.exec(line)?.[0].length ?? 0;
}

/** Links as Markdown has them. */
function linked(text: string): string {
  return text
    .replace(/(?<![:`])`([^`<>]{1,200}?)\s{0,3}<(https?:[^`<>\s]{1,300})>`__?/g, "[$1]($2)")
    .replace(/(?<![:`])`([^`<>]{1,200})`__?/g, "$1");
}

function textOf(title: string): string {
  return linked(title.replace(/:[a-z:]{2,30}:`[~!]?([^`<>]{1,200})(?:\s{0,3}<[^`<>]{1,200}>)?`/g, "$1")).replaceAll(
    "`",
    "",
  );
}
