import MarkdownIt from "markdown-it";
import type { Token } from "markdown-it";

/** What an llms.txt says (https://llmstxt.org): a title, a summary, and links to pages. */
export interface IndexFile {
  /** "" if it has no heading. */
  readonly title: string;
  /** "" if it has no quote. */
  readonly summary: string;
  /** Addresses of the pages, absolute and without hash, each once, in the order of the file. */
  readonly pages: readonly string[];
}

/** Destinations with blanks, which are no links in CommonMark; many files have them. */
const spacedLink = /\]\(([^()<>\n]{0,2000}(?:\([^()\n]{0,200}\)[^()<>\n]{0,2000})?)\)/g;

/**
 * Reads an llms.txt leniently: links anywhere count, relative ones too, with or without headings. `base` is the address of
 * the file.
 */
export function parseIndexFile(text: string, base: string): IndexFile {
  const tokens = new MarkdownIt({ linkify: false }).parse(text.replace(spacedLink, encodeBlanks), {});
  const pages = new Set<string>();
  for (const { children } of tokens) {
    for (const token of children ?? []) {
      if (token.type !== "link_open") continue;
      const url = toPageUrl(String(token.attrGet("href") ?? ""), base);
      if (url !== undefined) pages.add(url);
    }
  }
  return {
    title: textBehind(tokens, ({ type, tag }) => type === "heading_open" && tag === "h1"),
    summary: textBehind(tokens, ({ type }) => type === "blockquote_open"),
    pages: [...pages],
  };
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

/** Whether a text lists pages, rather than being documentation itself. */
export function isIndexFile(text: string): boolean {
  let [all, links] = [0, 0];
  for (const line of text.split("\n")) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    all += 1;
    if (/\]\([^)\s]/.test(line)) links += 1;
  }
  return links > 0 && links >= all * linkShare;
}
