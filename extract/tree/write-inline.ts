import type { Inline, Link } from "./nodes.ts";

/** Writes text within a paragraph as Markdown, trimmed. */
export function writeInline(nodes: readonly Inline[]): string {
  return insideOf(nodes).trim();
}

/** Joins what is written, with one blank or line end at most where two meet; code and formulas keep their characters. */
function insideOf(nodes: readonly Inline[]): string {
  const [only] = nodes;
  if (nodes.length === 1 && only !== undefined) return writeOne(only);
  const pieces: string[] = [];
  for (const node of nodes) {
    let piece = writeOne(node);
    if (piece === "") continue;
    const before = pieces.at(-1) ?? "";
    if (/^\s/.test(piece) && /\s$/.test(before.slice(-1))) {
      if (/^[^\S\n]*\n/.test(piece) && !before.endsWith("\n")) pieces[pieces.length - 1] = before.trimEnd();
      else piece = piece.trimStart();
    }
    pieces.push(piece);
  }
  return pieces.join("");
}

/** Text without marks on one line. `noteOf` has the words for a reference to a footnote. */
export function plainText(nodes: readonly Inline[], noteOf: (label: string) => string = () => ""): string {
  const text = nodes.map((node) => plainOf(node, noteOf)).join("");
  return collapsed(text).trim();
}

/** What is not a single space between words; most texts have none, and replacing the others' spaces is slow. */
const uneven = /[^\S ]|[\u200B\u2060\uFEFF]| {2}/;

/** Text with each run of blanks and of invisible characters as one space. */
export function collapsed(text: string): string {
  return uneven.test(text) ? text.replace(/[\s\u200B\u2060\uFEFF]+/g, " ") : text;
}

function plainOf(node: Inline, noteOf: (label: string) => string): string {
  if (node.type === "words" || node.type === "code" || node.type === "image") return node.text;
  if (node.type === "math") return node.written;
  if (node.type === "break") return " ";
  if (node.type === "note") return noteOf(node.label);
  const text = node.children.map((child) => plainOf(child, noteOf)).join("");
  return node.type === "superscript" || node.type === "subscript" ? shifted(node.type, text, text) : text;
}

function writeOne(node: Inline): string {
  switch (node.type) {
    case "words":
      return wordsOf(node);
    case "code":
      return codeSpan(node.text, node.ticks);
    case "math":
      return node.written;
    case "image":
      return wordsOf(node);
    case "break":
      return "\n";
    case "note":
      return `[^${node.label}]`;
    case "link":
      return writeLink(node);
    case "strong":
      return around(insideOf(node.children), "**");
    case "emphasis":
      return around(insideOf(node.children), "*");
    case "deleted":
      return around(insideOf(node.children), "~~");
    case "superscript":
    case "subscript":
      return shifted(node.type, insideOf(node.children), plainText(node.children));
  }
}

function wordsOf({ text, written }: { readonly text: string; readonly written?: string }): string {
  return written ?? escaped(collapsed(text));
}

/** Words with what would begin a tag or a character reference escaped. */
function escaped(text: string): string {
  let shown = text;
  if (shown.includes("<")) shown = shown.replace(/<(?=[A-Za-z/!?])/g, "\\<");
  if (shown.includes("&")) shown = shown.replace(/&(?=#?\w{1,30};)/g, "\\&");
  return shown;
}

/** Puts marks around the words, not around blanks; words that are marked already stay as they are. */
function around(inner: string, sign: string): string {
  const words = inner.trim();
  const mark = sign === "~~" ? sign : "*";
  if (words === "" || words.includes("\n\n") || words.startsWith(mark) || words.endsWith(mark)) return inner;
  const start = inner.length - inner.trimStart().length;
  return `${inner.slice(0, start)}${sign}${words}${sign}${inner.slice(start + words.length)}`;
}

/** `2^7`, `H_2O`; several words in parentheses. A raised reference or mark without letters and digits stays as it is. */
function shifted(type: "superscript" | "subscript", inner: string, plain: string): string {
  const words = inner.trim();
  if (!/[\p{L}\p{N}]/u.test(plain) || words.startsWith("[")) return inner;
  const sign = type === "superscript" ? "^" : "_";
  return /\s/.test(words) ? `${sign}(${words})` : `${sign}${words}`;
}

/** Maximum length of an address, in characters. Of a longer link only the text is kept. */
const maxAddress = 300;

function writeLink({ address, children }: Link): string {
  const inner = insideOf(children);
  const text = inner.trim().replaceAll("\n", " ");
  if (text === "") return inner;
  if ((text.length >= address.length && plainText(children) === address) || `mailto:${text}` === address)
    return autolink(text, inner);
  if (address.length > maxAddress || /[[\]]/.test(text.replace(/`[^`]*`/g, ""))) return inner;
  const start = inner.length - inner.trimStart().length;
  return `${inner.slice(0, start)}[${text}](${linkAddress(address)})${/\s$/.test(inner) ? " " : ""}`;
}

/** An address that is its own text (CommonMark 0.31, section 6.5). */
function autolink(text: string, inner: string): string {
  return /^(?:[a-z][a-z\d+.-]{1,31}:[^\s<>]*|[^\s<>@]+@[^\s<>@]+)$/i.test(text) ? `<${text}>` : inner;
}

/** A code span, with more backticks than any run in it, at least as many as given (CommonMark 0.31, section 6.1). */
export function codeSpan(text: string, ticks = 1): string {
  if (ticks === 1 && !text.includes("`")) return `\`${text}\``;
  const longest = (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0);
  const sign = "`".repeat(Math.max(longest + 1, ticks));
  const gap = longest > 0 ? " " : "";
  return `${sign}${gap}${text}${gap}${sign}`;
}

/** An address with the characters encoded that would end it in a link: parentheses only if they are not in pairs. */
function linkAddress(address: string): string {
  if (!/[\s<>()]/.test(address) || /^(?:[^\s<>()]|\([^\s<>()]*\))*$/.test(address)) return address;
  return address.replace(/[\s<>()]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
}

/** Text in bold, unless it has code or marks in it. */
export function bold(text: string): string {
  return text === "" || /[*`\n]/.test(text) ? text : `**${text}**`;
}
