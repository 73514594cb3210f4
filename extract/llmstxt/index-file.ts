import MarkdownIt from "markdown-it";
import type { Token } from "markdown-it";
import { addressLine, proseLines } from "./full-file.ts";

/** What an llms.txt says (https://llmstxt.org): a title, a summary, and links to pages. */
export interface IndexFile {
  /** "" if it has no heading. */
  readonly title: string;
  /** "" if it has no quote. */
  readonly summary: string;
  /** Addresses of the pages, absolute and without hash, each once, in the order of the file. */
  readonly pages: readonly string[];
  /** Further pages, beyond as many as are wanted. */
  readonly more: number;
}

/** Characters of a text that are parsed at once: markdown-it takes some kilobytes of memory for each link. */
const pieceLength = 1_000_000;

/** Destinations with blanks, which are no links in CommonMark; many files have them. */
const spacedLink = /\]\(([^()<>\n]{0,2000}(?:\([^()\n]{0,200}\)[^()<>\n]{0,2000})?)\)/g;

/**
 * Reads an llms.txt leniently: links anywhere count, relative ones too, with or without headings, and so do addresses that
 * are written out. `base` is the address of the file.
 */
export function parseIndexFile(text: string, base: string, maxPages = Infinity): IndexFile {
  const parser = new MarkdownIt({ linkify: false });
  const references = {};
  const pages = new Set<string>();
  let said: Pick<IndexFile, "title" | "summary"> | undefined;
  let more = 0;
  for (const piece of piecesOf(text)) {
    const tokens = parser.parse(piece.replace(spacedLink, encodeBlanks), references);
    said ??= {
      title: textBehind(tokens, ({ type, tag }) => type === "heading_open" && tag === "h1"),
      summary: textBehind(tokens, ({ type }) => type === "blockquote_open"),
    };
    for (const { children } of tokens) {
      for (const href of addressesIn(children ?? [])) {
        const url = toPageUrl(href, base);
        if (url === undefined || pages.has(url)) continue;
        if (pages.size < maxPages) pages.add(url);
        else more += 1;
      }
    }
  }
  return { title: "", summary: "", ...said, pages: [...pages], more };
}

/** An address that is written out. */
const writtenOut = /https?:\/\/[^\s<>"'`|\\^]{1,2000}/gi;
/** What is to be filled in before there is such an address. */
const placeholder = /[{}*…]|\.\.\./;

/** Where links lead to, and the addresses that stand outside of links and code. */
function* addressesIn(tokens: readonly Token[]): Generator<string> {
  let isLinked = false;
  for (const token of tokens) {
    if (token.type === "link_open") {
      isLinked = true;
      yield String(token.attrGet("href") ?? "");
    } else if (token.type === "link_close") isLinked = false;
    else if (token.type === "text" && !isLinked) {
      for (const [address] of token.content.matchAll(writtenOut))
        if (!placeholder.test(address)) yield withoutSentence(address);
    }
  }
}

/** An address without the signs behind it that belong to its sentence. */
function withoutSentence(address: string): string {
  const signs = address.includes("(") ? ".,;:!?]_~" : ".,;:!?]_~)";
  let end = address.length;
  while (end > 0 && signs.includes(address.charAt(end - 1))) end -= 1;
  return address.slice(0, end);
}

/** A long text in pieces that begin outside of code. */
function* piecesOf(text: string): Generator<string> {
  if (text.length <= pieceLength) return yield text;
  const lines = text.split("\n");
  let start = 0;
  let length = 0;
  let counted = 0;
  for (const { at } of proseLines(lines)) {
    for (; counted < at; counted += 1) length += (lines[counted] ?? "").length + 1;
    if (length < pieceLength) continue;
    yield* slices(lines.slice(start, at).join("\n"));
    start = at;
    length = 0;
  }
  yield* slices(lines.slice(start).join("\n"));
}

/** What is one line, or code, to its end is cut wherever it is too long. */
function* slices(piece: string): Generator<string> {
  for (let at = 0; at < piece.length; at += 2 * pieceLength) yield piece.slice(at, at + 2 * pieceLength);
}

function encodeBlanks(link: string, destination: string): string {
  const bare = destination.trim();
  if (!/[ \t]/.test(bare) || /["']/.test(bare)) return link;
  return `](<${bare.replace(/[ \t]/g, "%20")}>)`;
}

function toPageUrl(href: string, base: string): string | undefined {
  const url = URL.parse(href, base);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return undefined;
  if (url.username !== "" || url.password !== "") return undefined;
  url.hash = "";
  return url.href;
}

/** The text of the first inline content behind the first token of a kind. */
function textBehind(tokens: readonly Token[], isWanted: (token: Token) => boolean): string {
  const start = tokens.findIndex(isWanted);
  const inline = start < 0 ? undefined : tokens.slice(start).find(({ type }) => type === "inline");
  const parts = (inline?.children ?? []).map(({ type, content }) => (type === "softbreak" ? " " : content));
  return parts.join("").trim();
}

/** Share of the lines with text that hold links in a file that is a list of pages, and not the pages themselves. */
const linkShare = 0.3;

function hasLink(line: string): boolean {
  return /\]\([^)\s]/.test(line) || (/https?:\/\/[^\s/]/i.test(line) && !addressLine.test(line));
}

/** Whether a text lists pages, rather than being documentation itself. */
export function isIndexFile(text: string): boolean {
  const lines = text.split("\n");
  let [all, links] = [0, 0];
  for (const line of lines) if (line.trim() !== "" && (!line.startsWith("#") || hasLink(line))) all += 1;
  for (const { text: line } of proseLines(lines)) if (hasLink(line)) links += 1;
  return links > 0 && links >= all * linkShare;
}
