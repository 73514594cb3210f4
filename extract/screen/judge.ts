import type { Finding } from "../../domain/passage.ts";

/** A sign in a text. */
export interface Hit {
  /** Where, in characters of what was read, or `everywhere`. */
  readonly at: number;
  readonly reason: Finding;
  readonly weight: number;
}

export const everywhere = -1;

/** Sum of weights at which a text is held back; of each reason the heaviest sign counts. */
export const limit = 4;

/** Maximum distance of signs that count together, in characters: a few sentences. */
const reach = 250;

/** The reasons whose weights, within reach of each other, reach the limit. */
export function judge(hits: readonly Hit[]): readonly Finding[] {
  const near = new Map<Finding, Hit>();
  const found = new Set<Finding>();
  for (const hit of hits.toSorted((one, other) => one.at - other.at)) {
    const before = near.get(hit.reason);
    if (before === undefined || hit.weight >= before.weight || !reaches(before, hit)) near.set(hit.reason, hit);
    const together = [...near.values()].filter((one) => reaches(one, hit));
    if (together.reduce((sum, { weight }) => sum + weight, 0) < limit) continue;
    for (const { reason } of together) found.add(reason);
  }
  return [...found];
}

function reaches(one: Hit, later: Hit): boolean {
  return one.at === everywhere || later.at - one.at <= reach;
}
