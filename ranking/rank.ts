import { searchFields } from "../domain/ports.ts";
import type { Candidate, Candidates, Question } from "../domain/ports.ts";
import { conceptsOf, countConcepts, saturate } from "./concepts.ts";
import type { Concepts } from "./concepts.ts";
import { pagesOf, scoreOnPage } from "./pages.ts";
import type { Place } from "./pages.ts";
import { weights } from "./weights.ts";

/** Version of the order; part of what cached answers are known by. */
export const rankerVersion = "9";

/** A candidate with its score: higher is better, comparable within one answer only. */
export interface RankedSnippet {
  readonly candidate: Candidate;
  readonly score: number;
}

/** A candidate with what it is ordered by. */
interface Scored extends RankedSnippet {
  /** What each concept of the question earned it; empty unless the question compares. */
  readonly earned: Float64Array;
}

const unread = new Float64Array(0);
const titleField = searchFields.indexOf("title");

/**
 * Orders candidates: BM25F with the statistics of their generation; then what their pages and their titles say for them,
 * where on its page each stands and how short it is; both sides of a comparison at the front; and no page with more than
 * its share before the others had their turn. What is far worse than the best is left out. Equal scores are ordered by id.
 */
export function rank(question: Question, candidates: Candidates, limit: number): RankedSnippet[] {
  const concepts = conceptsOf(question, candidates);
  const found = scoreAll(question, concepts, candidates).toSorted(compare);
  const [best] = found;
  const sorted = best === undefined ? [] : found.filter((one) => one.score >= leastOf(one, best) * best.score);
  return inTurns(bothSides(question, concepts, sorted))
    .slice(0, limit)
    .map(({ candidate, score }) => ({ candidate, score }));
}

/** Scores the candidates that have anything of what is asked. */
function scoreAll(question: Question, concepts: Concepts, found: Candidates): Scored[] {
  const counts = countConcepts(concepts, found);
  const score = scorer(question, concepts, found, counts);
  return pagesOf(question, concepts, found, counts).flatMap((page) => {
    const alone = page.candidates.map(score).filter(({ own }) => own > 0);
    const best = alone.map(({ own }) => own).toSorted((a, b) => b - a);
    return alone.map(({ candidate, earned, own, besides }) => ({
      candidate,
      earned,
      score: scoreOnPage(page, best, own, besides) * formFactor(candidate),
    }));
  });
}

/** Scores a candidate by itself: `own` for what its fields say, `besides` for its title as a whole. */
function scorer({ sides }: Question, { worth }: Concepts, found: Candidates, counts: Float64Array) {
  const all = worth.reduce((sum, one) => sum + one, 0);
  const sums = new Float64Array(worth.length);
  const fields = searchFields.map((field) => ({
    weight: weights.field[field],
    meanLength: Math.max(found.averageLength[field], 1),
  }));
  return ({ candidate, place }: Place) => {
    sums.fill(0);
    let besides = 0;
    for (let number = 0; number < fields.length; number++) {
      const field = fields[number];
      const length = candidate.lengths[number] ?? 0;
      if (field === undefined || length === 0) continue;
      const { weight, meanLength } = field;
      const first = (place * fields.length + number) * worth.length;
      if (number === titleField) besides = weights.saidTitle * all * saidShare(counts, first, length, worth.length);
      const factor = weight / (1 - weights.normalisation + weights.normalisation * (length / meanLength));
      for (let at = 0; at < sums.length; at++) sums[at] = (sums[at] ?? 0) + factor * (counts[first + at] ?? 0);
    }
    const own = saturate(sums, worth, weights.saturation);
    return { candidate, earned: sides.length < 2 ? unread : sums.slice(), own, besides };
  };
}

/** The share of a field's words that the question says; its counts begin at `first`. */
function saidShare(counts: Float64Array, first: number, length: number, concepts: number): number {
  let said = 0;
  for (let at = 0; at < concepts; at++) said += Math.min(counts[first + at] ?? 0, 1);
  return Math.min(said / length, 1);
}

/** What its place on the page and its size say for a snippet. */
function formFactor({ belowTitle, tokens }: Candidate): number {
  return (belowTitle ? weights.belowTitle : 1) * (tokens < weights.short.tokens ? weights.short.counts : 1);
}

/** The share of the best one's score that a snippet has to reach. */
function leastOf({ candidate }: Scored, best: Scored): number {
  const elsewhere = candidate.pageUrl !== best.candidate.pageUrl;
  return candidate.kind === "code" && elsewhere ? weights.least.codeElsewhere : weights.least.any;
}

/** Lets the best page about each side of a comparison in behind the best of all. */
function bothSides({ sides }: Question, { of }: Concepts, sorted: readonly Scored[]): readonly Scored[] {
  const [best] = sorted;
  if (best === undefined || sides.length < 2) return sorted;
  const front = [best];
  for (const side of sides) {
    const others = new Set(sides.filter((other) => other !== side).flat());
    const own = side.filter((term) => !others.has(term)).map((term) => of.get(term) ?? 0);
    const earned = sorted.map((one) => own.reduce((sum, concept) => sum + (one.earned[concept] ?? 0), 0));
    const most = Math.max(...earned);
    if (most === 0) continue;
    const about = sorted.map(
      ({ score }, at) => (earned[at] ?? 0) / most + (weights.wholeBesideSide * score) / best.score,
    );
    const favourite = sorted[about.indexOf(Math.max(...about))];
    if (favourite !== undefined && !front.some(({ candidate }) => candidate.pageUrl === favourite.candidate.pageUrl))
      front.push(favourite);
  }
  return [...front, ...sorted.filter((one) => !front.includes(one))];
}

/** Puts what goes beyond a page's share behind all others. */
function inTurns(sorted: readonly Scored[]): readonly Scored[] {
  const taken = new Map<string, number>();
  const beyond = new Set<Scored>();
  for (const one of sorted) {
    const before = taken.get(one.candidate.pageUrl) ?? 0;
    if (before >= weights.perPage) beyond.add(one);
    taken.set(one.candidate.pageUrl, before + 1);
  }
  return [...sorted.filter((one) => !beyond.has(one)), ...beyond];
}

function compare(a: RankedSnippet, b: RankedSnippet): number {
  if (a.score !== b.score) return b.score - a.score;
  return a.candidate.id < b.candidate.id ? -1 : 1;
}
