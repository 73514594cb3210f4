import type { CodeContent, LeftOutReason, Block } from "./blocks.ts";
import { parseFrontMatter } from "./markdown/front-matter.ts";

/** A sample of a section or page, to tell what kind of text it is. */
export interface TextSample {
  /** Prose, and the content of fences without a language. */
  readonly text: string;
  /** Headings below that of the section. */
  readonly headings: readonly string[];
  /** Number of code blocks, and of those in a programming language. */
  readonly codes: number;
  readonly programs: number;
}

const maxBlocks = 60;
const maxText = 6000;
const noProgram = /^(?:|te?xt|plain(?:text)?|none|markdown|md)$/;

/** Samples the blocks from index `from` up to the next heading at or above `level`. */
export function sampleText(blocks: readonly Block[], from: number, level: number): TextSample {
  const headings: string[] = [];
  let text = "";
  let codes = 0;
  let programs = 0;
  for (const block of blocks.slice(from, from + maxBlocks)) {
    if (text.length > maxText || (block.type === "heading" && block.level <= level)) break;
    if (block.type === "heading") headings.push(block.text);
    else if (block.type !== "code") text += `${block.markdown}\n\n`;
    else {
      codes++;
      if (noProgram.test(block.language)) text += `${block.code}\n\n`;
      else programs++;
    }
  }
  return { text: text.slice(0, maxText).trim(), headings, codes, programs };
}

const licence = /^(?:the )?(?:mit |apache |bsd )?licen[cs]e$/i;
const changelog = /^(?:change ?-?log|release notes|version history|release history)$/i;
const readmeLicence =
  /^(?:licen[cs]es|licensing|(?:copyright )?(?:and|&) licen[cs]e|copyright|licen[cs]e (?:&|and) .{1,40})$/i;
