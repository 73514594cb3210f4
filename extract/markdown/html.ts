import { decodeHTML } from "entities";
import type { Lines } from "../blocks.ts";
import { isLanguage } from "../language.ts";
import { tagEnd } from "./tags.ts";

/** A block of HTML in Markdown. */
export type HtmlPiece =
  | { readonly type: "heading"; readonly level: number; readonly text: string; readonly lines: Lines }
  | { readonly type: "code"; readonly language: string; readonly code: string; readonly lines: Lines }
  | { readonly type: "paragraph" | "prose"; readonly text: string; readonly lines: Lines };

const hidden = new Set("script style svg iframe video template object audio button select".split(" "));
const paragraphs = new Set(
  "p div section article header footer center blockquote details figure figcaption main aside nav dl dd hr form".split(
    " ",
  ),
);
/** Number of unfinished tags after which `<` is text, which keeps the cost linear. */
const maxUnfinished = 50;
/** A copy button inside code. */
const copyButton = /<button\b[^>]{0,500}>[^<]{0,60}<\/button>/gi;
const tagName = /^<(\/?)([A-Za-z][\w.:-]*)/;

/** Reads HTML into headings, code, tables, lists and paragraphs. `first` is its first line in the file. Linear in its length. */
export function readHtml(html: string, first: number): HtmlPiece[] {
  const lower = html.toLowerCase();
  const pieces: HtmlPiece[] = [];
  /** Elements without a closing tag, which is searched for only once. */
  const endless = new Set<string>();
  let text: string[] = [];
  let tables = 0;
  let lists = 0;
  let cells = 0;
  let rows = 0;
  let heading = 0;
  let link: { readonly at: number; readonly address: string } | undefined;
  let inCode = false;
  let unfinished = 0;
  let line = first;
  let counted = 0;
  let start = first;

  const lineOf = (at: number): number => {
    for (let next = html.indexOf("\n", counted); next >= 0 && next < at; next = html.indexOf("\n", next + 1)) {
      line++;
      counted = next + 1;
    }
    return line;
  };
  const flush = (at: number, type: "paragraph" | "prose", wrap = ""): void => {
    const content = tidy(text.join(""));
    const lines: Lines = [start, lineOf(at)];
    if (content !== "" && heading > 0)
      pieces.push({ type: "heading", level: heading, text: content.replaceAll("\n", " "), lines });
    else if (content !== "") pieces.push({ type, text: wrap + content + wrap, lines });
    text = [];
    heading = 0;
    link = undefined;
    start = lines[1];
  };
  const endOf = (name: string, from: number): number => {
    if (endless.has(name)) return -1;
    const at = lower.indexOf(`</${name}`, from);
    if (at < 0) endless.add(name);
    return at;
  };

  function preformatted(from: number, tag: string): number {
    const close = endOf("pre", from);
    if (close < 0) return from;
    flush(from, tables + lists > 0 ? "prose" : "paragraph");
    const inner = html.slice(from, close).replace(copyButton, "");
    const code = decodeHTML(inner.includes("<") ? withoutTags(inner) : inner)
      .replace(/^(?:\r\n?|\n)/, "")
      .replace(/(?:\r\n?|\n)[ \t]*$/, "");
    const lines: Lines = [lineOf(from), lineOf(close)];
    const opening = tag + (/^\s*<code\b[^>]{0,300}>/i.exec(inner)?.[0] ?? "");
    if (code.trim() !== "") pieces.push({ type: "code", language: languageOf(opening), code, lines });
    start = lines[1];
    return close;
  }

  function open(name: string, tag: string, at: number, end: number): number {
    if (hidden.has(name) && !tag.endsWith("/>")) {
      const close = endOf(name, end);
      return close < 0 ? end : close;
    }
    if (name === "pre") return preformatted(end, tag);
    if (/^h[1-6]$/.test(name)) {
      flush(at, "paragraph");
      heading = Number(name[1]);
      start = lineOf(at);
    } else if (name === "table") {
      if (tables++ === 0) flush(at, "paragraph");
      rows = 0;
    } else if (name === "ul" || name === "ol") {
      if (lists++ === 0 && tables === 0) flush(at, "paragraph");
    } else if (name === "li") text.push(tables > 0 ? "; " : `\n${"  ".repeat(Math.min(Math.max(lists, 1), 6) - 1)}- `);
    else if (name === "tr" && tables === 1) {
      text.push("\n|");
      cells = 0;
    } else if ((name === "td" || name === "th") && tables === 1) {
      text.push(" ");
      cells++;
    } else if (name === "td" || name === "th") text.push(" ");
    else if (name === "br") text.push(tables > 0 ? " " : "\n");
    else if (name === "a") link = { at: text.length, address: addressOf(tag) };
    else if (name === "code" || name === "kbd" || name === "samp") {
      text.push("`");
      inCode = true;
    } else if (name === "summary" || name === "dt") flush(at, "paragraph");
    else if (paragraphs.has(name) && tables + lists === 0 && heading === 0) flush(at, "paragraph");
    else if (paragraphs.has(name)) text.push(" ");
    return end;
  }

  function close(name: string, at: number): void {
    if (/^h[1-6]$/.test(name) && heading > 0) flush(at, "paragraph");
    else if (name === "table" && tables > 0) {
      if (--tables === 0) flush(at, "prose");
    } else if ((name === "ul" || name === "ol") && lists > 0) {
      if (--lists === 0 && tables === 0) flush(at, "prose");
    } else if ((name === "td" || name === "th") && tables === 1) text.push(" |");
    else if (name === "tr" && tables === 1 && cells > 0) {
      if (rows++ === 0) text.push(`\n|${" --- |".repeat(Math.min(cells, 50))}`);
    } else if (name === "a" && link !== undefined) {
      const label = text.splice(link.at).join("");
      if (label.trim() !== "") text.push(link.address === "" ? label : `[${label.trim()}](${link.address})`);
      link = undefined;
    } else if (name === "code" || name === "kbd" || name === "samp") {
      text.push("`");
      inCode = false;
    } else if (name === "summary" || name === "dt") flush(at, "paragraph", "**");
    else if (paragraphs.has(name) && tables + lists === 0 && heading === 0) flush(at, "paragraph");
  }

  let at = 0;
  while (at < html.length) {
    const next = html.indexOf("<", at);
    const words = html.slice(at, next < 0 ? html.length : next);
    if (words !== "") {
      const shown = tables > 0 ? toCell(words) : toText(words);
      text.push(inCode ? shown : shown.replace(/<(?=[A-Za-z/!])/g, "\\<"));
    }
    if (next < 0) break;
    at = next + 1;
    if (html.startsWith("<!--", next)) {
      const end = endless.has("--") ? -1 : html.indexOf("-->", next + 2);
      if (end < 0) endless.add("--");
      at = end < 0 ? html.length : end + 3;
      continue;
    }
    const name = tagName.exec(html.slice(next, next + 60));
    const end = name === null || unfinished > maxUnfinished ? 0 : tagEnd(html, next);
    if (end < 0) unfinished++;
    if (name === null || end <= 0) {
      // A lone `<` is text, `</` and `<!` are not.
      text.push(html[next + 1] === "/" || html[next + 1] === "!" ? "" : "<");
      continue;
    }
    const tag = html.slice(next, end);
    const element = (name[2] ?? "").toLowerCase();
    if (name[1] === "/") close(element, next);
    else at = open(element, tag, next, end);
    at = Math.max(at, end);
  }
  // The line break after a block is not part of it.
  flush(html.trimEnd().length, tables + lists > 0 ? "prose" : "paragraph");
  return pieces;
}

