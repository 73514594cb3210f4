import { seededRandom } from "../measure.ts";

/** The difference of two systems over the same questions. */
export interface PairedDifference {
  /** Mean of the differences. */
  readonly mean: number;
  /** Bounds of the mean with 95 % confidence: percentiles of the bootstrap. */
  readonly low: number;
  readonly high: number;
  /** Two-sided probability of a difference as large as this between equally good systems. */
  readonly p: number;
}

/** Number of resamplings of each test; the least p is 1 / (rounds + 1). */
const rounds = 20_000;

/**
 * The difference of paired values, with p of a permutation test that flips the signs of differences at random, and a bootstrap interval.
 * The seed is fixed, so that equal input gives equal figures.
 */
export function pairedDifference(values: readonly number[], others: readonly number[]): PairedDifference {
  if (values.length !== others.length || values.length === 0)
    throw new Error("A paired difference needs as many values of one system as of the other, and at least one.");
  const differences = Float64Array.from(values, (value, at) => value - (others[at] ?? 0));
  const count = differences.length;
  const mean = differences.reduce((sum, value) => sum + value, 0) / count;
  const random = seededRandom(0x1ec7e4);
  // Sums in another order differ in their last digits.
  const least = Math.abs(mean) * count - 1e-9;
  let asLarge = 0;
  const means = new Float64Array(rounds);
  for (let round = 0; round < rounds; round += 1) {
    let flipped = 0;
    let drawn = 0;
    for (const difference of differences) {
      flipped += random() < 0.5 ? difference : -difference;
      drawn += differences[Math.floor(random() * count)] ?? 0;
    }
    if (Math.abs(flipped) >= least) asLarge += 1;
    means[round] = drawn / count;
  }
  means.sort();
  const percentile = (share: number): number => means[Math.floor(share * (rounds - 1))] ?? 0;
  return { mean, low: percentile(0.025), high: percentile(0.975), p: (asLarge + 1) / (rounds + 1) };
}