const readmeChanges = /^(?:changes|history|releases|what(?:'|’)?s new|news)$/i;
const people =
  /^(?:(?:our |the |all |top |core )?(?:contributors|authors?|maintainers?|sponsors?|backers|supporters|team|stargazers)|sponsors? (?:and|&) backers|backers (?:and|&) sponsors|authors? (?:and|&) .{1,30}|credits?|acknowledge?ments?|(?:special )?thanks(?: to)?|support (?:us|the project|me)|donat(?:e|ions?)|star history|stargazers over time|sponsoring|sponsorship|code of conduct|our sponsors)$/i;

/**
 * Why a section is left out, by its heading and a sample of its text; undefined if it is documentation. Some headings mean something
 * else in a README than on other pages.
 */
export function reasonToLeaveOut(
  heading: string,
  readme: boolean,
  sample: () => TextSample,
): LeftOutReason | undefined {
  if (heading.length > 60) return undefined;
  const words = heading.replace(/^[^\p{L}]+|(?<![^\p{L}])[^\p{L}]+$/gu, "");
  if (licence.test(words) || (readme && readmeLicence.test(words))) return isLicence(sample()) ? "licence" : undefined;
  if (changelog.test(words) || (readme && readmeChanges.test(words)))
    return isChangelog(sample()) ? "changelog" : undefined;
  // A library about people shows them in code.
  return readme && people.test(words) && sample().programs === 0 ? "people" : undefined;
}

const changelogFile = /^(?:CHANGE-?LOGS?|CHANGES|HISTORY|NEWS|RELEASES|RELEASE[-_]?NOTES)(?:[-_.]v?\d[\w.-]*)?$/;
const licenceFile = /^(?:LICEN[CS]ES?|COPYING|THIRD[-_]?PARTY[-_]?NOTICES?)(?:[-_.]\w+)?$/i;

/** Why a whole page is left out, by its title or file name and a sample of its text; undefined if it is documentation. */
export function reasonToLeaveOutPage(path: string, title: string, sample: () => TextSample): LeftOutReason | undefined {
  const stem = (path.split("/").at(-1) ?? "").replace(/\.[^.]*$/, "");
  if (licenceFile.test(stem)) return isLicence(sample()) ? "licence" : undefined;
  if (changelogFile.test(stem)) return isChangelog(sample()) ? "changelog" : undefined;
  if (changelogFile.test(stem.toUpperCase()) && hasChanges(sample())) return "changelog";
  return reasonToLeaveOut(title, false, sample);
}

/** Maximum length of a text that only points elsewhere, such as to a licence, in characters. */
const maxPointer = 400;

const licenceKeys =
  /\blicen[cs]e[ -](?:keys?|tokens?|servers?|files? (?:is|are) (?:read|loaded)|activations?|codes?|checks?)\b|\bactivat(?:e|es|ed|ion)\b|\bsubscriptions?\b|\btrials?\b|\bseats?\b/gi;
const legal =
  /\blicen[cs]ed\b|\b(?:MIT|Apache|BSD|[AL]?GPL|ISC|MPL|Unlicense|CC[ -]BY|EPL|EUPL|WTFPL)\b|\bcopyright\b|©|\(c\)|\bpermission is hereby granted\b|\ball rights reserved\b|\bwithout warranty\b|\bpublic domain\b|\bcreative commons\b|\bSPDX\b|\b(?:see|in) (?:the )?[`"[]{0,2}licen[cs]e\b|\bfree software\b/gi;

/** True for terms of use, or a pointer to them; false for text about licence keys or about licences in general. */
function isLicence({ text, headings, programs }: TextSample): boolean {
  if (programs > 0) return false;
  const keys = text.match(licenceKeys)?.length ?? 0;
  const terms = text.match(legal)?.length ?? 0;
  return keys > 0 ? terms > keys : terms > 0 || (text.length < maxPointer && headings.length === 0);
}

const version =
  /^\W{0,4}(?:version |release )?v?\.?\d{1,5}\.\d{1,5}|^\W{0,3}unreleased\b|^\W{0,3}(?:19|20)\d\d[-./ ]\d|[\s@v(]\d{1,5}\.\d{1,5}\.\d/i;
const kindOfChange =
  /^\W{0,4}(?:added|changed|fix(?:ed|es)?|removed|deprecated|deprecations|security|bug ?fixes|features?|breaking|improvements?|improved|performance|patch|minor|major|chores?|docs|documentation|dependencies|enhancements?|new|other|miscellaneous|merged|commits?|pull requests|updated?s?|contributors|reverts?|upgrades?|tests?|build|internal|highlights|what(?:'|’)s)\b/i;
const versionLine = /^\s{0,8}(?:[-*+]\s{1,3})?[*_`[]{0,3}v?\d{1,5}\.\d{1,5}\b/i;

const keptChangelog = /\ball notable changes\b|\bkeep ?a ?changelog\b/i;
const workItem =
  /#\d{1,7}\b|\/(?:pull|issues|commit|compare)\/|^\s{0,8}[-*+] (?:fix|feat|chore|docs|refactor|perf)(?:\([\w-]{1,40}\))?!?:/;

/** A heading that says nothing about its entries. */
const changelogTitle =
  /^\W{0,4}(?:change ?-?logs?|changes|history|news|releases|(?:release|version) (?:notes|history))\W{0,4}$/i;

/** True for a list of changes by version or date. */
function hasChanges({ text, headings: all }: TextSample): boolean {
  const headings = all.filter((heading) => !changelogTitle.test(heading));
  const versions = headings.filter((heading) => version.test(heading)).length;
  const others = headings.filter((heading) => !version.test(heading) && !kindOfChange.test(heading)).length;
  if (keptChangelog.test(text)) return versions > 0 || others === 0;
  if (versions > 0) return versions >= others;
  if (headings.length > 0) return others === 0;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const entries = lines.filter((line) => versionLine.test(line)).length;
  const items = lines.filter((line) => workItem.test(line)).length;
  return (entries > 1 && entries * 4 >= lines.length) || (items > 1 && items * 2 >= lines.length);
}

/** True for a change log, or a pointer to one. */
function isChangelog(sample: TextSample): boolean {
  const { text, headings, codes } = sample;
  return hasChanges(sample) || (headings.length === 0 && codes === 0 && text.length < maxPointer);
}

/** True for a drawing of folders and files. */
export function isTree({ code }: Pick<CodeContent, "code">): boolean {
  if (!code.includes("├") && !code.includes("└")) return false;
  const lines = code.split("\n").filter((line) => line.trim() !== "");
  const drawn = lines.filter((line) => /^[\s│|]*[├└]/.test(line)).length;
  return drawn >= 2 && drawn * 2 >= lines.length;
}

/** The facts that decide whether a page is documentation. */
interface SampledPage extends TextSample {
  readonly path: string;
  readonly title: string;
  /** Its raw text, with front matter. */
  readonly source: string;
}

/** Why a page is no documentation for users, as a sentence; undefined if it is. */
export function reasonNotDocumentation(page: SampledPage): string | undefined {
  if (isForTranslators(page)) return "The page tells translators how to translate the documentation.";
  if (isAnnouncement(page)) return "The page announces a release.";
  if (isStub(page)) return "The page has nothing of its own: a generator fills it from code.";
  if (isMoved(page)) return "The page only says that it has moved.";
  if (isTemplate(page)) return "The page is a template that a generator fills in.";
  return undefined;
}

const translation = /\btranslat(?:e|es|ing|ions?|ors?)\b|\blocali[sz]/i;
const ofDocuments =
  /\b(?:translat\w{1,5}|locali[sz]\w{1,6}) (?:of )?(?:the|these|this|our|its) (?:[\w-]{1,15} ){0,2}(?:docs?|documentation|pages?|website|site|handbook|readme|book|guides?)\b/i;
const platform = /\b(?:crowdin|weblate|transifex|pontoon)\b/i;
const participation = /\b(?:help us|thanks?|contribut\w{1,6}|volunteers?|translators|pull requests?|PRs?)\b/i;

/** True for a guide to translating the documentation; false for one about translating programs. */
function isForTranslators({ path, title, text }: SampledPage): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/[-_.]+/g, " ");
  if (!translation.test(title) && !translation.test(name)) return false;
  const isAboutDocuments =
    ofDocuments.test(text) || (platform.test(text) && /\b(?:docs|documentation|website)\b/i.test(text));
  return isAboutDocuments && participation.test(text);
}

const announcing =
  /^(?:announcing|introducing|releasing)\b[^\d]{0,80}\d|\b(?:is (?:now )?(?:out|released|available|here)|has been released|\d released)!?$/i;
const dateField = /^["']?(?:date|pub_?date|publish_?date|published)["']?[ \t]*[:=]/im;
const authorField = /^["']?(?:authors?|by)["']?[ \t]*[:=]/im;

/** True for a blog post about a release: its front matter has a date and an author. */
function isAnnouncement({ title, source }: SampledPage): boolean {
  if (!announcing.test(title.slice(0, 200))) return false;
  const matter = source.slice(0, Math.min(parseFrontMatter(source).end, 10_000));
  return dateField.test(matter) && authorField.test(matter);
}

const moved =
  /\b(?:page|documents?|documentation|docs|guide|article|chapter|section|content|tutorial|edition|book)\b[^.\n]{0,60}\b(?:(?:has|have) (?:been )?(?:moved|relocated|merged|superseded)|(?:is|are) no longer (?:distributed|published|here))\b/i;
/** Maximum length of a page that only says it has moved, in characters. */
const maxMoved = 500;

/** True for the stub left behind by a moved page, with a link to its new place. */
function isMoved({ text, headings, codes }: SampledPage): boolean {
  if (codes > 0 || headings.length > 1 || text.length > maxMoved) return false;
  return moved.test(text) && /\]\(|https?:/.test(text);
}

const templates = /(?:^|\/)(?:layouts?|_layouts|_includes|_default|_partials|_shortcodes|archetypes|templates?)\//;
const control =
  /\{\{-?\s{0,9}(?:if|range|with|define|block|end|partial|template|\$\w|\.[A-Z]|\/\*)|\{%-?\s{0,9}(?:if|for|block|extends)\b/;

/** True for a template of a generator: it is in a template folder and has placeholders outside of code. */
function isTemplate({ path, source }: SampledPage): boolean {
  if (!templates.test(path) || !source.includes("{")) return false;
  const prose = source.slice(0, 100_000).replace(/(?<!`)`+[^`\n]{1,500}`+/g, "");
  let isFenced = false;
  return prose.split("\n").some((line) => {
    if (/^\s*(?:`{3,}|~{3,})/.test(line)) isFenced = !isFenced;
    return !isFenced && control.test(line);
  });
}

/** A directive that a generator replaces with text from code: mkdocstrings, Sphinx, Documenter.jl, Hugging Face. */
const directive =
  /^(?:::: [\w.:[\]]{1,200}|\.\. (?:auto\w{1,30}|doxygen\w{1,30}|js:auto\w{1,30})::.{0,300}|\[\[autodoc\]\].{0,300}|!\[\[autodoc\]\].{0,300})$/;
const directiveFence =
  /^(?:`{3,}|~{3,})[ \t]*(?:\{(?:eval-rst|auto\w{1,30}|doxygen\w{1,30})\}|@(?:auto)?docs\b|@index\b)/;
/** Of these, the fences that are read as reStructuredText, into which the reader may have put a text. */
const partFence = /\{(?:eval-rst|auto\w{1,30})\}/;
/** Maximum length of a page that has only directives, in characters. */
const maxStub = 20_000;

/** True for a page of only directives, unless the reader found what they show. */
function isStub({ source, text, codes }: SampledPage): boolean {
  const isFilled = text !== "" || codes > 0;
  if (source.length > maxStub) return false;
  let directives = 0;
  let isFenced = false;
  for (const line of source.slice(parseFrontMatter(source).end).split(/\r\n?|\n/)) {
    if (isFenced) isFenced = !/^(?:`{3,}|~{3,})[ \t]*$/.test(line);
    else if (directiveFence.test(line)) {
      if (isFilled && partFence.test(line)) return false;
      isFenced = true;
      directives++;
    } else if (directive.test(line.trimEnd())) directives++;
    else if (!/^(?:$|[ \t]|#{1,6}[ \t]|[=-]{3,}$|<!--.*-->$|- \w{1,100}$)/.test(line)) return false;
    else if (directives === 0 && /^[ \t]+\S/.test(line)) return false;
  }
  return directives > 0;
}
