import type { PageKind } from "../domain/ports.ts";
import { analyseText } from "./analyse.ts";

/** Words in the path of a page that tell its kind; the first kind that fits. */
const pathTerms: readonly (readonly [PageKind, ReadonlySet<string>])[] = [
  [
    "news",
    termsOf("changelog changes history release releases news blog migration migrating migrate upgrading upgrade"),
  ],
  [
    "project",
    termsOf("contributing contributors contribute governance ecosystem sponsors maintainers security roadmap"),
  ],
  ["trouble", termsOf("troubleshooting troubleshoot faq debugging errors error problems issues pitfalls gotchas")],
];

/** Words by which a question asks for pages of a kind. */
const askedBy: readonly (readonly [PageKind, RegExp])[] = [
  [
    "news",
    /\b(?:upgrad|migrat|changelog|releas|changed?\b|changes\b|breaking|new in|deprecat|v?\d+(?:\.\w+)* to v?\d|old(?:er)? version|update (?:to|from)|since (?:version|v?\d))/i,
  ],
  ["project", /\b(?:contribut|governance|ecosystem|sponsor|maintain|security|vulnerab|plugins? for|roadmap|list of)/i],
  [
    "trouble",
    /\b(?:errors?|exceptions?|fail\w*|cannot|can't|(?:does|is|do|are)(?:n'?t| not)|not work\w*|unexpected|invalid|undefined|crash\w*|hang\w*|stuck|broken|warnings?|traceback|debug\w*|wrong|why)\b|\b[A-Z]+_[A-Z_]{3,}|[a-z]Error\b/i,
  ],
];

/** The kind of the page with this path, in analysed terms; undefined where the path does not tell. */
export function kindOfPage(path: string): PageKind | undefined {
  const terms = path.split(" ");
  return pathTerms.find(([, telling]) => terms.some((term) => telling.has(term)))?.[0];
}

/** The kinds of page that a question asks for. */
export function kindsAskedFor(query: string): ReadonlySet<PageKind> {
  return new Set(askedBy.filter(([, words]) => words.test(query)).map(([kind]) => kind));
}

function termsOf(words: string): ReadonlySet<string> {
  return new Set(words.split(" ").map(analyseText));
}
