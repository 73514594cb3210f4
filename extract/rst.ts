import type { Document } from "./blocks.ts";
import { assemble, type CommentPart } from "./declared/document.ts";
import { indentOf, readDocstring, untilDedent } from "./declared/docstring.ts";

const underline = /^([=\-~^"'`#*+.:_<>])\1{2,}$/;
/** Directives that describe an API; their body is ordinary text. */
const described =
  /^\.\.[ \t]{1,3}(?:[a-z]{1,10}:)?(?:function|class|method|attribute|data|exception|module|option|confval|envvar|setting|describe|property|classmethod|staticmethod|decorator|rubric)::[ \t]{1,5}(.{1,300})$/;
/** Targets, substitutions and comments. */
const silent = /^\.\.(?:[ \t]{1,5}(?!\S{1,40}::)|$)/;

/** Reads reStructuredText: sections, code and prose. Directives that Sphinx fills in from code, such as `autoclass`, are left out. */
export function readRst(source: string): Document {
  const lines = source.split(/\r?\n/).map((line) => line.trimEnd());
  const titles: (Title & { readonly at: number })[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const title = titleAt(lines, at);
    if (title === undefined) continue;
    titles.push({ ...title, at });
    at = title.end - 1;
  }
  // Underline characters get levels in the order of their first use.
  const styles = [...new Set(titles.map(({ style }) => style))];
  const page = assemble(titles[0]?.title ?? "", "");
  page.comment(read(lines, 0, titles[0]?.at ?? lines.length));
  for (const [index, { title, style, line, end }] of titles.entries()) {
    page.heading(title, Math.min(styles.indexOf(style) + 1, 6), line + 1);
    page.comment(read(lines, end, titles[index + 1]?.at ?? lines.length));
  }
  return page.document();
}

/** The text between two titles. */
function read(lines: readonly string[], from: number, until: number): readonly CommentPart[] {
  const parts = readDocstring(plain(lines.slice(from, until)).join("\n"), from + 1);
  return parts.map((part) => (part.type === "code" ? part : { ...part, text: linked(part.text) }));
}

/** A title: its text, its underline, and its lines from 0. */
interface Title {
  readonly title: string;
  readonly style: string;
  readonly line: number;
  readonly end: number;
}

/** The title that begins at a line: underlined, or with lines above and below. */
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

/** The lines with hidden ones blanked, and API descriptions as text. */
function plain(lines: readonly string[]): readonly string[] {
  const shown = [...lines];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const [, signature] = described.exec(line.trimStart()) ?? [];
    if (signature !== undefined) {
      shown[at] = `**${signature.replaceAll("*", "\\*")}**`;
      const end = untilDedent(lines, at);
      const width = indentOf(lines.slice(at + 1, end).find((one) => one !== "") ?? "");
      for (let inside = at + 1; inside < end; inside += 1) {
        const text = (lines[inside] ?? "").slice(width);
        // An option of the directive.
        shown[inside] = /^:[\w-]{1,30}:/.test(text) && (shown[inside - 1] ?? "").startsWith("**") ? "" : text;
      }
    } else if (silent.test(line)) {
      const end = untilDedent(lines, at);
      for (let inside = at; inside < end; inside += 1) shown[inside] = "";
      at = end - 1;
    }
  }
  return shown;
}

/** Converts links to Markdown. */
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
