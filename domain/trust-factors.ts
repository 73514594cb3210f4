import { day } from "./days.ts";

/** A part of a score. */
export interface TrustFactor {
  readonly name: string;
  /** Its weight, in hundredths of all factors. */
  readonly weight: number;
  /** 0 to 1. */
  readonly value: number;
  /** Its reason, as a sentence. */
  readonly reason: string;
}

/** A cap of a score, with its reason. */
export interface TrustCap {
  readonly cap: number;
  readonly reason: string;
}

export const year = 365.25 * day;

/** A factor; none where its fact is unknown. The result of `valueOf` is clamped to 0 to 1. */
export function factor(
  name: string,
  weight: number,
  fact: number | null,
  valueOf: (known: number) => number,
  reasonOf: (known: number) => string,
): readonly TrustFactor[] {
  return fact === null
    ? []
    : [{ name, weight, value: Math.min(1, Math.max(0, valueOf(fact))), reason: reasonOf(fact) }];
}

/** Logarithmic: 1 at the given power of ten. */
export function upTo(powers: number): (count: number) => number {
  return (count) => Math.log10(1 + Math.max(0, count)) / powers;
}

/** Decays to a third per year without a change. */
export function freshness(now: number): (at: number) => number {
  return (at) => Math.exp(-(now - at) / (365 * day));
}
