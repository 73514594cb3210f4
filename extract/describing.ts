import type { Block } from "./blocks.ts";
import { isLinkList } from "./link-lists.ts";
import { firstSentences, toSentences } from "./sentences.ts";

/** Maximum length of a description, in characters, and of a tagline. */
const maxLength = 300;
const maxTagline = 160;
/** Maximum number of blocks of a page that are searched. */
const maxBlocks = 60;

/** The test whether a text begins with one of some words, which are patterns. */
function startsWith(...words: readonly string[]): RegExp {
  return new RegExp(`^(?:${words.join("|")})(?![\\p{L}\\d])`, "iu");
}

/** Beginnings of a sentence that refers to the one before it. */
const leaning = startsWith(
  "additionally|also|moreover|furthermore|however|therefore|thus|hence|instead|otherwise|then|besides|likewise|similarly|finally",
  "meanwhile|nevertheless|nonetheless|consequently|accordingly|rather|but|and|or|nor|so|yet(?! another)|because|since|while|whereas|until|once",
  "this|that|these|those|it|they|he|she|its|their|his|her|here|there|both|such|some of|all of|most of|none of|either|neither|others?",
  "another|which|whose?|where|when|after|before|i\\.e|e\\.g|etc|the (?:same|above|following|former|latter|others?|rest)",
  "as (?:mentioned|noted|described|said|stated|shown|explained|a result|such|always|of|with)|for (?:example|instance|this|that|these|those)",
  "in (?:addition|this|that|these|those|contrast|particular|other words|fact|short|both|either|case)|on (?:the other hand|top of)",
  "at the (?:moment|same)|with (?:this|that|these|those|their|its|it)",
);
/** Requests to the reader. */
const asking = startsWith(
  "please|consider|click|see|refer|feel free|don['’]?t|do (?:not|you)|donate|sponsor|want|interested|are you|have you|let us|let['’]s",
  "join (?:us|our|the|me|in|discord|slack)|visit (?:us|our|the|https?)|check(?:ing)? (?:out|it)|star (?:this|the|us|it|on)|become a|hi|hello",
  "follow (?:us|me|the|this|along|for|@\\w+)|read (?:the|more|our|this|about|on|it|in full|how)|learn (?:more|(?:all )?about|how)",
  "find (?:out|more|us)|support (?:us|this|the|me|my)|subscribe to (?:our|the|my)|go to|head (?:over|to)|(?:take|have) a (?:look|peek)",
  "look(?:ing)? (?:at|for|to)|need (?:help|a)|if (?:you|this|it|your)|contact (?:us|me|the|our)|report (?:a|any|bugs?|issues?|security)",
  "ask (?:us|me|questions?|a question)|try (?:it|the|out|our|now|using)|watch (?:this|our|the (?:video|talk|demo))|browse (?:the|our|all)",
  "view (?:our|all|the (?:docs|documentation|demo|site|full))|explore (?:our|the docs)|get (?:started|it|the latest|help)|expect (?:some|the)",
  "start (?:here|by|with)|to (?:install|get started|start|use|learn|run|build|see|contribute)|install(?:ation|ing|s)?|thanks?|thank you",
  "(?:npm i(?:nstall)?|yarn add|pip3? install|cargo add|go get|composer require|gem install|brew install)|run (?:this|it|`.*|the following)",
  "use (?:this|npm|pip|the (?:following|package))|add (?:it|this|the|your)|(?:put|enter|insert) your|todo|welcome|sign up|help us|remember",
  "contribut\\w+|pull requests|issues|make sure|be sure|your|you (?:are (?:viewing|reading|looking)|can|may|should|must|need|have)",
  "review (?:the|our)|we (?:welcome|take|recommend|love|are (?:hiring|looking))|just heard|our (?:docs|documentation|website|sponsors?)",
  "for (?:more|details|installation|usage|help|questions|information|support|documentation|the (?:latest|full|complete|docs))",
);
/** Labels, and notices about the project. */
const announcing = startsWith(
  "note|n\\.?b\\.?|nota bene|important|warning|caution|attention|notice|tip|info|disclaimer|deprecated|announc\\w+|news?|what['’]?s new",
  "update[ds]?:|breaking|(?:upgrad|migrat)(?:e to|ing (?:to|from))|(?:sponsored|supported|backed|trusted|powered|maintained|created) by",
  "(?:written|developed) by|made (?:with|by)|copyright|©|\\(c\\)|licen[cs]ed?|documentation (?:is|can)|docs?:|v?\\d+\\.\\d+(?:\\.\\d+)*",
  "(?:(?:full|api|more|complete|official) )?(?:documentation|docs|website|home ?page|demo|source(?: code)?|changelog|hosted url|examples?|download|api|contents|table of contents|quick ?links|links|languages?|translations?)\\s*(?::|$|(?:is|are|can be) (?:available|found|hosted|here|at))",
);
/** Words of requests and notices anywhere in a sentence. */
const aside =
  /\bplease\b|\bcheck(?:ing)? out\b|\b(?:see|visit|refer to|head (?:over )?to) (?:the|our|this|my|https?)\b|\b(?:click|found|available|documented|described|listed) (?:here|below|above)\b|\b(?:has|have) (?:been )?(?:moved|renamed|migrated|deprecated|archived|superseded|relocated)\b|\b(?:is|are) (?:now )?(?:deprecated|unmaintained|archived|obsolete|discontinued|no longer)\b|\bno longer (?:maintained|supported|developed)\b|\b(?:moved|renamed) to\b|\bunder (?:active|heavy|construction)\b|\bwork in progress\b|\b(?:is|are) (?:currently |still )?(?:in|an?) (?:early |public |private )?(?:alpha|beta|preview)\b|\bthese (?:docs|pages)\b|\b(?:is|are) out now\b|\bversion v?\d+(?:\.\d+)* (?:is|was|of|has|introduces|requires)\b|\bstar (?:us|this|the repo)\b|[?:：]$/i;
