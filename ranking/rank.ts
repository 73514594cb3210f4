import { searchFields } from "../domain/ports.ts";
import type { Candidate, Candidates, Question } from "../domain/ports.ts";
import { createBesideTest, isOperation } from "./beside.ts";
import type { BesideTest } from "./beside.ts";
import { conceptsOf, countConcepts, saturate } from "./concepts.ts";
import type { Concepts } from "./concepts.ts";
import { pagesOf } from "./pages.ts";
import type { PlacedCandidate } from "./pages.ts";
import { weights } from "./weights.ts";

/** Version of the order; part of what cached answers are known by. */
export const rankerVersion = "16";

/** What puts a passage before one of the same score. */
const slightly = 1.0001;
const breadcrumbField = searchFields.indexOf("breadcrumb");

/** A candidate with its score: higher is better, comparable within one answer only. */
export interface RankedPassage {
  readonly candidate: Candidate;
  readonly score: number;
  readonly parts: ScoreParts;
}

/** What a score is made of: `factor * (own + beside + page)`, but of what stands first on the page of an operation the best of that page. */
export interface ScoreParts {
  /** For what its own fields say. */
  readonly own: number;
  /** For what another passage of its page says. */
  readonly beside: number;
  /** For what its page says and is called. */
  readonly page: number;
  readonly factor: number;
}

/**
 * Orders candidates: BM25F with the statistics of their generation; then what their pages say for them and where on its page
 * each stands; and no page with more than its share before the others had their turn. What is far worse than the best is
 * left out. Equal scores are ordered by id.
 */
export function rank(question: Question, candidates: Candidates, limit: number): RankedPassage[] {
  const isBeside = createBesideTest(question, candidates.candidates);
  const sorted = scoreAll(conceptsOf(question, candidates), candidates, isBeside).toSorted(compare);
  const least = weights.least * (sorted[0]?.score ?? 0);
  return capByPage(sorted.filter(({ score }) => score >= least)).slice(0, limit);
}

/** Scores the candidates that have anything of what is asked. */
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
 * Of a page of an operation the passages that its sections stand below, which say how it is called, are worth what the best of
 * its passages is worth: whichever was found, the request comes first.
 */
function withRequestFirst(page: readonly RankedPassage[]): readonly RankedPassage[] {
  if (!isOperation(page[0]?.candidate.pageUrl ?? "")) return page;
  const depthOf = ({ lengths }: Candidate): number => lengths[breadcrumbField] ?? 0;
  const least = Math.min(...page.map(({ candidate }) => depthOf(candidate)));
  const best = Math.max(...page.map(({ score }) => score));
  return page.map((one) => (depthOf(one.candidate) === least ? { ...one, score: best * slightly } : one));
}

/** Scores a candidate by itself, for what its fields say. */
function scorer({ worth }: Concepts, found: Candidates, counts: Float64Array): (place: PlacedCandidate) => number {
  const sums = new Float64Array(worth.length);
  const weigh = weigher(worth.length, found, counts);
  return (place) => {
    weigh(place, sums);
    return saturate(sums, worth);
  };
}

/** Sums how often a candidate has each of so many concepts, as its fields weigh. */
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

/** Puts what goes beyond a page's share behind all others; of the best page behind those only that are not far weaker. */
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
