import { searchFields } from "../domain/ports.ts";
import type { Candidate, Candidates, Question, SearchField } from "../domain/ports.ts";
import { createTermCounter } from "./count.ts";
import type { FieldCounts } from "./count.ts";

/** Version of the order; part of what cached answers are known by. */
export const rankerVersion = "2";

/** A candidate with its score: higher is better, comparable within one answer only. */
export interface RankedSnippet {
  readonly candidate: Candidate;
  readonly score: number;
}

/** How much a term in a field counts, and how far a long field counts less (BM25F). */
const fieldWeights: Readonly<Record<SearchField, { readonly weight: number; readonly normalisation: number }>> = {
  title: { weight: 4.5, normalisation: 0.5 },
  breadcrumb: { weight: 1.5, normalisation: 0.5 },
  path: { weight: 1, normalisation: 0.5 },
  identifiers: { weight: 1.5, normalisation: 0.6 },
  prose: { weight: 1, normalisation: 0.75 },
  code: { weight: 1, normalisation: 0.75 },
};
/** From how many (weighted) occurrences on more of them say little (BM25's k1). */
const saturation = 1.2;
/** Share of a term's weight that two terms side by side earn on top. */
const pairWeight = 0.4;
/** Share of its page's best other snippet that a snippet earns on top. */
const pageWeight = 0.05;
/** What each snippet of a page costs the next one of the same page, and for how many it goes on. */
const crowdingCost = 0.1;
const crowdingSteps = 4;

/**
 * Orders candidates by BM25F with the statistics of their generation, pairs of terms and a little evidence of the
 * page; then lets the snippets of one page stand back behind other pages that are about as good. Equal scores are
 * ordered by id. Candidates with no term of the question are left out.
 */
export function rank(question: Question, candidates: Candidates, limit: number): RankedSnippet[] {
  const score = createScore(question, candidates);
  const scored = candidates.candidates
    .map((candidate) => ({ candidate, score: score(candidate) }))
    .filter((ranked) => ranked.score > 0);
  return spreadPages(withPageEvidence(scored).toSorted(compare), limit);
}

function createScore(question: Question, { total, documentFrequency, averageLength }: Candidates) {
  const idf = question.terms.map((term) => inverseFrequency(documentFrequency.get(term) ?? 0, total));
  const idfOf = new Map(question.terms.map((term, at) => [term, idf[at] ?? 0]));
  const pairIdf = question.pairs.map(([a, b]) => ((idfOf.get(a) ?? 0) + (idfOf.get(b) ?? 0)) / 2);
  const count = createTermCounter(question);

  return (candidate: Candidate): number => {
    const terms = new Float64Array(idf.length);
    const pairs = new Float64Array(pairIdf.length);
    for (const field of searchFields) {
      const counts = count(candidate.fields[field]);
      addField(terms, counts.terms, field, counts, averageLength[field]);
      addField(pairs, counts.pairs, field, counts, averageLength[field]);
    }
    return saturate(terms, idf) + pairWeight * saturate(pairs, pairIdf);
  };
}

function addField(
  sums: Float64Array,
  occurrences: Uint32Array,
  field: SearchField,
  { length }: FieldCounts,
  average: number,
): void {
  const { weight, normalisation } = fieldWeights[field];
  const factor = weight / (1 - normalisation + (normalisation * length) / Math.max(average, 1));
  for (let at = 0; at < sums.length; at++) sums[at] = (sums[at] ?? 0) + factor * (occurrences[at] ?? 0);
}

function saturate(sums: Float64Array, idf: readonly number[]): number {
  let score = 0;
  for (let at = 0; at < sums.length; at++) {
    const sum = sums[at] ?? 0;
    score += ((idf[at] ?? 0) * sum) / (saturation + sum);
  }
  return score;
}

function inverseFrequency(frequency: number, total: number): number {
  return Math.log(1 + (Math.max(total - frequency, 0) + 0.5) / (frequency + 0.5));
}

function withPageEvidence(scored: readonly RankedSnippet[]): RankedSnippet[] {
  const best = new Map<string, [first: number, second: number]>();
  for (const { candidate, score } of scored) {
    const [first, second] = best.get(candidate.pageUrl) ?? [0, 0];
    best.set(candidate.pageUrl, score > first ? [score, first] : [first, Math.max(second, score)]);
  }
  return scored.map(({ candidate, score }) => {
    const [first, second] = best.get(candidate.pageUrl) ?? [0, 0];
    return { candidate, score: score + pageWeight * (score === first ? second : first) };
  });
}

/** Takes the best that is left again and again; what was taken makes the rest of its page cost more. */
function spreadPages(sorted: readonly RankedSnippet[], limit: number): RankedSnippet[] {
  const left = [...sorted];
  const taken = new Map<string, number>();
  const result: RankedSnippet[] = [];
  while (left.length > 0 && result.length < limit) {
    let best = 0;
    let bestRanked: RankedSnippet | undefined;
    for (const [at, { candidate, score }] of left.entries()) {
      if (bestRanked !== undefined && score <= bestRanked.score) break;
      const crowd = Math.min(taken.get(candidate.pageUrl) ?? 0, crowdingSteps);
      const ranked = { candidate, score: score * (1 - crowdingCost * crowd) };
      if (bestRanked === undefined || ranked.score > bestRanked.score) [best, bestRanked] = [at, ranked];
    }
    if (bestRanked === undefined) break;
    left.splice(best, 1);
    taken.set(bestRanked.candidate.pageUrl, (taken.get(bestRanked.candidate.pageUrl) ?? 0) + 1);
    result.push(bestRanked);
  }
  return result;
}

function compare(a: RankedSnippet, b: RankedSnippet): number {
  if (a.score !== b.score) return b.score - a.score;
  return a.candidate.id < b.candidate.id ? -1 : 1;
}
