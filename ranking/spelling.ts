import { errorsBetween } from "./names.ts";

/** Lengths of words that are corrected, in characters, and from which on two errors are forgiven. */
const minWordLength = 5;
const maxWordLength = 40;
const longWord = 8;
/** Shorter words with another letter or one more are mostly other words: clock and click, stripe and strip. */
const ownWord = 7;
/** How much longer than a term a misspelt word may be, where an error in its ending kept it from being stemmed. */
const maxEndingLength = 8;
/** Corrections of one word, and words of one question that are corrected: each takes a look at many terms. */
const maxCorrections = 2;
const maxMisspelt = 3;

/** A term of a generation, and in how many passages it occurs. */
export type KnownTerm = readonly [term: string, frequency: number];

/** Which terms may be near to a word: those in an alphabetical range and of some lengths. */
export interface SpellingRange {
  readonly from: string;
  /** Behind the last. */
  readonly before: string;
  readonly shortest: number;
  readonly longest: number;
}

/**
 * Where to look for corrections of a word: among the terms with its first letter, as hardly anybody mistypes that one.
 * Undefined for words that are not corrected: short ones, and what is more than letters.
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
 * The terms that are spelt most nearly like the word, the more frequent first; none where none is near. A term may also
 * be the beginning of the word, since a misspelt ending is not stemmed.
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

/** The words of a question that a generation does not have and that are looked for by their spelling, three at most. */
export function misspeltWords(words: readonly string[], frequency: ReadonlyMap<string, number>): readonly string[] {
  return words.filter((word) => frequency.get(word) === 0 && spellingRange(word) !== undefined).slice(0, maxMisspelt);
}

/** What stands in for misspelt words, of the terms near each; `frequency` is told how often those terms occur. */
export function correctionsOf(
  near: Iterable<readonly [word: string, terms: readonly KnownTerm[]]>,
  frequency: Map<string, number>,
): ReadonlyMap<string, readonly string[]> {
  const corrections = new Map<string, readonly string[]>();
  for (const [word, terms] of near) {
    for (const [term, count] of terms) frequency.set(term, count);
    if (terms.length > 0)
      corrections.set(
        word,
        terms.map(([term]) => term),
      );
  }
  return corrections;
}

/** Typing errors between a word and a term; Infinity where there are more than are forgiven. */
function errorsOf(word: string, letters: number, term: string): number {
  const most = toleratedErrors(word);
  if (word.startsWith(term) && term.length > minWordLength && term.length < word.length) return most;
  const others = letters ^ lettersOf(term);
  if (word.length < ownWord && (term.length < word.length || (term.length === word.length && others !== 0)))
    return Infinity;
  // An error changes two letters at most: a quick look leaves few terms to be compared.
  return bitsIn(others) > 2 * most ? Infinity : errorsBetween(word, term, most);
}

/** A bit for each letter from a to z that is in the word. */
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
