import type { TextSample } from "./text-sample.ts";

/** What a page is, as far as that tells whether it is documentation. */
interface SampledPage extends TextSample {
  readonly path: string;
  readonly title: string;
  /** As it is written, with its front matter. */
  readonly source: string;
}

/** Why a page is no documentation for those who use what it is about, as a sentence; undefined where it is. */
export function whyNoDocumentation(page: SampledPage): string | undefined {
  if (isForTranslators(page)) return "The page tells translators how to translate the documentation.";
  if (isAnnouncement(page)) return "The page announces a release.";
  if (isStub(page.source)) return "The page has nothing of its own: a generator fills it from code.";
  if (isMoved(page)) return "The page only says that it has moved.";
  if (isTemplate(page)) return "The page is a template that a generator fills in.";
  return undefined;
}

const translation = /\btranslat(?:e|es|ing|ions?|ors?)\b|\blocali[sz]/i;
const ofDocuments =
  /\b(?:translat\w{1,5}|locali[sz]\w{1,6}) (?:of )?(?:the|these|this|our|its) (?:[\w-]{1,15} ){0,2}(?:docs?|documentation|pages?|website|site|handbook|readme|book|guides?)\b/i;
const platform = /\b(?:crowdin|weblate|transifex|pontoon)\b/i;
const participation = /\b(?:help us|thanks?|contribut\w{1,6}|volunteers?|translators|pull requests?|PRs?)\b/i;

/** A guide for those who translate these documents; not one for programs that are translated. */
function isForTranslators({ path, title, text }: SampledPage): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/[-_.]+/g, " ");
  if (!translation.test(title) && !translation.test(name)) return false;
  const speaksOfThem =
    ofDocuments.test(text) || (platform.test(text) && /\b(?:docs|documentation|website)\b/i.test(text));
  return speaksOfThem && participation.test(text);
}

const announcing =
  /^(?:announcing|introducing|releasing)\b[^\d]{0,80}\d|\b(?:is (?:now )?(?:out|released|available|here)|has been released|\d released)!?$/i;
const dated = /^["']?(?:date|pub_?date|publish_?date|published)["']?[ \t]*[:=]/im;
const signed = /^["']?(?:authors?|by)["']?[ \t]*[:=]/im;

/** What a post says of a release on its day: its front matter has a date and who wrote it. */
function isAnnouncement({ title, source }: SampledPage): boolean {
  if (!announcing.test(title.slice(0, 200))) return false;
  const fence = source.slice(0, 3);
  if (fence !== "---" && fence !== "+++") return false;
  const matter = source.slice(3, Math.max(3, source.indexOf(`\n${fence}`, 3))).slice(0, 10_000);
  return dated.test(matter) && signed.test(matter);
}

const moved =
  /\b(?:page|documents?|documentation|docs|guide|article|chapter|section|content|tutorial|edition|book)\b[^.\n]{0,60}\b(?:(?:has|have) (?:been )?(?:moved|relocated|merged|superseded)|(?:is|are) no longer (?:distributed|published|here))\b/i;
/** What says no more has less than that, in characters. */
const maxMoved = 500;

/** What is left where a page has been, with a link to where it is. */
function isMoved({ text, headings, codes }: SampledPage): boolean {
  if (codes > 0 || headings.length > 1 || text.length > maxMoved) return false;
  return moved.test(text) && /\]\(|https?:/.test(text);
}

const templates = /(?:^|\/)(?:layouts?|_layouts|_includes|_default|_partials|_shortcodes|archetypes|templates?)\//;
const control =
  /\{\{-?\s{0,9}(?:if|range|with|define|block|end|partial|template|\$\w|\.[A-Z]|\/\*)|\{%-?\s{0,9}(?:if|for|block|extends)\b/;

/** What generators make pages of: it stands in their folders, and outside of code it has what they fill in. */
function isTemplate({ path, source }: SampledPage): boolean {
  if (!templates.test(path) || !source.includes("{")) return false;
  const prose = source.slice(0, 100_000).replace(/(?<!`)`+[^`\n]{1,500}`+/g, "");
  let isFenced = false;
  return prose.split("\n").some((line) => {
    if (/^\s*(?:`{3,}|~{3,})/.test(line)) isFenced = !isFenced;
    return !isFenced && control.test(line);
  });
}

/** A directive of a generator that puts what it finds in code in its place: mkdocstrings, Sphinx, Documenter.jl, Hugging Face's. */
const directive =
  /^(?:::: [\w.:[\]]{1,200}|\.\. (?:auto\w{1,30}|doxygen\w{1,30}|js:auto\w{1,30})::.{0,300}|\[\[autodoc\]\].{0,300}|!\[\[autodoc\]\].{0,300})$/;
const directiveFence =
  /^(?:`{3,}|~{3,})[ \t]*(?:\{(?:eval-rst|auto\w{1,30}|doxygen\w{1,30})\}|@(?:auto)?docs\b|@index\b)/;
/** Longer pages have more than that. */
const maxStub = 20_000;

function isStub(source: string): boolean {
  if (source.length > maxStub) return false;
  let directives = 0;
  let isFenced = false;
  let isMatter = /^---\s/.test(source);
  for (const [index, line] of source.split(/\r\n?|\n/).entries()) {
    if (isMatter) {
      if (index > 0 && line.trimEnd() === "---") isMatter = false;
    } else if (isFenced) isFenced = !/^(?:`{3,}|~{3,})[ \t]*$/.test(line);
    else if (directiveFence.test(line)) {
      isFenced = true;
      directives++;
    } else if (directive.test(line.trimEnd())) directives++;
    else if (!/^(?:$|[ \t]|#{1,6}[ \t]|[=-]{3,}$|<!--.*-->$|- \w{1,100}$)/.test(line)) return false;
    else if (directives === 0 && /^[ \t]+\S/.test(line)) return false;
  }
  return directives > 0;
}