const listLine = /\n[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+\S/;

/** Text between tags; lists in the syntax of Markdown keep a line for each item. */
function toText(words: string): string {
  const plain = decodeHTML(words);
  if (!listLine.test(plain)) return plain.replace(/\s+/g, " ");
  const lines = plain.split("\n").map((line, at) => {
    const isItem = at > 0 && listLine.test(`\n${line}`);
    return (isItem ? "\n" : " ") + line.replace(/\s+/g, " ");
  });
  return lines.join("");
}

/** Text of a table cell, with `|` escaped. */
function toCell(words: string): string {
  return decodeHTML(words).replace(/\s+/g, " ").replaceAll("|", "\\|");
}

function tidy(text: string): string {
  return text
    .split("\n")
    .map((line) =>
      line
        .replace(/[ \t\u00A0]+/g, " ")
        .trimEnd()
        .replace(/^ (?! *- )/, ""),
    )
    .filter((line) => line !== "" && line !== "|" && !/^[\s-]*$/.test(line))
    .join("\n")
    .replaceAll("``", "")
    .trim();
}

function withoutTags(html: string): string {
  let text = "";
  let kept = 0;
  for (let at = html.indexOf("<"); at >= 0; at = html.indexOf("<", at)) {
    const end = tagName.test(html.slice(at, at + 60)) ? tagEnd(html, at) : 0;
    if (end > 0) {
      text += html.slice(kept, at) + (/^<br\b/i.test(html.slice(at, at + 4)) ? "\n" : "");
      kept = end;
    }
    at = Math.max(end, at + 1);
  }
  return text + html.slice(kept);
}

function languageOf(tags: string): string {
  const declared =
    /\b(?:language|lang|highlight-source)-([\w+#-]{1,30})|\b(?:data-)?lang(?:uage)?\s*=\s*["']?([\w+#-]{1,30})/i.exec(
      tags,
    );
  const bare = /^<code\s[^>]{0,100}?class="([\w+#-]{1,30})"/i.exec(tags.slice(tags.lastIndexOf("<code")))?.[1] ?? "";
  return declared?.[1] ?? declared?.[2] ?? (isLanguage(bare) ? bare : "");
}

function addressOf(tag: string): string {
  const address = /\bhref\s*=\s*(?:"([^"\s]{1,300})"|'([^'\s]{1,300})')/i.exec(tag);
  return address?.[1] ?? address?.[2] ?? "";
}
