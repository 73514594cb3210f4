import MarkdownIt, { type Token } from "markdown-it";
import { addressLine, proseLines } from "./full-file.ts";

/** A parsed llms.txt (https://llmstxt.org): title, summary, and links to pages. */
export interface IndexFile {
  /** "" if it has no heading. */
  readonly title: string;
  /** "" if it has no quote. */
  readonly summary: string;
  /** Unique addresses of the pages, absolute and without hash, in the order of the file. */
  readonly pages: readonly string[];
  /** Number of further pages, beyond the limit. */
  readonly more: number;
}

/** Number of characters parsed at once: markdown-it needs some kilobytes of memory for each link. */
const pieceLength = 1_000_000;

/** Links with blanks in their destination: common, but no links in CommonMark. */
const spacedLink = /\]\(([^()<>\n]{0,2000}(?:\([^()\n]{0,200}\)[^()<>\n]{0,2000})?)\)/g;

/**
 * Reads an llms.txt leniently: links count anywhere, relative ones and plain addresses included, with or without headings. `base` is the
 * address of the file.
 */
export function parseIndexFile(text: string, base: string, maxPages = Infinity): IndexFile {
  const parser = new MarkdownIt({ linkify: false });
  const references = {};
  const pages = new Set<string>();
  let head: Pick<IndexFile, "title" | "summary"> | undefined;
  let more = 0;
  for (const piece of piecesOf(text)) {
    const tokens = parser.parse(piece.replace(spacedLink, encodeBlanks), references);
    head ??= {
      title: textAfter(tokens, ({ type, tag }) => type === "heading_open" && tag === "h1"),
      summary: textAfter(tokens, ({ type }) => type === "blockquote_open"),
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
  return { title: "", summary: "", ...head, pages: [...pages], more };
}

/** A plain address in text. */
const writtenOut = /https?:\/\/[^\s<>"'`|\\^]{1,2000}/gi;
/** Placeholders in an address. */
const placeholder = /[{}*…]|\.\.\./;

/** The targets of links, and the plain addresses outside of links and code. */
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

/** Removes the punctuation of the sentence from the end of an address. */
function withoutSentence(address: string): string {
  const signs = address.includes("(") ? ".,;:!?]_~" : ".,;:!?]_~)";
  let end = address.length;
  while (end > 0 && signs.includes(address.charAt(end - 1))) end -= 1;
  return address.slice(0, end);
}

/** Cuts a long text into pieces that begin outside of code. */
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

/** Cuts an overlong piece, such as a single line or code, anywhere. */
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

/** The text of the first inline token after the first wanted token. */
function textAfter(tokens: readonly Token[], isWanted: (token: Token) => boolean): string {
  const start = tokens.findIndex(isWanted);
  const inline = start < 0 ? undefined : tokens.slice(start).find(({ type }) => type === "inline");
  const parts = (inline?.children ?? []).map(({ type, content }) => (type === "softbreak" ? " " : content));
  return parts.join("").trim();
}

/** Minimum share of non-blank lines with links in a list of pages. */
const linkShare = 0.3;

function hasLink(line: string): boolean {
  return /\]\([^)\s]/.test(line) || (/https?:\/\/[^\s/]/i.test(line) && !addressLine.test(line));
}

/** Whether a text is a list of pages rather than documentation itself. */
export function isIndexFile(text: string): boolean {
  const lines = text.split("\n");
  let [all, links] = [0, 0];
  for (const line of lines) if (line.trim() !== "" && (!line.startsWith("#") || hasLink(line))) all += 1;
  for (const { text: line } of proseLines(lines)) if (hasLink(line)) links += 1;
  return links > 0 && links >= all * linkShare;
}

/** Minimum number of pages in a list among other text. */
const minListed = 2;

/**
 * The pages in the lists of a text that is documentation for the most part, such as a README with an index below it: sections that are
 * mostly links, most of them to the text's own hosts. Undefined without any.
 */
export function parseListsIn(
  text: string,
  base: string,
  hosts: ReadonlySet<string>,
  maxPages: number,
): IndexFile | undefined {
  const lines = text.split("\n");
  const starts = [...proseLines(lines)].filter((line) => /^#{1,6}\s/.test(line.text)).map(({ at }) => at);
  const lists = [0, ...starts]
    .map((start, at) => lines.slice(start, starts[at] ?? lines.length).join("\n"))
    .filter((section) => {
      if (!isIndexFile(section)) return false;
      const { pages } = parseIndexFile(section, base, maxPages);
      const own = pages.filter((page) => hosts.has(new URL(page).host)).length;
      return own >= minListed && own * 2 > pages.length;
    });
  if (lists.length === 0) return undefined;
  const { title } = parseIndexFile(text.slice(0, pieceLength), base, 0);
  return { ...parseIndexFile(lists.join("\n\n"), base, maxPages), title, summary: "" };
}
