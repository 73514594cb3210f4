import { digit, isLetterLike, isOfOtherScript, kindOf, selector, separator, strange } from "./characters.ts";
import { elsewhere, start, stateSize } from "./trie.ts";
import type { Trie } from "./trie.ts";

/** What words alone do not tell of a text. */
export interface Oddities {
  /** It has to be normalised to be read. */
  readonly odd: boolean;
  /** It has a word of the trie with hyphens in it. */
  readonly hyphened: boolean;
  /** It may have characters that are written as numbers: with `%` or `\`, or as a row of short words or numbers. */
  readonly escaped: boolean;
  readonly numbered: boolean;
  /** It has letters of a script that words are not searched in. */
  readonly foreign: boolean;
}

/** Minimum number of single letters in a row that may be one word. */
const minApart = 5;
/** Maximum number of signs between a hyphen and the rest of its word: a line break, and what stands before each line of a list or comment. */
const maxWrap = 12;
/** Length of a word in which digits may stand for letters. */
const minLikened = 4;
const maxLikened = 16;
/** Minimum number of characters that are written as numbers in a row, the maximum length of each, and the minimum of escapes. */
const minNumbers = 15;
const maxNumber = 4;
const minEscapes = 4;
/** Longest tag inside of a word. */
const maxTag = 100;

const hash = 35;
const percent = 37;
const ampersand = 38;
const hyphen = 45;
const less = 60;
const backslash = 92;

/**
 * Reads a text once, and adds the numbers of the words of the trie that it has to `found`. Markup inside of a word is not
 * part of it, as in `normalise`. A word with hyphens or capitals inside is read both in parts and as a whole.
 */
export function scan(text: string, { next, wordAt }: Trie, found: Set<number>): Oddities {
  let [odd, hyphened, foreign] = [false, false, false];
  let escapes = 0;
  /** Short words in a row, and the most of them. */
  let short = 0;
  let mostShort = 0;
  /** Single letters in a row. */
  let apart = 0;
  // Of the word that is read: its length, its digits, whether a letter follows one, and whether the last letter is a small one.
  let size = 0;
  let digits = 0;
  let isLikened = false;
  let isSmall = false;
  let state = start;
  /** The state behind this part and those before it as one word, `start` where there are none, and how many signs may follow before the next part. */
  let whole = start;
  let patience = 0;
  const add = (end: number): boolean => {
    const word = wordAt[end / stateSize] ?? 0;
    if (word > 0) found.add(word);
    return word > 0;
  };
  for (let at = 0; at <= text.length; at++) {
    // Behind the end there is a separator.
    const code = at < text.length ? text.charCodeAt(at) : 0;
    const kind = kindOf(code);
    if (kind > separator && kind < digit) {
      const isCapital = code < 97;
      if (isCapital && isSmall) {
        add(state);
        if (whole === start) whole = state;
        state = start;
      }
      isSmall = !isCapital;
      state = next[state + kind] ?? elsewhere;
      if (whole !== start) whole = next[whole + kind] ?? elsewhere;
      size++;
      if (digits > 0) isLikened = true;
    } else if (kind === digit) {
      state = elsewhere;
      whole = start;
      size++;
      digits += isLetterLike(code) ? 1 : maxLikened;
    } else if (kind === separator) {
      if (code === percent || code === backslash) escapes++;
      else if (code === ampersand && text.charCodeAt(at + 1) === hash) odd = true;
      else if (code === less && size > 0 && isTagInWord(text, at)) odd = true;
      else if (isOfOtherScript(code)) foreign = true;
      if (size === 0) {
        if (patience > 0 && --patience === 0) whole = start;
        continue;
      }
      apart = size === 1 && digits === 0 ? apart + 1 : 0;
      if (apart >= minApart) odd = true;
      if (isLikened && size >= minLikened && size <= maxLikened && size >= 3 * digits) odd = true;
      short = size <= maxNumber ? short + 1 : 0;
      if (short > mostShort) mostShort = short;
      add(state);
      if (whole !== start && add(whole) && patience > 0) hyphened = true;
      if (code !== hyphen) whole = start;
      else if (whole === start) whole = state;
      patience = code === hyphen ? maxWrap : 0;
      state = start;
      size = 0;
      digits = 0;
      isLikened = false;
      isSmall = false;
    } else if (kind === strange || (kind === selector && size > 0)) {
      odd = true;
      if (isOfOtherScript(code)) foreign = true;
    }
  }
  return { odd, hyphened, foreign, escaped: escapes >= minEscapes, numbered: mostShort >= minNumbers };
}

/** Whether a tag begins at an offset behind a letter, and a letter or another tag stands behind it. */
function isTagInWord(text: string, at: number): boolean {
  const end = Math.min(text.length, at + maxTag);
  for (let next = at + 1; next < end; next++) {
    const character = text.charAt(next);
    if (character === ">") return /[A-Za-z<]/.test(text.charAt(next + 1));
    if (character === "<" || character === "\n") return false;
  }
  return false;
}
