import { slug } from "github-slugger";
import type { Block } from "./blocks.ts";

/** What lists of links are for: content where they name what is elsewhere or say something of it, else navigation. */

const link = /\[([^[\]\n]{1,300})\]\(([^()\s]{0,1000})(?:\s[^()\n]{0,200})?\)/g;
/** What brackets in code mean is no link. */
const codeSpan = /`[^`\n]{1,300}`/g;
/** Blanks, markers of Markdown and punctuation, which are not readable text. */
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

/** The links of some Markdown, and the text beside them. */
interface Linked {
  readonly labels: readonly string[];
  readonly targets: readonly string[];
  readonly rest: string;
}

function linksOf(markdown: string): Linked {
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

/** `menu`: links to other pages of the same documentation, kept on a page that has little else. */
type Purpose = "content" | "navigation" | "menu";

/** What a list of links is for; below a heading for contents one link is a list. `slugs` are those of the page's headings. */
function purposeOfList(markdown: string, isContents: boolean, slugs: () => ReadonlySet<string>): Purpose {
  const linked = linksOf(markdown);
  if (areLanguages(linked)) return "navigation";
  if (!areMostOf(linked, isContents ? 1 : 3)) return "content";
  const { targets } = linked;
  const lines = markdown.split("\n").filter((line) => line.includes("]("));
  const described = lines.filter((line) => says(linksOf(line).rest)).length;
  if (described * 3 >= lines.length) return "content";
  if (anchorsIn(targets, slugs) * 5 >= targets.length * 4) return "navigation";
  if (targets.filter((target) => external.test(target)).length * 2 >= targets.length) return "content";
  return isContents ? "navigation" : "menu";
}

/** What a paragraph is for: languages, ways to the pages round it, or places in it. */
function purposeOfParagraph(markdown: string): Purpose {
  if (markdown.length > 2000 || !markdown.includes("](")) return "content";
  const linked = linksOf(markdown);
  const { labels, targets, rest } = linked;
  if (areLanguages(linked)) return "navigation";
  const words = wordsOf(rest);
  if (!words.every(isDirection) || targets.some((target) => external.test(target))) return "content";
  if (words.length > 0 || labels.every(isWay)) return "navigation";
  if (labels.length < 2) return "content";
  return targets.every((target) => target.startsWith("#")) ? "navigation" : "menu";
}

/** `Next`, `Back to top`, `← Install`. */
function isWay(label: string): boolean {
  const words = wordsOf(label);
  return words.every(isDirection) || (words.length <= 4 && /^\s*[←«‹⬅]|[→»›➡]\s*$/u.test(label));
}

function says(rest: string): boolean {
  return rest.replace(/[^\p{L}]+/gu, "").length >= 4;
}

/** Links to places of the same page: by `#name`, or by its address and the names of its headings. */
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

/** True for two or more names of languages, linked but for the one that is shown, and nothing else. */
function areLanguages({ labels, rest }: Linked): boolean {
  const names = [...labels, ...rest.split(/[|\n·•/]/)]
    .map((name) => wordsOf(name.toLowerCase()))
    .filter((words) => words.length > 0);
  if (labels.length === 0 || names.length < 2 || names.length > 100) return false;
  return names.every((words) => words.every((word) => languageNames.has(word) || /^[^\p{L}\d]+$/u.test(word)));
}

const contents = /^(?:table of )?contents$|^toc$|^on this page$|^in this (?:page|article|guide)$/i;
/** Files of generators that hold the menu of a site. */
const menuFile = /(?:^|\/)(?:summary|_sidebar|_navbar|_toc|_nav)\.[^./]*$/i;

/** The blocks of a page without those that only lead to other places, in it or beside it. */
export function withoutNavigation(blocks: readonly Block[], path: string): readonly Block[] {
  let isContents = false;
  let said = 0;
  const menus = new Set<Block>();
  let inMenus = 0;
  let known: ReadonlySet<string> | undefined;
  const slugs = (): ReadonlySet<string> =>
    (known ??= new Set(blocks.flatMap((block) => (block.type === "heading" ? [slug(block.text)] : []))));
  const kept = blocks.filter((block, at) => {
    if (block.type === "heading") isContents = contents.test(block.text);
    if (block.type === "code") said += block.code.length;
    if (block.type === "heading" || block.type === "code" || block.markdown === "") return true;
    const { markdown } = block;
    const isList = block.type === "prose" && listItem.test(markdown);
    if (!isList && block.type === "prose") {
      said += readableLength(markdown);
      return true;
    }
    const isLedTo = !isContents && leadsOn(blocks[at - 1]);
    const purposeOf = (): Purpose =>
      isList ? purposeOfList(markdown, isContents, slugs) : purposeOfParagraph(markdown);
    const purpose = isList && isLedTo ? "content" : purposeOf();
    if (purpose === "menu") {
      menus.add(block);
      inMenus += readableLength(linksOf(markdown).labels.join(""));
    } else if (purpose === "content") said += readableLength(markdown);
    return purpose !== "navigation";
  });
  const areContent = inMenus > said && !menuFile.test(path);
  return menus.size === 0 || areContent ? kept : kept.filter((block) => !menus.has(block));
}

/** Whether a sentence leads to what comes next: its list names what there is. */
function leadsOn(block: Block | undefined): boolean {
  if (block?.type !== "paragraph" || !/[:：][*_]{0,2}$/.test(block.markdown)) return false;
  return wordsOf(block.markdown).length >= 4;
}
