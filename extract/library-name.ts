import { decodeHTML } from "entities";
import { proseLines } from "./llmstxt/full-file.ts";
import { parseFrontMatter } from "./markdown/front-matter.ts";

/** Maximum number of characters searched for the name. */
const maxHead = 10_000;
/** Maximum length of a name, in characters and in words: a longer heading is a sentence. */
const maxName = 60;
const maxWords = 6;
const praise = /^(?:an?|the (?:\w+est|most|only|first|best)) /i;

/** Headings and titles that may be in any README. */
const generic =
  /^(?:the )?(?:home(?: ?page)?|introduction|intro|documentation|docs|documents?|overview|read ?me|index|wiki|welcome|about|getting started|get started|quick ?start(?: guide)?|start here|table of contents|contents|toc|installation|installing|install|setup|usage|features|guides?|user guide|manual|handbook|examples?|tutorials?|reference|api|api reference|api documentation|description|summary|background|motivation|requirements|prerequisites|license|licence|contributing|changelog|news|status|badges|logo|banner|icon|image|header|hero|untitled|what is (?:it|this)|project|main|title|note|warning|important|deprecated|why|how it works|new|news(?: and updates)?|what(?:'s|’s| is) new|updates?|announcements?|meta)[!?.:]?$/i;
const notALogo =
  /\b(?:build|status|coverage|version|downloads?|badge|ci|tests?|codecov|licen[cs]e|npm|pypi|crates?|discord|chat|slack|stars?|sponsors?|screenshot|screencast|demo|preview|diagram|architecture|video|gif|release|report card|announcement)\b/i;
const badgeAddress = /shields\.io|badge|travis-ci|circleci|codecov|coveralls|\/workflows\/|\/actions\/|badgen|snyk/i;

const markdownImage = /!\[([^\]\n]{0,300})\](?:\(([^()\n]{0,1000})\)|\[[^\]\n]{0,200}\])/g;
const htmlImage = /<img\b([^<>]{0,2000})>/gi;
const link = /\[([^[\]\n]{0,300})\](?:\([^()\n]{0,1000}\)|\[[^\]\n]{0,200}\])/g;
const tag = /<\/?[a-z][^<>]{0,1000}>/gi;
const emoji = /:[a-z\d_+-]{2,40}:|[\p{Extended_Pictographic}\p{Regional_Indicator}\uFE0F\u200D]/gu;
const anchor = /\{#[^{}\n]{0,200}\}/g;
/** Separators between a name and its description, or a word for the page. */
const separator = / (?:--|[\u2013\u2014|·•»›-]) |: |, (?=(?:an?|the) )/;
/** Words of a sentence: a slogan is no name. */
const ofSentence = /\b(?:is|are|does|do|how|that|which|your|our|you|we|works?|lets?)\b/i;
const asked = /^what(?: is|['’]s) (?:the |an? )?(.{1,60})\?$/i;
const welcome = /^welcome to (?:the )?(.{1,100})$/i;
const ofDocuments =
  /(?:['’]s)?(?: (?:official|project|github))? (?:docs|documentation|wiki|repository|repo|website|site|readme)$/i;

/** The name in the markup of a heading; "" without. */
function nameIn(markup: string): string {
  const shown = decodeHTML(
    markup
      .replace(markdownImage, " ")
      .replace(htmlImage, " ")
      .replace(link, "$1")
      .replace(anchor, "")
      .replace(tag, " "),
  )
    .replace(emoji, " ")
    .replace(/[*`]|(?<![\p{L}\d])_|_(?![\p{L}\d])/gu, "");
  return cleaned(shown);
}

function cleaned(shown: string): string {
  const parts = ` ${shown.replace(/\s+/g, " ")} `
    .split(separator)
    .map((part) => tidy(part))
    .filter((part) => part !== "" && !generic.test(part));
  const [name = ""] = parts;
  const isSentence =
    name.length > maxName || name.split(" ").length > maxWords || praise.test(name) || ofSentence.test(name);
  return !isSentence && /[\p{L}\d]/u.test(name) ? name : "";
}

function tidy(part: string): string {
  const words = part.trim().replace(asked, "$1");
  const [, greeted] = welcome.exec(words) ?? [];
  const named = greeted === undefined ? words : greeted.replace(/[!.]{1,3}$/, "").replace(ofDocuments, "");
  return named
    .replace(/^[^\p{L}\d@.$(]{1,10}/u, "")
    .replace(/ v?\d{1,4}\.\d{1,4}\.\d[\w.-]{0,20}$/, "")
    .replace(/ read ?me$/i, "")
    .replace(/(?<=[\p{L}\d])\([^()]{0,60}\)$/u, "")
    .replace(/(?<![!:|.,;~-])[!:|.,;~-]{1,10}$/, "")
    .trim();
}

const htmlLink = /<a\b[^<>]{0,1000}>[^<>]{0,300}<\/a>/gi;

/** True for a heading of nothing but links: several, or one below level 1. */
function isLinksOnly({ level, markup }: Heading): boolean {
  const links = (markup.match(link)?.length ?? 0) + (markup.match(htmlLink)?.length ?? 0);
  const rest = markup.replace(link, "").replace(htmlLink, "").replace(tag, "");
  return links > (level === 1 ? 1 : 0) && !/[\p{L}\d]/u.test(decodeHTML(rest));
}

/** The images of some Markdown, in order. */
function imagesIn(markup: string) {
  return [
    ...[...markup.matchAll(markdownImage)].map(({ index, 1: alt = "", 2: address = "" }) => ({ index, alt, address })),
    ...[...markup.matchAll(htmlImage)].map(({ index, 1: attributes = "" }) => ({
      index,
      alt: attributeIn(attributes, alternative),
      address: attributeIn(attributes, source),
    })),
  ].toSorted((one, other) => one.index - other.index);
}

/** The alternative texts of images at the beginning of a README. */
export function imageTexts(source: string): readonly string[] {
  return imagesIn(source.slice(0, maxHead)).flatMap(({ alt }) => alt.replace(/\s+/g, " ").trim() || []);
}

/** The name in the alternative text of the first logo; "" without. */
function logoIn(markup: string): string {
  for (const { alt, address } of imagesIn(markup).slice(0, 5)) {
    if (badgeAddress.test(address) || notALogo.test(alt) || alt.split(/\s+/).length > 4) continue;
    const name = cleaned(
      alt.replace(/\b(?:the|logo|logotype|banner|icon|header|hero|image|picture|wordmark)\b/gi, " "),
    );
    if (name !== "") return name;
  }
  return "";
}

const alternative = /\balt\s?=\s?(?:"([^"]{0,300})"|'([^']{0,300})')/i;
const source = /\bsrc\s?=\s?["']?([^"'\s>]{1,500})/i;

function attributeIn(attributes: string, pattern: RegExp): string {
  const match = pattern.exec(attributes);
  return decodeHTML(match?.[1] ?? match?.[2] ?? "");
}

interface Heading {
  readonly level: number;
  readonly markup: string;
  /** The text before it. */
  readonly before: string;
}

const atx = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/;
const html = /<h([1-6])\b[^<>]{0,500}>/i;

/** The first heading of level 1, and the first of any level, outside of code. */
function headingsIn(text: string): { readonly top?: Heading; readonly first?: Heading } {
  const lines = text.split("\n");
  const offsetOf = (at: number): number => lines.slice(0, at).reduce((sum, line) => sum + line.length + 1, 0);
  let first: Heading | undefined;
  for (const { text: line, at } of proseLines(lines.map((one) => one.trimEnd()))) {
    const above = lines[at - 1]?.trimEnd() ?? "";
    const [, hashes, markup = ""] = atx.exec(line) ?? [];
    const openingTag = html.exec(line);
    let heading: Heading | undefined;
    if (hashes !== undefined) {
      const words = markup.replace(/(?<![ \t#])[ \t]+#{1,6}$/, "");
      heading = { level: hashes.length, markup: words, before: text.slice(0, offsetOf(at)) };
    } else if (/^ {0,3}={3,}$/.test(line) && above.trim() !== "") {
      heading = { level: 1, markup: above, before: text.slice(0, offsetOf(at - 1)) };
    } else if (openingTag !== null) {
      const start = offsetOf(at);
      const from = start + openingTag.index + openingTag[0].length;
      const close = text.indexOf(`</h${openingTag[1] ?? ""}`, from);
      if (close >= 0 && close - from < 3000)
        heading = { level: Number(openingTag[1]), markup: text.slice(from, close), before: text.slice(0, start) };
    }
    if (heading === undefined) continue;
    first ??= heading;
    if (heading.level === 1) return { top: heading, first };
  }
  return first === undefined ? {} : { first };
}

/** True if nothing but logos and badges is above a heading. */
function isOnlyImages(markup: string): boolean {
  const rest = markup.replace(markdownImage, "").replace(htmlImage, "").replace(link, "").replace(tag, "");
  return !/[\p{L}\d]{2}/u.test(rest.replace(/^\[[^\]\n]{1,200}\]:[^\n]*$/gm, ""));
}

/** The library's name in its README, by heading, logo or front matter; "" without. `declared`: the title in the front matter, or "". */
export function libraryName(source: string, declared: string): string {
  const { end } = parseFrontMatter(source);
  const head = source.slice(end, end + maxHead).replace(/\r\n?/g, "\n");
  const text = head.replace(/<!--(?:(?!-->)[\s\S]){0,5000}-->/g, "");
  const { top, first } = headingsIn(text);
  // A small heading above the first large one is a label of badges.
  const isLabel = top !== undefined && (first?.level ?? 0) > 3;
  const isAtTop = first !== undefined && !isLabel && isOnlyImages(first.before);
  const title = isAtTop && first === top ? "" : nameIn(declared);
  const headings = [...(isAtTop ? [first] : []), ...(top ? [top] : [])];
  const headingName = headings
    .map((heading) => (isLinksOnly(heading) ? "" : nameIn(heading.markup)) || logoIn(heading.markup))
    .find((name) => name !== "");
  const above = (top ?? first)?.before ?? text.slice(0, 1500);
  return title || (headingName ?? (logoIn(above) || nameIn(declared)));
}
