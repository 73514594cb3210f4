import type { Candidate, PageKind } from "../domain/ports.ts";
import { analyseText } from "./analyse.ts";

/** Words in the path of a page that tell its kind; the first kind that fits. */
const pathTerms: readonly (readonly [PageKind, ReadonlySet<string>])[] = [
  ["news", termsOf("changelog changes release releases news blog migration migrating migrate upgrading upgrade")],
  [
    "project",
    termsOf("contributing contributors contribute governance ecosystem sponsors maintainers security roadmap"),
  ],
  ["old", termsOf("legacy deprecated deprecations experimental")],
  ["lesson", termsOf("tutorial tutorials")],
  ["trouble", termsOf("troubleshooting troubleshoot faq debugging errors error problems issues pitfalls gotchas")],
];

/** A page or folder that is called so and no more: message-history.md is about something else. */
const historyPage = /\/history(?:[/.#?]|$)/i;

/** Words in the path of pages that explain what there is, rather than list it. */
const explaining = termsOf("concept concepts feature features usage");

/** The place of its kind for each of those words, or that of `explaining`. */
const placeOf: ReadonlyMap<string, number> = new Map(
  [...pathTerms.map(([, terms]) => terms), explaining].flatMap((terms, place) =>
    [...terms].map((term) => [term, place] as const),
  ),
);

/** Words by which a question asks for pages of a kind. */
const askedBy: readonly (readonly [PageKind, RegExp])[] = [
  [
    "news",
    /\b(?:upgrad|migrat|changelog|release notes|breaking|(?:new|changed) in|(?:which|what) release|deprecat|v?\d+(?:\.\w+)* to v?\d|old(?:er)? version|update (?:to|from)|since (?:version|v?\d)|(?:switch|mov|chang|port|com)(?:e|ing)? (?:over|away|from)|existing project)/i,
  ],
  ["project", /\b(?:contribut|governance|ecosystem|sponsor|maintain|security|vulnerab|plugins? for|roadmap|list of)/i],
  ["old", /\b(?:deprecat|legacy|obsolete|experimental|old\b|older)/i],
  ["lesson", /\b(?:tutorials?|getting started|beginners?|(?:my|a) first|learn)\b/i],
  [
    "trouble",
    /\b(?:errors?|exceptions?|fail\w*|cannot|can't|(?:does|is|do|are)(?:n'?t| not)|not work\w*|unexpected|invalid|undefined|crash\w*|hang\w*|stuck|broken|warnings?|traceback|debug\w*|wrong|why)\b|\b[A-Z]+_[A-Z_]{3,}|[a-z]Error\b/i,
  ],
];

/** What its path tells of a page: analysed terms of it, joined with single spaces, and the page's address. */
export function kindOfPage(path: string, pageUrl: string): Pick<Candidate, "pageKind" | "explains"> {
  let first = pathTerms.length;
  let explains = false;
  for (const term of path.split(" ")) {
    const place = placeOf.get(term);
    if (place === undefined) continue;
    if (place === pathTerms.length) explains = true;
    else first = Math.min(first, place);
  }
  const pageKind = pathTerms[first]?.[0] ?? (historyPage.test(pageUrl) ? "news" : undefined);
  return { pageKind, explains };
}

/** The kinds of page that a question asks for. */
export function kindsAskedFor(query: string): ReadonlySet<PageKind> {
  return new Set(askedBy.filter(([, words]) => words.test(query)).map(([kind]) => kind));
}

function termsOf(words: string): ReadonlySet<string> {
  return new Set(words.split(" ").map(analyseText));
}