/** At least two words. */
const isText =
  /\p{L}{2}[^\p{L}]{0,3}\s+\P{L}{0,3}\p{L}{2}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{4}|\p{Script=Hangul}{2}/u;

/**
 * The sentences of a text that describe a library, from the first that needs none before it, up to a request or notice; "" without any.
 */
export function describing(text: string): string {
  const sentences = toSentences(text.trim());
  const start = sentences.findIndex(standsAlone);
  if (start < 0) return "";
  const rest = sentences.slice(start);
  const end = rest.findIndex(isAside);
  return rest.slice(0, end < 0 ? rest.length : end).join(" ");
}

function standsAlone(sentence: string): boolean {
  return !isAside(sentence) && !leaning.test(plain(sentence));
}

/** A request, notice or lead-in: it describes nothing. */
function isAside(sentence: string): boolean {
  const words = plain(sentence);
  return asking.test(words) || announcing.test(words) || aside.test(sentence) || !isText.test(sentence);
}

/** A sentence without signs at its beginning. */
function plain(sentence: string): string {
  return sentence.replace(/^[^\p{L}\d@©]+/u, "");
}

/**
 * The description of the library that a page introduces, called `name`: the tagline below the first heading; else the sentence that
 * defines it, "X is a …"; else the first prose below that heading; else a sentence such as "This package parses dates."; "" without any.
 * `images`: the alternative texts of its images, which are no prose.
 */
