import type { Finding } from "../../domain/passage.ts";
import { alternativesOf, phrase } from "./phrase.ts";

/** A sign of an order to the reader's agent. */
export interface Sign {
  readonly reason: Finding;
  readonly pattern: RegExp;
  /** What it is searched in: the codes of normalised words, these words, or the text as it is. */
  readonly in: "codes" | "words" | "text";
  /** How much it says; see `limit`. */
  readonly weight: number;
  /** A text with the sign has at least one word of each of these sets; a word may be several with spaces between. */
  readonly needs: readonly (readonly string[])[];
  /** A text with the sign also has at least one of these. */
  readonly marks?: readonly string[];
  /** It does what it is a sign of, so that it counts in full in code. */
  readonly itself?: true;
}

/** Phrases, which are searched in normalised words. */
export function phrases(reason: Finding, weight: number, ...sources: readonly string[]): readonly Sign[] {
  return sources.map((source) => ({ reason, weight, in: "codes", ...phrase(source) }));
}

/** A pattern in the text as it is. `needs` are sets of words in the notation of phrases. */
export function pattern(
  reason: Finding,
  weight: number,
  expression: RegExp,
  needs: string,
  more: Pick<Sign, "marks" | "itself"> = {},
): Sign {
  return { reason, weight, in: "text", pattern: expression, needs: needs.split(" ").map(alternativesOf), ...more };
}
