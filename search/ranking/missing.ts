import type { Candidates, Question } from "../../domain/ports.ts";
import { isCommon } from "./common-words.ts";
import { stopWords } from "./question.ts";
import { termsOf } from "./terms.ts";
import { wordsOf } from "./words.ts";

/** Maximum number of words that are named. */
const maxNamed = 3;

/**
 * Rare words of a question that no passage of the generation has, as they are written, each once and three at most: neither their terms
 * nor any stand-in, such as a synonym or a correction. Numbers and common English words do not count, unless a capital within the
 * question marks a name.
 */
export function missingWords(
  query: string,
  { terms, standIns }: Question,
  { documentFrequency, corrections }: Pick<Candidates, "documentFrequency" | "corrections">,
): readonly string[] {
  const asked = new Set(terms);
  const isThere = (term: string): boolean =>
    documentFrequency.get(term) !== 0 || (corrections.get(term) ?? []).length > 0;
  const meant = new Set([...standIns].flatMap(([other, term]) => (isThere(other) ? [term] : [])));
  const missing = new Map<string, string>();
  for (const [at, word] of wordsOf(query).entries()) {
    const own = termsOf(word);
    if (own.length === 0 || stopWords.has(word.toLowerCase()) || !own.every((term) => asked.has(term))) continue;
    if (own.some((term) => isThere(term) || meant.has(term))) continue;
    const [first = ""] = own;
    const isName = at > 0 && /^\p{Lu}/u.test(word);
    if (!/\p{L}/u.test(word) || /^\p{N}/u.test(word) || (isCommon(first) && !isName)) continue;
    if (!missing.has(first)) missing.set(first, word);
  }
  return [...missing.values()].slice(0, maxNamed);
}
