/** How well a page answers a question: 3 fully, 2 an important part of it, 1 helps. */
export type Grade = 1 | 2 | 3;

/** What one answer is worth, each figure from 0 to 1. */
export interface Scores {
  /** One over the place of the first page that answers. */
  readonly mrr: number;
  readonly hit1: number;
  readonly hit3: number;
  readonly hit5: number;
  /** Share of the pages that answer which are among the first five. */
  readonly recall5: number;
  /** Discounted gain of the first five pages, over that of the best five there are. */
  readonly ndcg5: number;
}

/** The figures in the order in which they are printed. */
export const scoreNames = ["mrr", "hit1", "hit3", "hit5", "recall5", "ndcg5"] as const;

/** A page of this grade or a better one answers; one below only helps, and counts in nDCG alone. */
const answers: Grade = 2;
/** Places that MRR looks at. */
const depth = 10;

/**
 * Scores the pages of an answer, best first and each once, against the grades of a question. The gain of a page is
 * 2^grade - 1, discounted by log2(place + 1): the common definition of nDCG.
 */
export function score(pages: readonly string[], grades: ReadonlyMap<string, Grade>): Scores {
  const found = pages.slice(0, depth).map((page) => grades.get(page) ?? 0);
  const first = found.findIndex((grade) => grade >= answers);
  const within = (places: number): number => (first >= 0 && first < places ? 1 : 0);
  const all = [...grades.values()];
  const right = all.filter((grade) => grade >= answers).length;
  const best = gain(all.toSorted((a, b) => b - a));
  return {
    mrr: first < 0 ? 0 : 1 / (first + 1),
    hit1: within(1),
    hit3: within(3),
    hit5: within(5),
    recall5: right === 0 ? 0 : found.slice(0, 5).filter((grade) => grade >= answers).length / right,
    ndcg5: best === 0 ? 0 : gain(found) / best,
  };
}

/** The mean of each figure; all 0 where there are no answers. */
export function meanScores(all: readonly Scores[]): Scores {
  const mean = (name: (typeof scoreNames)[number]): number =>
    all.length === 0 ? 0 : all.reduce((sum, scores) => sum + scores[name], 0) / all.length;
  return {
    mrr: mean("mrr"),
    hit1: mean("hit1"),
    hit3: mean("hit3"),
    hit5: mean("hit5"),
    recall5: mean("recall5"),
    ndcg5: mean("ndcg5"),
  };
}

/** Each page once, where it came first. */
export function firstOccurrences(pages: readonly string[]): readonly string[] {
  return [...new Set(pages)];
}

function gain(grades: readonly number[]): number {
  return grades.slice(0, 5).reduce((sum, grade, at) => sum + (2 ** grade - 1) / Math.log2(at + 2), 0);
}
