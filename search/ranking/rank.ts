import { searchFields } from "../../domain/ports.ts";
import type { Candidate, Candidates, Question } from "../../domain/ports.ts";
import { createBesideTest, isOperation } from "./beside.ts";
import type { BesideTest } from "./beside.ts";
import { conceptsOf, countConcepts, saturate } from "./concepts.ts";
import type { Concepts } from "./concepts.ts";
import { pagesOf } from "./pages.ts";
import type { PlacedCandidate } from "./pages.ts";
import { weights } from "./weights.ts";

/** Version of the order. It is part of entity tags. */
export const rankerVersion = "16";

/** Factor that puts a passage before others of the same score. */
const slightly = 1.0001;
const breadcrumbField = searchFields.indexOf("breadcrumb");

/** A candidate with its score: higher is better. Scores are comparable only within one answer. */
export interface RankedPassage {
  readonly candidate: Candidate;
  readonly score: number;
  readonly parts: ScoreParts;
}

/** A score is `factor * (own + beside + page)`; the first passages on the page of an operation have the best score of the page. */
export interface ScoreParts {
  /** For its own fields. */
  readonly own: number;
  /** For the best other passage of its page. */
  readonly beside: number;
  /** For the text and the name of its page. */
  readonly page: number;
  readonly factor: number;
}

/**
 * Orders candidates: BM25F with the statistics of their generation, with parts for their pages and for where on its page each stands.
 * Passages of a page beyond its share come after those of other pages. Those far worse than the best are left out. Equal scores are
 * ordered by id.
 */
export function rank(question: Question, candidates: Candidates, limit: number): RankedPassage[] {
  const isBeside = createBesideTest(question, candidates.candidates);
  const sorted = scoreAll(conceptsOf(question, candidates), candidates, isBeside).toSorted(compare);
  const least = weights.least * (sorted[0]?.score ?? 0);
  return capByPage(sorted.filter(({ score }) => score >= least)).slice(0, limit);
}

/** Scores the candidates that have any of the concepts. */
function scoreAll(concepts: Concepts, found: Candidates, isBeside: BesideTest): RankedPassage[] {
  const counts = countConcepts(concepts, found);
  const scoreOf = scorer(concepts, found, counts);
  return pagesOf(concepts, found, counts).flatMap((page) => {
    const alone = page.candidates
      .map((place) => ({ candidate: place.candidate, own: scoreOf(place) }))
      .filter(({ own }) => own > 0);
    const [first = 0, second = 0] = alone.map(({ own }) => own).toSorted((a, b) => b - a);
    return withRequestFirst(
      alone.map(({ candidate, own }) => {
        const other = own === first ? second : first;
        const beside = weights.pageSecond * other;
        // Joined short sections also stand below the title, but have the page's title among their headings.
        const isIntroduction = candidate.belowTitle && (candidate.lengths[breadcrumbField] ?? 0) === 0;
        const factor = isBeside(candidate) ? weights.beside : isIntroduction ? weights.belowTitle : 1;
        const parts = { own, beside, page: page.worth, factor };
        return { candidate, score: factor * (own + beside + page.worth), parts };
      }),
    );
  });
}

/**
 * Gives the passages above the sections of an operation's page the best score of that page: they have the request, which comes first
 * whichever section was found.
 */
function withRequestFirst(page: readonly RankedPassage[]): readonly RankedPassage[] {
  if (!isOperation(page[0]?.candidate.pageUrl ?? "")) return page;
  const depthOf = ({ lengths }: Candidate): number => lengths[breadcrumbField] ?? 0;
  const least = Math.min(...page.map(({ candidate }) => depthOf(candidate)));
  const best = Math.max(...page.map(({ score }) => score));
  return page.map((one) => (depthOf(one.candidate) === least ? { ...one, score: best * slightly } : one));
}

/** Creates the function that scores a candidate for its own fields. */
function scorer({ worth }: Concepts, found: Candidates, counts: Float64Array): (place: PlacedCandidate) => number {
  const sums = new Float64Array(worth.length);
  const weigh = weigher(worth.length, found, counts);
  return (place) => {
    weigh(place, sums);
    return saturate(sums, worth);
  };
}

/** Creates the function that sums a candidate's occurrences of each of `length` concepts, weighted by field. */
export function weigher(
  length: number,
  found: Candidates,
  counts: Float64Array,
): (place: PlacedCandidate, sums: Float64Array) => void {
  const fields = searchFields.map((field) => ({
    weight: field === "title" ? weights.title : 1,
    meanLength: Math.max(found.averageLength[field], 1),
  }));
  return ({ candidate, place }, sums) => {
    sums.fill(0);
    for (const [number, { weight, meanLength }] of fields.entries()) {
      const terms = candidate.lengths[number] ?? 0;
      if (terms === 0) continue;
      const first = (place * fields.length + number) * length;
      const factor = weight / (1 - weights.normalisation + weights.normalisation * (terms / meanLength));
      for (let at = 0; at < length; at++) sums[at] = (sums[at] ?? 0) + factor * (counts[first + at] ?? 0);
    }
  };
}

/** Puts passages beyond their page's share behind all others; those of a clearly leading page only behind those that are not far weaker. */
function capByPage(sorted: readonly RankedPassage[]): readonly RankedPassage[] {
  const taken = new Map<string, number>();
  const best = sorted[0]?.candidate.pageUrl;
  const next = sorted.find(({ candidate }) => candidate.pageUrl !== best)?.score ?? 0;
  const leads = (sorted[0]?.score ?? 0) >= weights.lead * next;
  const placed = sorted.map((one, at) => {
    const { pageUrl } = one.candidate;
    const before = taken.get(pageUrl) ?? 0;
    taken.set(pageUrl, before + 1);
    if (before < weights.perPage[pageUrl === best ? "best" : "other"]) return { one, at, place: one.score };
    const isNext = leads && pageUrl === best && before < weights.leading.atMost;
    return { one, at, place: isNext ? weights.leading.share * one.score : 0 };
  });
  return placed.toSorted((a, b) => b.place - a.place || a.at - b.at).map(({ one }) => one);
}

function compare(a: RankedPassage, b: RankedPassage): number {
  if (a.score !== b.score) return b.score - a.score;
  return a.candidate.id < b.candidate.id ? -1 : 1;
}
