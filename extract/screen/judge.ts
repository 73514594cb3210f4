import type { Finding } from "../../domain/passage.ts";

/** A sign in a text. */
export interface Hit {
  /** About where, in characters, or `everywhere`. */
  readonly at: number;
  readonly reason: Finding;
  readonly weight: number;
  /** What it weighs where nothing makes it less; absent: it is never strong. */
  readonly full?: number;
}

export const everywhere = -1;

/** Sum of weights at which a text is quarantined; of each reason the heaviest sign counts. */
const limit = 3.5;

/** Reasons of which a text needs one, unless a sign is enough by itself: without an agent that is meant, an order is documentation. */
const telling: ReadonlySet<Finding> = new Set([
  "override",
  "addressed_to_agents",
  "conceals",
  "sends_secrets",
  "asks_for_prompt",
  "new_role",
  "feigns_conversation",
]);

/** Two reasons of this weight count in full, whatever is around them. */
const strong = 3;
const strongAddress = 2;

/** Maximum distance, in characters, of signs that count together. */
const reach = 250;
/** Whom a text is said to is told in the same sentence or the one beside it. */
const addressReach = 160;

type Weighed = Pick<Hit, "reason" | "weight">;

/** Whether a sign tells that an agent is meant, or is enough by itself. */
export function tells({ reason, weight }: Weighed): boolean {
  return telling.has(reason) || weight >= limit;
}

/** Whether signs reach the limit if a text has all of them next to each other. */
export function mayReach(signs: readonly Weighed[]): boolean {
  if (!signs.some(tells)) return false;
  const heaviest = new Map<Finding, number>();
  for (const { reason, weight } of signs) heaviest.set(reason, Math.max(weight, heaviest.get(reason) ?? 0));
  return [...heaviest.values()].reduce((sum, weight) => sum + weight, 0) >= limit;
}

/** The reasons whose weights, within reach of each other, reach the limit. */
export function judge(hits: readonly Hit[]): readonly Finding[] {
  const near = new Map<Finding, Hit>();
  const found = new Set<Finding>();
  for (const hit of hits.toSorted((one, other) => one.at - other.at)) {
    const before = near.get(hit.reason);
    if (before === undefined || hit.weight >= before.weight || !reaches(before, hit)) near.set(hit.reason, hit);
    const together = [...near.values()].filter((one) => reaches(one, hit));
    const countsInFull = together.filter(isStrong).length > 1;
    const sum = together.reduce((total, { weight, full = weight }) => total + (countsInFull ? full : weight), 0);
    if (sum >= limit && together.some(tells)) for (const { reason } of together) found.add(reason);
  }
  return [...found];
}

function isStrong({ reason, full = 0 }: Hit): boolean {
  return full >= (reason === "addressed_to_agents" ? strongAddress : strong) && telling.has(reason);
}

/** Whether a hit counts together with a later one. */
function reaches(one: Hit, later: Hit): boolean {
  const isAddress = one.reason === "addressed_to_agents" || later.reason === "addressed_to_agents";
  return one.at === everywhere || later.at - one.at <= (isAddress ? addressReach : reach);
}