export function describingPart(blocks: readonly Block[], name: string, images: readonly string[] = []): string {
  const found: { tagline?: string; defining?: string; first?: string; naming?: string | undefined } = {};
  let headings = 0;
  let isOpening = true;
  for (const [at, block] of blocks.slice(0, maxBlocks).entries()) {
    if (found.tagline !== undefined || (found.defining !== undefined && headings > 1)) break;
    const isSubtitle = block.type === "heading" && blocks[at - 1]?.type === "heading" && isSlogan(block.text);
    const shown = isSubtitle ? block.text : textOf(block);
    const text = isLabel(shown, [...images, name]) ? "" : shown;
    const sentences = toSentences(text);
    const start = sentences.findIndex(standsAlone);
    if (block.type === "heading" && !(isSubtitle && start === 0)) headings += 1;
    if (start === 0 && headings <= 1 && found.first === undefined) {
      found.first = describing(text);
      if (found.first.length <= maxTagline) found.tagline = found.first;
    }
    const defining = sentences.findIndex((one) => standsAlone(one) && defines(one, name, headings <= 2));
    if (defining >= 0) found.defining ??= describing(sentences.slice(defining).join(" "));
    if (headings <= 2)
      found.naming ??= sentences.find(
        (one, index) => (naming.test(one) || (isOpening && index === 0 && ofTitle.test(one))) && !isAside(one),
      );
    if (text !== "") isOpening = false;
  }
  return firstSentences(found.tagline ?? found.defining ?? found.first ?? found.naming ?? "", maxLength);
}

const definition = /^((?:\p{Lu}|@)[^.!?:;]{0,80}?) (?:is|are) (?:an?|the|not just) [\p{L}“"']/u;
const naming =
  /^this (?:repo(?:sitory)?|package|library|project|module|plugin|crate|gem|tool|extension|framework|adapter|site|website|guide|book|document(?:ation)?|sdk|client|server|app(?:lication)?|action) (?:is (?:an?|the)|contains|provides|holds|implements|offers|hosts|gives|lets|helps|allows|enables|adds|powers|[a-z]{3,20}izes)\b/i;

/** The first sentence below a title may say "it" of what the title names. */
const ofTitle = /^it (?!also\b|thus\b|is (?:also|therefore|thus)\b)[a-z]{1,20}s\b/i;

/** Whether a text consists of names and texts of images; these first, as they may have the name. */
function isLabel(text: string, labels: readonly string[]): boolean {
  if (text.length > maxLength || !labels.some((label) => label !== "" && text.startsWith(label))) return false;
  return letters(labels.reduce((rest, label) => rest.replace(label, ""), text)) === "";
}

/** Whether a heading may be a tagline: it has four words or more. */
function isSlogan(heading: string): boolean {
  return heading.split(/\s+/, 4).length === 4;
}

/** Whether a sentence is "X is a …". Where `isEarly`, X may be anything but `The …`; else it has to be the library. */
function defines(sentence: string, name: string, isEarly: boolean): boolean {
  const [, subject = ""] = definition.exec(sentence) ?? [];
  const [named = ""] = subject.replace(/^the /i, "").split(/[([,]/, 1);
  const bare = letters(named);
  if (bare === "") return false;
  return letters(name).includes(bare) || (isEarly && !/^(?:the|an?|each|every|all) /i.test(subject));
}

/** A name without the signs and the case in which its spellings differ. */
export function letters(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\d]/gu, "");
}

/** The text of a paragraph or quote; "" for any other block, and for rows of links, badges and addresses. */
function textOf(block: Block): string {
  if (block.type === "code" || block.type === "heading" || block.markdown === "" || isLinkList(block.markdown, 1))
    return "";
  // A callout has its label in bold.
  if (announcing.test(plain(block.markdown.slice(0, 40)))) return "";
  const text = block.type === "paragraph" ? block.text() : block.markdown.startsWith(">") ? quoted(block.markdown) : "";
  return /[<>]|[|•·].*[|•·]|\|.*\||^[^.]{1,40}: *\S+$/.test(text) ? "" : text;
}

/** The words of a quote on one line. */
function quoted(markdown: string): string {
  return markdown
    .slice(0, 1500)
    .replace(/^>[> \t]*/gm, "")
    .replace(/[*`]{1,3}|(?<![\p{L}\d])_|_(?![\p{L}\d])/gu, "")
    .replace(/\[([^[\]]{1,200})\]\([^()\s]{0,500}\)/g, "$1")
    .replace(/\s+/g, " ")
    .trim();
}
