import { slug } from "github-slugger";
import type { Block } from "./blocks.ts";

const link = /\[([^[\]\n]{1,300})\]\(([^()\s]{0,1000})(?:\s[^()\n]{0,200})?\)/g;
/** Brackets in code are no link. */
const codeSpan = /`[^`\n]{1,300}`/g;
/** Blanks, Markdown markers and punctuation: not readable text. */
const unreadable = /[\s*_#>|`~:.!?,;()[\]{}+=\\/-]+/g;
const listItem = /^\s{0,20}(?:[-*+]|\d{1,9}[.)])\s/;
const external = /^(?:[a-z][a-z\d+.-]{0,20}:)?\/\/|^mailto:/i;
/** Words of links to the next or previous page and the like. */
const directions =
  /^(?:next|prev|previous|back|up|top|home|index|continue|to|the|page|chapter|section|part|lesson|start|return|contents|table|of|←|→|↑|«|»|‹|›|⬆️?|⬅️?|➡️?|◀️?|▶️?|🔝|👈|👉|🏠)$/iu;
const languageNames = new Set(
  (
    "english en 中文 简体中文 繁體中文 繁体中文 正體中文 汉语 日本語 한국어 español francais français deutsch português brasil brasileiro br pt " +
    "русский italiano türkçe tiếng việt العربية فارسی हिन्दी বাংলা українська polski nederlands bahasa indonesia ไทย svenska suomi dansk norsk " +
    "čeština magyar română ελληνικά עברית català беларуская български српски slovenčina chinese simplified traditional japanese korean spanish french german portuguese " +
    "brazilian russian italian turkish vietnamese arabic persian hindi ukrainian polish dutch indonesian thai swedish czech zh cn tw hk hans hant ja jp ko kr es fr de ru it tr vi"
  ).split(" "),
);

/** The links of some Markdown, and the text around them. */
type Linked = ReturnType<typeof linksOf>;

function linksOf(markdown: string) {
  const labels: string[] = [];
  const targets: string[] = [];
  const plain = markdown.replace(codeSpan, (span) => span.replace(/[[\]()]/g, "_"));
  const rest = plain.replace(link, (_, label: string, target: string) => {
    labels.push(label);
    targets.push(target);
    return "";
  });
  return { labels, targets, rest };
}

/** The target of a Markdown link, with the bracket before it. */
export const linkTarget = /\]\([^\s()]{0,2000}\)/g;

/** True for Markdown that is mostly links: at least `atLeast` links, and more than half of its text in them. */
export function isLinkList(markdown: string, atLeast = 3): boolean {
  return markdown.includes("](") && areMostOf(linksOf(markdown), atLeast);
}

function areMostOf({ labels, rest }: Linked, atLeast: number): boolean {
  return labels.length >= atLeast && readableLength(labels.join("")) > readableLength(rest);
}

function readableLength(markdown: string): number {
  return markdown.replace(unreadable, "").length;
}

/** `content` names or describes other places. `menu` links to pages of the same documentation: kept on a page with little else. */
type Purpose = "content" | "navigation" | "menu";

/** The purpose of a list of links; in a table of contents one link is a list. `slugs`: fragments of the page's headings. */
function purposeOfList(markdown: string, isContents: boolean, slugs: () => ReadonlySet<string>): Purpose {
  const linked = linksOf(markdown);
  if (areLanguages(linked)) return "navigation";
  if (!areMostOf(linked, isContents ? 1 : 3)) return "content";
  const { targets } = linked;
  const lines = markdown.split("\n").filter((line) => line.includes("]("));
  const described = lines.filter((line) => hasText(linksOf(line).rest)).length;
  if (described * 3 >= lines.length) return "content";
  if (anchorsIn(targets, slugs) * 5 >= targets.length * 4) return "navigation";
  if (targets.filter((target) => external.test(target)).length * 2 >= targets.length) return "content";
  return isContents ? "navigation" : "menu";
}

/** The purpose of a paragraph: navigation links to languages, neighbouring pages, or headings of the page. */
function purposeOfParagraph(markdown: string): Purpose {
  if (markdown.length > 2000 || !markdown.includes("](")) return "content";
  const linked = linksOf(markdown);
  const { labels, targets, rest } = linked;
  if (areLanguages(linked)) return "navigation";
  const words = wordsOf(rest);
  if (!words.every(isDirection) || targets.some((target) => external.test(target))) return "content";
  if (words.length > 0 || labels.every(isPageLink)) return "navigation";
  if (labels.length < 2) return "content";
  return targets.every((target) => target.startsWith("#")) ? "navigation" : "menu";
}

