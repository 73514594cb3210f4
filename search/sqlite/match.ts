import type { CandidateFilter, Question } from "../../domain/ports.ts";
import { kindFacet, languageFacet } from "./snippet-format.ts";

/** Terms and pairs that are looked up; the rarest say the most, and each one costs a walk over its rows. */
const mostTerms = 12;
const mostPairs = 8;

/**
 * The FTS5 expression of a question: any of its rarest terms or pairs, and the facets asked for. Undefined where no
 * term occurs in the generation, so that nothing can be found.
 */
export function matchExpression(
  question: Question,
  frequency: ReadonlyMap<string, number>,
  total: number,
  filter: Pick<CandidateFilter, "kind" | "language">,
): string | undefined {
  const count = (term: string) => frequency.get(term) ?? 0;
  const found = question.terms.filter((term) => count(term) > 0).toSorted((a, b) => count(a) - count(b));
  // bm25 gives next to nothing for a term that stands in more than half of the rows.
  const telling = found.filter((term) => count(term) <= total / 2);
  const terms = (telling.length > 0 ? telling : found).slice(0, mostTerms);
  if (terms.length === 0) return undefined;

  const pairs = question.pairs
    .filter((pair) => pair.every((term) => count(term) > 0) && pair.some((term) => terms.includes(term)))
    .toSorted((a, b) => rarer(a, count) - rarer(b, count))
    .slice(0, mostPairs);
  const any = [...terms, ...pairs.map((pair) => pair.join(" "))].map(quote).join(" OR ");
  const facets = [
    ...(filter.kind === undefined ? [] : [kindFacet(filter.kind)]),
    ...(filter.language === undefined ? [] : [languageFacet(filter.language)]),
  ];
  return [`{title breadcrumb path prose code} : (${any})`, ...facets.map((facet) => `facets : ${quote(facet)}`)].join(
    " AND ",
  );
}

function rarer(pair: readonly [string, string], count: (term: string) => number): number {
  return Math.min(count(pair[0]), count(pair[1]));
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
