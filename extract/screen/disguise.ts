import { asItLooks } from "./look-alikes.ts";
import { isKnown } from "./vocabulary.ts";

/** Stands before letters that were apart, so that they are taken for more than one word: a character for private use. */
export const joined = "\uE000";

const beyondAscii = /[^\0-\x7F]/;
/** A name such as those of companies, which is not several words. */
const company = /^[A-Z][a-z]+AI$/;
/** Where a word of capitals and small letters is made of more than one. */
const humps = /(?<=[a-z])(?=[A-Z])/;
const digits: Readonly<Record<string, string>> = { 0: "o", 3: "e", 4: "a", 5: "s", 7: "t" };
/** Longest word that has digits for letters, and longest one that is taken apart, in characters. */
const maxLikened = 20;
const maxJoined = 200;
/** Longest word of a phrase that is looked for in letters without spaces, in characters. */
const maxPart = 16;

/** A word as it is read. */
export interface ReadWord {
  /** In lower case; several words with spaces between where it is made of several. */
  readonly plain: string;
  /** It is a word of phrases that was written with look-alikes, digits or gaps. */
  readonly isDisguised: boolean;
}

/** Reads a word of letters and digits of any alphabet. */
export function readWord(word: string): ReadWord {
  const lower = word.toLowerCase();
  if (/^[a-z]+$/.test(lower)) {
    const isMade = word !== lower && humps.test(word) && !company.test(word) && !isKnown(lower);
    return { plain: isMade ? word.split(humps).join(" ").toLowerCase() : lower, isDisguised: false };
  }
  const bare = /^[A-Za-z\d]+$/.test(word) ? word : word.replace(/['’\uE000]/g, "");
  const plain = bare.toLowerCase();
  if (isKnown(plain)) return { plain, isDisguised: false };
  if (beyondAscii.test(plain)) {
    const looks = asItLooks(bare);
    return { plain: looks ?? plain, isDisguised: looks !== undefined && isKnown(looks) };
  }
  const meant = withoutDigits(plain) ?? (word.startsWith(joined) ? separated(plain) : undefined);
  return { plain: meant ?? plain, isDisguised: meant !== undefined };
}

/** The word of phrases that a word with digits for letters looks like; undefined for any other. */
function withoutDigits(word: string): string | undefined {
  if (word.length > maxLikened || !/\d/.test(word) || !/[a-z]/.test(word)) return undefined;
  const letters = word.replace(/[03457]/g, (digit) => digits[digit] ?? digit);
  return ["i", "l"].map((one) => letters.replaceAll("1", one)).find(isKnown);
}

/** The words of phrases that letters without spaces are made of, the longest first; undefined where they are not. */
function separated(letters: string): string | undefined {
  if (letters.length > maxJoined) return undefined;
  const parts: string[] = [];
  for (let start = 0; start < letters.length;) {
    let end = Math.min(letters.length, start + maxPart);
    while (end > start && !isKnown(letters.slice(start, end))) end--;
    if (end === start) return undefined;
    parts.push(letters.slice(start, end));
    start = end;
  }
  return parts.length > 1 ? parts.join(" ") : undefined;
}
