import type { Finding } from "../../domain/passage.ts";
import { phrase } from "./phrases.ts";

/** A sign of an order to the reader's agent. */
export interface Sign {
  readonly reason: Finding;
  readonly pattern: RegExp;
  /** What it is searched in: the codes of normalised words, these words, or the text as it is. */
  readonly in: "codes" | "words" | "text";
  /** How much it says. A text is quarantined at a sum of `limit`; of each reason the heaviest sign counts. */
  readonly weight: number;
  /** A text that has the sign has one at least of each of these: words, or several with spaces between. */
  readonly needs: readonly (readonly string[])[];
  /** It does what it is a sign of, so that it counts in full in code. */
  readonly itself?: boolean;
  /** It is written in a script that words are not searched in. */
  readonly foreign?: boolean;
  /** It also has one of these. */
  readonly marks?: readonly string[];
}

/** Sum of weights at which a text is quarantined. */
export const limit = 3.5;

/** Phrases in normalised words. */
export function words(reason: Finding, weight: number, ...phrases: readonly string[]): readonly Sign[] {
  return phrases.map((source) => ({ reason, weight, in: "codes", ...phrase(source) }));
}

/** A pattern in the text as it is. */
export function raw(reason: Finding, weight: number, pattern: RegExp, more: Partial<Sign> = {}): Sign {
  return { reason, weight, in: "text", pattern, needs: [], ...more };
}
