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
