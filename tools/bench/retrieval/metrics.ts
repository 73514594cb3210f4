/** How well a page answers a question: 3 fully, 2 an important part of it, 1 helps. */
export type Grade = 1 | 2 | 3;

/** Scores of one answer, each from 0 to 1. */
export interface Scores {
  /** Reciprocal rank of the first page that answers. */
  readonly mrr: number;
  readonly hit1: number;
  readonly hit3: number;
  readonly hit5: number;
  /** Share of the answering pages that are among the first five. */
  readonly recall5: number;
  /** Discounted gain of the first five pages, divided by that of the best five. */
  readonly ndcg5: number;
}

/** Scores in the order of the tables. */
export const scoreNames = ["mrr", "hit1", "hit3", "hit5", "recall5", "ndcg5"] as const;

/** Pages of this grade or better answer; lower ones only help, and count in nDCG alone. */
const answers: Grade = 2;
/** Number of places for MRR. */
const depth = 10;

/**
 * Scores the pages of an answer, best first and each once, against the grades of a question. The gain of a page is
 * 2^grade - 1, discounted by log2(place + 1): the common definition of nDCG.
 */
export function score(pages: readonly string[], grades: ReadonlyMap<string, Grade>): Scores {
  const ranked = pages.slice(0, depth).map((page) => grades.get(page) ?? 0);
  const first = ranked.findIndex((grade) => grade >= answers);
  const within = (places: number): number => (first >= 0 && first < places ? 1 : 0);
  const all = [...grades.values()];
  const right = all.filter((grade) => grade >= answers).length;
  const best = gain(all.toSorted((a, b) => b - a));
  return {
    mrr: first < 0 ? 0 : 1 / (first + 1),
    hit1: within(1),
    hit3: within(3),
    hit5: within(5),
    recall5: right === 0 ? 0 : ranked.slice(0, 5).filter((grade) => grade >= answers).length / right,
    ndcg5: best === 0 ? 0 : gain(ranked) / best,
  };
}

/** The mean of each score; all 0 without answers. */
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

/** Each page once, at its first place. */
export function firstOccurrences(pages: readonly string[]): readonly string[] {
  return [...new Set(pages)];
}

function gain(grades: readonly number[]): number {
  return grades.slice(0, 5).reduce((sum, grade, at) => sum + (2 ** grade - 1) / Math.log2(at + 2), 0);
}
