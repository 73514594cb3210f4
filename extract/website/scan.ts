import { hash } from "node:crypto";
import { Parser } from "htmlparser2";

/** What a crawl needs of a page of HTML. */
export interface Scan {
  /** Addresses that it links to, as they are written, each once. */
  readonly links: ReadonlySet<string>;
  /** What relative addresses are relative to, if not to the page's own. */
  readonly base?: string;
  /** The address that it is to be known by. */
  readonly canonical?: string;
  /** Where it has its Markdown. */
  readonly markdown?: string;
  /** Where it sends its reader at once. */
  readonly forward?: string;
  /** Directives of its meta elements for robots, in lower case. */
  readonly robots: string;
  /** What it is called, and what it says of itself; "" without. */
  readonly title: string;
  readonly description: string;
  /** What the whole site is called; "" without. */
  readonly siteName: string;
  /** What made it, as it says. */
  readonly generator: string;
  /** Addresses of its scripts, as they are written. */
  readonly scripts: readonly string[];
  /** It asks for a password, and says little else. */
  readonly asksPassword: boolean;
  /** Equal for pages that say the same: hash of the visible words; "" without any. */
  readonly words: string;
  /** The same of the words without digits: error pages have numbers of their own. */
  readonly unnumbered: string;
}

/** Scripts whose addresses are kept. */
const maxScripts = 100;
/** A page that asks for a password and has more text than this, in characters, is about something else too. */
const maxLoginText = 1500;

const invisible = new Set(["script", "style", "noscript", "template", "svg", "head"]);

