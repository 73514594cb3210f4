import { errorsBetween } from "./names.ts";

/** Minimum and maximum length of words that are corrected, and minimum length of words with two errors. */
const minWordLength = 5;
const maxWordLength = 40;
const longWord = 8;
/** Minimum length of words with a wrong or an additional letter: shorter ones are mostly other words, such as clock and click. */
const ownWord = 7;
/** Maximum number of characters by which a misspelt word exceeds a term, as a misspelt ending is not stemmed. */
const maxEndingLength = 8;
/** Maximum number of corrections of a word, and of corrected words of a question: each compares many terms. */
const maxCorrections = 2;
const maxMisspelt = 3;

/** A term of a generation with the number of passages that have it. */
export type KnownTerm = readonly [term: string, frequency: number];

/** The terms that are compared with a word, by alphabet and length. */
export interface SpellingRange {
  readonly from: string;
  /** The first text after the range. */
  readonly before: string;
  readonly shortest: number;
  readonly longest: number;
}

/**
 * The range of terms that may correct a word: those with its first letter, which is rarely mistyped. Undefined for words that are
 * not corrected: short ones, and those with other characters than letters.
 */
export function spellingRange(word: string): SpellingRange | undefined {
  if (word.length < minWordLength || word.length > maxWordLength || !/^[a-z]+$/.test(word)) return undefined;
  return {
    from: word.slice(0, 1),
    before: String.fromCharCode(word.charCodeAt(0) + 1),
    shortest: Math.max(minWordLength - 1, word.length - maxEndingLength),
    longest: word.length + toleratedErrors(word),
  };
}

/**
 * The terms with the fewest differences from the word, frequent ones first; empty if none is near. A term may also be the beginning
 * of the word, as a misspelt ending is not stemmed.
 */
export function nearestTerms(word: string, terms: Iterable<KnownTerm>): readonly KnownTerm[] {
  let near: KnownTerm[] = [];
  let least = Infinity;
  const letters = lettersOf(word);
  for (const known of terms) {
    const errors = errorsOf(word, letters, known[0]);
    if (errors > least || errors === Infinity) continue;
    if (errors < least) near = [];
    least = errors;
    near.push(known);
  }
  return near.toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, maxCorrections);
}

/** The words of a question that a generation lacks and that may be corrected. */
export function misspeltWords(words: readonly string[], frequency: ReadonlyMap<string, number>): readonly string[] {
  return words.filter((word) => frequency.get(word) === 0 && spellingRange(word) !== undefined).slice(0, maxMisspelt);
}

/** The corrections of misspelt words, from the terms near each. Adds the frequencies of those terms to `frequency`. */
export function correctionsOf(
  near: Iterable<readonly [word: string, terms: readonly KnownTerm[]]>,
  frequency: Map<string, number>,
): ReadonlyMap<string, readonly string[]> {
  const corrections = new Map<string, readonly string[]>();
  for (const [word, terms] of near) {
    for (const [term, count] of terms) frequency.set(term, count);
    const names = terms.map(([term]) => term);
    if (names.length > 0) corrections.set(word, names);
  }
  return corrections;
}

/** The number of typing errors between a word and a term; Infinity if too many. */
function errorsOf(word: string, letters: number, term: string): number {
  const most = toleratedErrors(word);
  if (word.startsWith(term) && term.length > minWordLength && term.length < word.length) return most;
  const others = letters ^ lettersOf(term);
  if (word.length < ownWord && (term.length < word.length || (term.length === word.length && others !== 0)))
    return Infinity;
  // A quick pre-check: an error changes the set of letters by at most two.
  return bitsIn(others) > 2 * most ? Infinity : errorsBetween(word, term, most);
}

/** The set of letters from a to z in the word, one bit each. */
function lettersOf(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) - 97);
  return letters;
}

function bitsIn(value: number): number {
  let count = 0;
  for (let rest = value; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

function toleratedErrors(word: string): number {
  return word.length < longWord ? 1 : 2;
}
