import { decodeHTML } from "entities";
import { closesFence, readFenceLine } from "./markdown/fences.ts";

/** What a README calls what it is about: by its first heading, else by its logo, else by its front matter. */

/** The name is at the top, in characters. */
const maxHead = 10_000;
/** A longer heading is a sentence, in characters and in words. */
const maxName = 60;
const maxWords = 6;
const praise = /^(?:an?|the (?:\w+est|most|only|first|best)) /i;

/** Headings and titles that every README may have. */
const generic =
  /^(?:the )?(?:home(?: ?page)?|introduction|intro|documentation|docs|documents?|overview|read ?me|index|wiki|welcome|about|getting started|get started|quick ?start(?: guide)?|start here|table of contents|contents|toc|installation|installing|install|setup|usage|features|guides?|user guide|manual|handbook|examples?|tutorials?|reference|api|api reference|api documentation|description|summary|background|motivation|requirements|prerequisites|license|licence|contributing|changelog|news|status|badges|logo|banner|icon|image|header|hero|untitled|what is (?:it|this)|project|main|title|note|warning|important|deprecated|why|how it works)[!?.:]?$/i;
const notALogo =
  /\b(?:build|status|coverage|version|downloads?|badge|ci|tests?|codecov|licen[cs]e|npm|pypi|crates?|discord|chat|slack|stars?|sponsors?|screenshot|screencast|demo|preview|diagram|architecture|video|gif|release)\b/i;
const badgeAddress = /shields\.io|badge|travis-ci|circleci|codecov|coveralls|\/workflows\/|\/actions\/|badgen|snyk/i;

const markdownImage = /!\[([^\]\n]{0,300})\](?:\(([^()\n]{0,1000})\)|\[[^\]\n]{0,200}\])/g;
const htmlImage = /<img\b([^<>]{0,2000})>/gi;
const link = /\[([^[\]\n]{0,300})\](?:\([^()\n]{0,1000}\)|\[[^\]\n]{0,200}\])/g;
const tag = /<\/?[a-z][^<>]{0,1000}>/gi;
const emoji = /:[a-z\d_+-]{2,40}:|[\p{Extended_Pictographic}\p{Regional_Indicator}\uFE0F\u200D]/gu;
const anchor = /\{#[^{}\n]{0,200}\}/g;
/** What separates a name from its description, or from a word for the page. */
const separator = / (?:--|[\u2013\u2014|·•»›-]) |: |, (?=(?:an?|the) )/;
const welcome = /^welcome to (?:the )?(.{1,100})$/i;
const ofDocuments =
  /(?:['’]s)?(?: (?:official|project|github))? (?:docs|documentation|wiki|repository|repo|website|site|readme)$/i;

/** The name in the markup of a heading, "" where it has none. */
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
  const isSentence = name.length > maxName || name.split(" ").length > maxWords || praise.test(name);
  return !isSentence && /[\p{L}\d]/u.test(name) ? name : "";
}

function tidy(part: string): string {
  const words = part.trim();
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

/** A heading that is only links leads elsewhere: several at any level, one below the first. */
function isLinksOnly({ level, markup }: Heading): boolean {
  const links = (markup.match(link)?.length ?? 0) + (markup.match(htmlLink)?.length ?? 0);
  const rest = markup.replace(link, "").replace(htmlLink, "").replace(tag, "");
  return links > (level === 1 ? 1 : 0) && !/[\p{L}\d]/u.test(decodeHTML(rest));
}

/** The name that the first logo in some markup has, "" without one. */
function logoIn(markup: string): string {
  const images = [
    ...[...markup.matchAll(markdownImage)].map(({ index, 1: alt = "", 2: address = "" }) => ({ index, alt, address })),
    ...[...markup.matchAll(htmlImage)].map(({ index, 1: attributes = "" }) => ({
      index,
      alt: attributeIn(attributes, alternative),
      address: attributeIn(attributes, source),
    })),
  ].toSorted((one, other) => one.index - other.index);
  for (const { alt, address } of images.slice(0, 5)) {
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
  const found = pattern.exec(attributes);
  return decodeHTML(found?.[1] ?? found?.[2] ?? "");
}

interface Heading {
  readonly level: number;
  readonly markup: string;
  /** What stands before it. */
  readonly before: string;
}

const atx = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/;
const html = /<h([1-6])\b[^<>]{0,500}>/i;

/** The first heading of level 1, and the first of any. Code and comments have none. */
function headingsIn(text: string): { readonly top?: Heading; readonly first?: Heading } {
  let first: Heading | undefined;
  let fence = "";
  let line = "";
  let at = 0;
  while (at < text.length) {
    const start = at;
    const above = line;
    const end = text.indexOf("\n", at);
    line = text.slice(at, end < 0 ? text.length : end).trimEnd();
    at = end < 0 ? text.length : end + 1;
    const isShallow = /^ {0,3}[`~]/.test(line);
    if (fence !== "") {
      if (isShallow && closesFence(line.trim(), fence)) fence = "";
      continue;
    }
    if (isShallow) fence = readFenceLine(line)?.marker ?? "";
    if (fence !== "") continue;
    const before = text.slice(0, start);
    const [, signs = "", markup = ""] = atx.exec(line) ?? [];
    const opened = html.exec(line);
    let found: Heading | undefined;
    if (signs !== "") found = { level: signs.length, markup: markup.replace(/(?<![ \t#])[ \t]+#{1,6}$/, ""), before };
    else if (/^ {0,3}={3,}$/.test(line) && above.trim() !== "") {
      found = { level: 1, markup: above, before: text.slice(0, Math.max(0, start - above.length - 1)) };
    } else if (opened !== null) {
      const from = start + opened.index + opened[0].length;
      const close = text.indexOf(`</h${opened[1] ?? ""}`, from);
      if (close >= 0 && close - from < 3000)
        found = { level: Number(opened[1]), markup: text.slice(from, close), before };
    }
    if (found === undefined) continue;
    first ??= found;
    if (found.level === 1) return { top: found, first };
  }
  return first === undefined ? {} : { first };
}

/** True for nothing but logos and badges above a heading. */
function isNothingSaid(markup: string): boolean {
  const rest = markup.replace(markdownImage, "").replace(htmlImage, "").replace(link, "").replace(tag, "");
  return !/[\p{L}\d]{2}/u.test(rest.replace(/^\[[^\]\n]{1,200}\]:[^\n]*$/gm, ""));
}

/** The name of the library in its README, "" without one. `declared` is the title in the front matter, "" without. */
export function libraryName(source: string, declared: string): string {
  const head = source.slice(0, maxHead).replace(/\r\n?/g, "\n");
  const end = head.startsWith("---\n") ? head.indexOf("\n---", 3) : -1;
  const text = (end < 0 ? head : head.slice(end + 4)).replace(/<!--(?:(?!-->)[\s\S]){0,5000}-->/g, "");
  const { top, first } = headingsIn(text);
  const isAtTop = first !== undefined && isNothingSaid(first.before);
  const title = isAtTop && first === top ? "" : nameIn(declared);
  const headings = [...(isAtTop ? [first] : []), ...(top ? [top] : [])];
  const called = headings
    .map((heading) => (isLinksOnly(heading) ? "" : nameIn(heading.markup)) || logoIn(heading.markup))
    .find((name) => name !== "");
  const above = (top ?? first)?.before ?? text.slice(0, 1500);
  return title || (called ?? (logoIn(above) || nameIn(declared)));
}