/** Reads what a crawl needs of a page, in time proportional to its length. */
export function scanPage(source: string): Scan {
  const links = new Set<string>();
  const scripts: string[] = [];
  const found: { base?: string; canonical?: string; markdown?: string; forward?: string } = {};
  let robots = "";
  let generator = "";
  let title = "";
  let description = "";
  let siteName = "";
  let inTitle = false;
  let password = false;
  let hidden = 0;
  let isDocsify = false;
  const text: string[] = [];

  const readLink = ({ rel = "", href = "", type = "" }: Record<string, string>): void => {
    const kinds = rel.toLowerCase().split(/\s+/);
    if (href === "") return;
    if (kinds.includes("canonical")) found.canonical ??= href;
    if (!kinds.includes("alternate")) return;
    if (/^text\/(?:x-)?markdown\b/i.test(type)) found.markdown ??= href;
  };
  const readMeta = (attributes: Record<string, string>): void => {
    const { name = "", content = "" } = attributes;
    const kind = name.toLowerCase();
    if (kind === "robots" || kind === "lectern") robots += ` ${content.toLowerCase()}`;
    if (kind === "generator") generator ||= content;
    if (kind === "description") description ||= content;
    if (attributes["property"] === "og:site_name") siteName ||= content;
    if (attributes["http-equiv"]?.toLowerCase() === "refresh") {
      const end = content.search(/[;,]/);
      const seconds = content.slice(0, Math.max(0, end));
      const address = content.slice(end + 1, 3000).trim();
      if (/^url\s*=/i.test(address) && Number(seconds.trim() || Number.NaN) <= 10)
        found.forward ??= address
          .slice(address.indexOf("=") + 1)
          .trim()
          .replace(/^["']|["']$/g, "");
    }
  };

  const parser = new Parser({
    onopentag(name, attributes) {
      if (invisible.has(name)) hidden += 1;
      if (name === "title") inTitle = title === "";
      if (name === "article" && attributes["class"] === "markdown-section") isDocsify = true;
      if ((name === "a" || name === "area") && attributes["href"] !== undefined) links.add(attributes["href"]);
      else if (name === "link") readLink(attributes);
      else if (name === "meta") readMeta(attributes);
      else if (name === "base") found.base ??= attributes["href"] ?? "";
      else if (name === "script" && attributes["src"] !== undefined && scripts.length < maxScripts)
        scripts.push(attributes["src"]);
      else if (name === "input" && attributes["type"]?.toLowerCase() === "password") password = true;
    },
    onclosetag(name) {
      if (name === "title") inTitle = false;
      if (invisible.has(name)) hidden = Math.max(0, hidden - 1);
    },
    ontext(piece) {
      if (inTitle) title += piece;
      if (hidden === 0) text.push(piece);
    },
  });
  parser.end(source);
  const words = text.join(" ").replace(/\s+/g, " ").trim();
  return {
    links: isDocsify ? new Set([...links].map(withoutSection)) : links,
    ...found,
    robots: robots.trim(),
    title: title.trim(),
    description,
    siteName,
    generator,
    scripts,
    asksPassword: password && words.length < maxLoginText,
    words: hashOf(words),
    unnumbered: hashOf(words.replace(/\d+/g, "")),
  };
}

/** Docsify names a section by a parameter, `#/guide?id=use`: the page is the same. Other sites mean something else by it. */
function withoutSection(href: string): string {
  const at = href.indexOf("?id=");
  return at === -1 || !/^(?:#|\/(?!\/))/.test(href) ? href : href.slice(0, at);
}

function hashOf(words: string): string {
  return words === "" ? "" : hash("sha256", words).slice(0, 32);
}

/** Elements whose text nobody reads. */
const silent = new Set(
  "script style template noscript svg iframe head title textarea select option button nav header footer aside dialog".split(
    " ",
  ),
);
/** Ids and elements that frameworks put an application into: React, Vue, Next.js, Nuxt, Angular, Svelte, Gatsby, Ember, Docsify, Redoc. */
const mounts = new Set(
  "root app __next __nuxt ___gatsby svelte q-app main-app react-root docs-app redoc swagger-ui".split(" "),
);
/** Less text than that is no page, unless it has a heading and a paragraph; in characters without blanks. */
const fewCharacters = 80;
/** Minimum number of characters that count as content of a mount point: less is such as "Loading…". Beside an empty one there is no more than that. */
const fewInMount = 25;
const fewBesideMount = 600;
const headings = /^h[1-3]$/;
const paragraphs = new Set(["p", "li", "pre", "td", "dd"]);
/** Deeper elements are not told apart. */
const maxDepth = 512;

/**
 * Whether a page is empty without a browser: next to no visible text outside of navigation, though it has scripts, or an empty mount point of
 * an application. Reads events of the parser, without a tree, and stops where the page has said enough.
 */
export function needsBrowser(source: string): boolean {
  let characters = 0;
  let scripts = 0;
  let emptyMount = false;
  let hasHeading = false;
  let hasParagraph = false;
  let isDone = false;
  /** What is open: whether its text is read, and for a mount point how much text there was before it. */
  const open: { readonly name: string; readonly isSilent: boolean; readonly mount: number | undefined }[] = [];
  const parser = new Parser({
    onopentag(name, { id = "", hidden, style = "", src, type = "" }) {
      if (name === "script" && (src !== undefined || !/json|template|importmap|speculationrules/.test(type))) scripts++;
      const isMount = mounts.has(id) || name.endsWith("-root") || name === "redoc";
      const isHidden = hidden !== undefined || /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style);
      open.push({
        name,
        isSilent: (open.at(-1)?.isSilent ?? false) || silent.has(name) || isHidden,
        mount: isMount ? characters : undefined,
      });
      if (open.length > maxDepth) finish();
    },
    ontext(text) {
      if (open.at(-1)?.isSilent === true) return;
      const { length } = text.replace(/\s+/g, "");
      characters += length;
      const name = open.at(-1)?.name ?? "";
      hasHeading ||= length > 1 && headings.test(name);
      hasParagraph ||= length > 10 && paragraphs.has(name);
      if (characters >= fewBesideMount) finish();
    },
    onclosetag() {
      const closed = open.pop();
      if (closed?.mount !== undefined && characters - closed.mount < fewInMount) emptyMount = true;
    },
  });
  function finish(): void {
    isDone = true;
    parser.pause();
  }
  for (let at = 0; at < source.length && !isDone; at += chunk) parser.write(source.slice(at, at + chunk));
  if (isDone) return false;
  parser.end();
  return scripts > 0 && (emptyMount || (characters < fewCharacters && !(hasHeading && hasParagraph)));
}

const chunk = 16_384;
