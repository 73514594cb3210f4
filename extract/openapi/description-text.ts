import { objectOf } from "../json.ts";
import { keysByWord } from "../language.ts";
import { joined } from "./values.ts";

/** Maximum length of a text that is read, in characters. */
const maxText = 20_000;

/** Elements of HTML in descriptions. Other words in angle brackets are placeholders. */
const elements =
  "a|abbr|b|big|blockquote|br|center|cite|code|dd|del|details|dfn|div|dl|dt|em|font|h[1-6]|hr|i|img|ins|kbd|li|mark|nobr|ol|p|pre|q|s|samp|section|small|span|strike|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|var|wbr";
const tag = new RegExp(`<(/?)(${elements})\\b[^<>]{0,1000}>`, "gi");
const link = /!?\[([^[\]]{0,300})\]\([^()]{0,500}\)/g;
const comment = /<!--[^<>]{0,1000}-->/g;

/** Prose on one line, without the markup of Markdown and HTML. Text in code spans stays as it is. */
export function plain(text: string): string {
  const pieces = text
    .slice(0, 2000)
    .replace(link, "$1")
    .split(/(`[^`\n]{1,300}`)/);
  return pieces
    .map((piece, at) => {
      if (at % 2 === 1) return piece.slice(1, -1);
      const marked = piece
        .replace(comment, " ")
        .replace(tag, " ")
        .replace(/\*\*|__|`/g, "");
      // The beginning of the text begins a line, the end of a code span does not.
      return at === 0 ? withoutLineMarks(`\n${marked}`) : withoutLineMarks(marked);
    })
    .join("")
    .replace(/\s+/g, " ")
    .trim();
}

function withoutLineMarks(text: string): string {
  return text.replace(/\n[ \t]*(?:#{1,6}|[-*+>]|\d{1,9}[.)])[ \t]+/g, "\n");
}

/**
 * The description of a field or parameter as the Markdown of a list item: its first paragraph on the line, lists and further
 * paragraphs indented below it.
 */
export function itemMarkdown(text: string): string {
  const left = text.length - maxText;
  const whole = left > 0 ? `${text.slice(0, maxText)}\n\n(${left} more characters are left out.)` : text;
  const blocks = withoutHtml(whole)
    .split(/\n[ \t]*\n\s*/)
    .map((block) => block.trimEnd())
    .filter((block) => block.trim() !== "");
  const [first = "", ...others] = joinFences(blocks);
  const [line = "", ...below] = first.split("\n");
  const isText = !/^(?:[-*+]|\d{1,9}[.)])\s|^\s*(?:```|~~~|\||>)/.test(line);
  const head = isText ? [line.trim(), ...indented(below)] : ["", ...indented(first.split("\n"))];
  return [...head, ...others.flatMap((block) => ["", ...indented(block.split("\n"))])].join("\n");
}

/** Joins the blocks of fenced code, which has blank lines. */
function joinFences(blocks: readonly string[]): string[] {
  const joined: string[] = [];
  let fence = "";
  for (const block of blocks) {
    if (fence === "") joined.push(block);
    else joined.push(`${joined.pop() ?? ""}\n\n${block}`);
    for (const [, mark = ""] of block.matchAll(/^[ \t]*(```|~~~)/gm))
      fence = fence === "" ? mark : fence === mark ? "" : fence;
  }
  // An unclosed fence would include everything after it.
  if (fence !== "") joined.push(`${joined.pop() ?? ""}\n${fence}`);
  return joined;
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => (line.trim() === "" ? "" : `  ${line}`));
}

/** Replaces HTML tags by marks of Markdown, or removes them; code stays as it is, headings become bold. */
function withoutHtml(text: string): string {
  const pieces = text
    .replaceAll("\r\n", "\n")
    .replaceAll("\r", "\n")
    .split(/(`[^`\n]{1,300}`|^[ \t]*```[\s\S]{0,5000}?^[ \t]*```)/m);
  return pieces.map((piece, at) => (at % 2 === 1 ? piece : markedUp(piece))).join("");
}

function markedUp(text: string): string {
  return text
    .replace(comment, "")
    .replace(/<a\b[^<>]{0,500}\bhref="(https?:[^"<>]{1,500})"[^<>]{0,500}>([^<>]{0,300})<\/a>/gi, "[$2]($1)")
    .replace(tag, (_all, end: string, name: string) => markOf(name.toLowerCase(), end !== ""))
    .replace(/!?\[([^[\]]{0,300})\]\((?!https?:)[^()]{0,500}\)/g, "$1")
    .replace(
      /^[ \t]*#{1,6}[ \t]+(.{1,200})$/gm,
      (_all, words: string) =>
        `**${words
          .replaceAll("*", "")
          .trim()
          .replace(/(?<!#)#+$/, "")
          .trim()}**`,
    );
}

/** The marks of Markdown for inline elements. */
const marks = keysByWord({ "`": "code kbd samp tt var", "**": "b strong", "*": "em i" });

function markOf(name: string, isEnd: boolean): string {
  if (name === "br") return "  \n";
  if (name === "li") return isEnd ? "" : "\n- ";
  const isBlock = /^(?:p|div|ul|ol|dl|dt|table|tr|pre|blockquote|section|h[1-6])$/.test(name);
  return isBlock ? "\n\n" : (marks.get(name) ?? "");
}

/** Maximum length of a quoted value, in characters. */
const maxValueLength = 2000;

/** A text as inline code of Markdown, on one line. */
export function inlineCode(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (!line.includes("`")) return `\`${line}\``;
  const longest = Math.max(...(line.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence} ${line} ${fence}`;
}

/** A value as inline code. */
export function valueCode(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  const left = text.length - maxValueLength;
  if (left > 0) return `${inlineCode(text.slice(0, maxValueLength))} and ${left} more characters`;
  return text.trim() === "" ? '""' : inlineCode(text);
}

/** Sentences that count what is left out, by what it is; empty for nothing. */
export function leftOutWords(count: number, what: string): string[] {
  return count <= 0 ? [] : [`${count} ${what}${count === 1 ? " is" : "s are"} left out.`];
}

/** The description and address in `externalDocs`; "" without. */
export function documentationOf(value: unknown): string {
  const { url, description } = objectOf(value);
  return joined([description, url], ": ");
}