/** `Next`, `Back to top`, `← Install`. */
function isPageLink(label: string): boolean {
  const words = wordsOf(label);
  return words.every(isDirection) || (words.length <= 4 && /^\s*[←«‹⬅]|[→»›➡]\s*$/u.test(label));
}

function hasText(rest: string): boolean {
  return rest.replace(/[^\p{L}]+/gu, "").length >= 4;
}

/** The number of links to places on the same page: by `#name`, or by its address and the fragment of a heading. */
function anchorsIn(targets: readonly string[], slugs: () => ReadonlySet<string>): number {
  const bare = targets.filter((target) => target.startsWith("#")).length;
  const pages = new Set(targets.map((target) => target.split("#", 1)[0]));
  if (bare > 0 || pages.size > 1) return bare;
  const named = targets.filter((target) => slugs().has(target.slice(target.indexOf("#") + 1).toLowerCase()));
  return named.length * 2 >= targets.length ? targets.length : 0;
}

function wordsOf(text: string): string[] {
  return text.split(/[\s*_#>|`~:.!?,;()[\]{}+=\\/·•\u2013\u2014-]+/).filter((word) => word !== "");
}

function isDirection(word: string): boolean {
  return directions.test(word);
}

/** True for a language switch: two or more names of languages and nothing else; the current one may have no link. */
function areLanguages({ labels, rest }: Linked): boolean {
  const names = [...labels, ...rest.split(/[|\n·•/]/)]
    .map((name) => wordsOf(name.toLowerCase()))
    .filter((words) => words.length > 0);
  if (labels.length === 0 || names.length < 2 || names.length > 100) return false;
  return names.every((words) => words.every((word) => languageNames.has(word) || /^[^\p{L}\d]+$/u.test(word)));
}

const contents = /^(?:table of )?contents$|^toc$|^on this page$|^in this (?:page|article|guide)$/i;
/** Files in which generators keep the menu of a site. */
const menuFile = /(?:^|\/)(?:summary|_sidebar|_navbar|_toc|_nav)\.[^./]*$/i;

/** The blocks of a page without navigation. */
export function withoutNavigation(blocks: readonly Block[], path: string): readonly Block[] {
  let isContents = false;
  let contentLength = 0;
  const menus = new Set<Block>();
  let menuLength = 0;
  let cachedSlugs: ReadonlySet<string> | undefined;
  const slugs = (): ReadonlySet<string> =>
    (cachedSlugs ??= new Set(blocks.flatMap((block) => (block.type === "heading" ? [slug(block.text)] : []))));
  const kept = blocks.filter((block, at) => {
    if (block.type === "heading") isContents = contents.test(block.text);
    if (block.type === "code") contentLength += block.code.length;
    if (block.type === "heading" || block.type === "code" || block.markdown === "") return true;
    const { markdown } = block;
    const isList = block.type === "prose" && listItem.test(markdown);
    if (!isList && block.type === "prose") {
      contentLength += readableLength(markdown);
      return true;
    }
    const isIntroduced = !isContents && introducesList(blocks[at - 1]);
    const purposeOf = (): Purpose =>
      isList ? purposeOfList(markdown, isContents, slugs) : purposeOfParagraph(markdown);
    const purpose = isList && isIntroduced ? "content" : purposeOf();
    if (purpose === "menu") {
      menus.add(block);
      menuLength += readableLength(linksOf(markdown).labels.join(""));
    } else if (purpose === "content") contentLength += readableLength(markdown);
    return purpose !== "navigation";
  });
  const areContent = menuLength > contentLength && !menuFile.test(path);
  return menus.size === 0 || areContent ? kept : kept.filter((block) => !menus.has(block));
}

/** Whether a paragraph introduces the list after it. */
function introducesList(block: Block | undefined): boolean {
  if (block?.type !== "paragraph" || !/[:：][*_]{0,2}$/.test(block.markdown)) return false;
  return wordsOf(block.markdown).length >= 4;
}
