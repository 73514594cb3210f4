import { hash } from "node:crypto";
import { Parser } from "htmlparser2";

/** The facts of an HTML page that a crawl needs. */
export interface Scan {
  /** Unique targets of its links and frames, as written. */
  readonly links: ReadonlySet<string>;
  /** The base of relative addresses, if not the page's own. */
  readonly base?: string;
  /** Its canonical address. */
  readonly canonical?: string;
  /** The address of its Markdown. */
  readonly markdown?: string;
  /** The target of its immediate redirect. */
  readonly forward?: string;
  /** Directives of its meta elements for robots, in lower case. */
  readonly robots: string;
  /** "" without, like the description and names below. */
  readonly title: string;
  readonly description: string;
  readonly siteName: string;
  /** The generator that it names. */
  readonly generator: string;
  /** Addresses of its scripts, as written. */
  readonly scripts: readonly string[];
  /** Characters of its paragraphs, code and cells outside of navigation, without blanks. */
  readonly contentLength: number;
  /** It asks for a password and has little other text. */
  readonly asksPassword: boolean;
  /** Hash of the visible text; "" without. */
  readonly words: string;
  /** Hash of the visible text without digits, as error pages may contain varying numbers. */
  readonly unnumbered: string;
}

/** Maximum number of scripts whose addresses are kept. */
const maxScripts = 100;
/** Maximum length of the text of a log-in page, in characters. */
const maxLoginText = 1500;

const beside = new Set(["nav", "header", "footer", "aside"]);
const contentElements = new Set(["p", "pre", "td", "dd"]);
const invisible = new Set(["script", "style", "noscript", "template", "svg", "head"]);

/** Scans a page, in time proportional to its length. */
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
  let besideContent = 0;
  let inContent = 0;
  let contentLength = 0;
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
      if (beside.has(name)) besideContent += 1;
      if (contentElements.has(name)) inContent += 1;
      if (name === "title") inTitle = title === "";
      if (name === "article" && attributes["class"] === "markdown-section") isDocsify = true;
      if ((name === "a" || name === "area") && attributes["href"] !== undefined) links.add(attributes["href"]);
      else if ((name === "frame" || name === "iframe") && attributes["src"] !== undefined) links.add(attributes["src"]);
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
      if (beside.has(name)) besideContent = Math.max(0, besideContent - 1);
      if (contentElements.has(name)) inContent = Math.max(0, inContent - 1);
    },
    ontext(piece) {
      if (inTitle) title += piece;
      if (hidden === 0) text.push(piece);
      if (hidden === 0 && besideContent === 0 && inContent > 0) contentLength += piece.replace(/\s+/g, "").length;
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
    contentLength,
    asksPassword: password && words.length < maxLoginText,
    words: hashOf(words),
    unnumbered: hashOf(words.replace(/\d+/g, "")),
  };
}

/** Removes Docsify's parameter for a section, `#/guide?id=use`; on other sites the parameter has other meanings. */
function withoutSection(href: string): string {
  const at = href.indexOf("?id=");
  return at === -1 || !/^(?:#|\/(?!\/))/.test(href) ? href : href.slice(0, at);
}

function hashOf(words: string): string {
  return words === "" ? "" : hash("sha256", words).slice(0, 32);
}

/** Elements without text for readers. */
const silent = new Set(
  "script style template noscript svg iframe head title textarea select option button nav header footer aside dialog".split(
    " ",
  ),
);
/** IDs and elements in which frameworks mount an application: React, Vue, Next.js, Nuxt, Angular, Svelte, Gatsby, Ember, Docsify, Redoc. */
const mounts = new Set(
  "root app __next __nuxt ___gatsby svelte q-app main-app react-root docs-app redoc swagger-ui".split(" "),
);
/** Minimum number of characters, without blanks, of a page without heading and paragraph. */
const fewCharacters = 80;
/** Minimum number of characters in a filled mount point: "Loading…" has fewer. With more outside of it, a page is not empty. */
const fewInMount = 25;
const fewBesideMount = 600;
const headings = /^h[1-3]$/;
const paragraphs = new Set(["p", "li", "pre", "td", "dd"]);
/** Maximum depth of elements: a deeper page counts as not empty. */
const maxDepth = 512;

/**
 * Whether a page is empty without a browser: it has scripts, and either very little visible text outside of navigation, or an empty mount
 * point. A set of frames is not: its frames are pages of their own. Works on parser events, without a tree, and stops once there is enough text.
 */
export function needsBrowser(source: string): boolean {
  let characters = 0;
  let scripts = 0;
  let emptyMount = false;
  let hasHeading = false;
  let hasParagraph = false;
  let isDone = false;
  /** The open elements: whether their text is skipped, and for a mount point the number of characters before it. */
  const open: { readonly name: string; readonly isSilent: boolean; readonly mount: number | undefined }[] = [];
  const parser = new Parser({
    onopentag(name, { id = "", hidden, style = "", src, type = "" }) {
      if (name === "frameset") finish();
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
