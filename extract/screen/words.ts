/** Searches texts for the words that signs need. */
export interface WordSearch {
  /** The signs that may be in a text, by their numbers, and what else it has. */
  search(text: string): { readonly possible: readonly number[] } & Readonly<Oddities>;
}

/** What words alone do not tell of a text. */
export interface Oddities {
  /** It has to be normalised to be read. */
  odd: boolean;
  /** It has a word of the search with hyphens in it. */
  hyphened: boolean;
  /** It has characters that are written as numbers, maybe: `%` or `\`, and a row of short words or numbers. */
  escaped: boolean;
  numbered: boolean;
  /** It has letters of a script that words are not searched in. */
  foreign: boolean;
}

/** States of reading a text: between words, inside of a word that is not one of these, and behind each beginning of one. */
const letters = 32;
const between = 0;
const elsewhere = letters;

/** What a character of ASCII is: a letter as 1 to 26, or one of these. */
const separator = 0;
const digit = 27;
const markup = 28;
/** What may look like a letter of ASCII, be invisible, or carry an accent. */
const strange = 29;
/** What makes an emoji of the character before it; behind a letter it hides a word. */
const selector = 30;
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[A-Za-z]/.test(character)) return code & 31;
  if (/\d/.test(character)) return digit;
  return /[*`~']/.test(character) ? markup : separator;
});

/** Single letters in a row that may be one word. */
const minApart = 5;

/** Signs between a hyphen and the rest of its word: a line break, and what stands before each line of a list or comment. */
const maxWrap = 12;

/** Length of a word in which digits may stand for letters. */
const minLikened = 4;
const maxLikened = 16;

/**
 * Searches texts for words, with a finite automaton (a trie with a state for other words). `needs` are, for each sign, sets of
 * which one has to be there: a word, or several, of which the longest is searched. Markup inside of a word is no part of it, as in `normalise`.
 */
export function createWordSearch(needs: readonly (readonly (readonly string[])[])[]): WordSearch {
  const sets = new Map<string, number>();
  const needed = needs.map((all) => all.map((set) => numberOf(sets, set.map(longest).join(" "))));
  const setsOf = new Map<string, number[]>();
  for (const [set, number] of sets) {
    for (const word of new Set(set.split(" "))) setsOf.set(word, [...(setsOf.get(word) ?? []), number]);
  }
  const automaton = createAutomaton([...setsOf.keys()]);
  /** For each word, from 1, the sets that have it. */
  const setsWith = [[], ...setsOf.values()];
  const has = new Uint8Array(sets.size);
  const found: number[] = [];
  const isFound = new Uint8Array(setsWith.length);
  return {
    search(text) {
      const oddities = read(text, automaton, isFound, found);
      has.fill(0);
      for (const word of found) {
        isFound[word] = 0;
        for (const set of setsWith[word] ?? []) has[set] = 1;
      }
      found.length = 0;
      const possible: number[] = [];
      for (let sign = 0; sign < needed.length; sign++) if (hasAll(has, needed[sign] ?? [])) possible.push(sign);
      return { possible, ...oddities };
    },
  };
}

function hasAll(has: Uint8Array, sets: readonly number[]): boolean {
  for (const set of sets) if (has[set] === 0) return false;
  return true;
}

/** The number of a set, a new one where it is not known. */
function numberOf(sets: Map<string, number>, set: string): number {
  const number = sets.get(set) ?? sets.size;
  sets.set(set, number);
  return number;
}

/** Of several words the longest: it is likely to be the rarest. */
function longest(group: string): string {
  return group.split(" ").reduce((one, other) => (other.length > one.length ? other : one), "");
}

/**
 * Adds the words that a text has, each once, and answers whether it has to be normalised to be read. A word with a hyphen or
 * capitals inside of it is read in one go as well.
 */
function read(text: string, { states, wordAt }: Automaton, isFound: Uint8Array, found: number[]): Oddities {
  const { length } = text;
  let odd = false;
  let state = between;
  /** What comes of the word with the parts before it, and how many signs such a part may be apart from here. */
  let whole = between;
  let patience = 0;
  let apart = 0;
  let size = 0;
  let digits = 0;
  let isLiken = false;
  let isSmall = false;
  let hyphened = false;
  let foreign = false;
  let escapes = 0;
  /** Short words in a row, and the most of them. */
  let short = 0;
  let shortest = 0;
  const add = (end: number): boolean => {
    const word = wordAt[end / letters] ?? 0;
    if (isFound[word] === 0) {
      isFound[word] = 1;
      found.push(word);
    }
    return word > 0;
  };
  for (let at = 0; at <= length; at++) {
    // Behind the end there is a separator.
    const code = at < length ? text.charCodeAt(at) : 0;
    const kind = code < 128 ? (kinds[code] ?? separator) : kindBeyond(code);
    if (kind > separator && kind < digit) {
      const isCapital = code < 97;
      if (isCapital && isSmall) {
        add(state);
        if (whole === between) whole = state;
        state = between;
      }
      isSmall = !isCapital;
      state = states[state + kind] ?? elsewhere;
      if (whole !== between) whole = states[whole + kind] ?? elsewhere;
      size++;
      if (digits > 0) isLiken = true;
    } else if (kind === digit) {
      state = elsewhere;
      whole = between;
      size++;
      digits += isLetterLike(code) ? 1 : maxLikened;
    } else if (kind === separator) {
      if (code === percent || code === backslash) escapes++;
      else if (code === ampersand && text.charCodeAt(at + 1) === hash) odd = true;
      if (code === less && size > 0 && isTagInWord(text, at)) odd = true;
      if (code >= 0x3040 && code < 0xd800) foreign = true;
      if (size === 0) {
        if (patience > 0 && --patience === 0) whole = between;
        continue;
      }
      apart = size === 1 && digits === 0 ? apart + 1 : 0;
      if (apart >= minApart || (isLiken && size >= minLikened && size <= maxLikened && size >= 3 * digits)) odd = true;
      add(state);
      if (whole !== between && add(whole) && patience > 0) hyphened = true;
      if (size > maxNumber) short = 0;
      else if (++short > shortest) shortest = short;
      if (code === hyphen) {
        if (whole === between) whole = state;
        patience = maxWrap;
      } else {
        whole = between;
        patience = 0;
      }
      state = between;
      size = 0;
      digits = 0;
      isLiken = false;
      isSmall = false;
    } else if (kind === strange || (kind === selector && size > 0)) {
      odd = true;
      if (code >= 0x370 && code < 0x2000) foreign = true;
    }
  }
  return { odd, foreign, hyphened, escaped: escapes >= minEscapes, numbered: shortest >= minNumbers };
}

/** Numbers of characters in a row, so long each, and characters that are written so one by one. */
const minNumbers = 15;
const maxNumber = 4;
const minEscapes = 4;

const percent = 37;
const backslash = 92;
const ampersand = 38;
const hyphen = 45;
const less = 60;

/** Longest tag inside of a word. */
const maxTag = 100;

/** Whether a tag begins at an offset behind a letter, and a letter stands behind it. */
function isTagInWord(text: string, at: number): boolean {
  const end = Math.min(text.length, at + maxTag);
  for (let next = at + 1; next < end; next++) {
    const character = text.charAt(next);
    if (character === ">") return /[A-Za-z<]/.test(text.charAt(next + 1));
    if (character === "<" || character === "\n") return false;
  }
  return false;
}
const hash = 35;

function kindBeyond(code: number): number {
  if (code === 0x2019) return markup;
  if (code === 0xfe0f) return selector;
  return isOrdinary(code) ? separator : strange;
}

/** True for 0, 1, 3, 4, 5 and 7. */
function isLetterLike(code: number): boolean {
  return code === 48 || code === 49 || code === 51 || code === 52 || code === 53 || code === 55;
}

/** False for what is strange. */
function isOrdinary(code: number): boolean {
  return (
    (code >= 0x2010 && code <= 0x2027) ||
    (code >= 0x2030 && code <= 0x205e) ||
    (code >= 0x20a0 && code <= 0x20cf) ||
    (code >= 0x2190 && code <= 0x245f) ||
    (code >= 0x2500 && code <= 0x2bff) ||
    (code >= 0x3000 && code <= 0x9fff) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xa0 && code <= 0xbf && code !== 0xad) ||
    code === 0xd83d ||
    code === 0xd83e ||
    (code >= 0xdc00 && code <= 0xdfff)
  );
}

type Automaton = ReturnType<typeof createAutomaton>;

function createAutomaton(words: readonly string[]) {
  const end = (2 + words.join("").length) * letters;
  /** At a state, which is a multiple of `letters`, plus a letter: the state behind that. */
  const states = new Uint32Array(end);
  /** At the number of a state: the number of the word that ends there, 0 for none. */
  const wordAt = new Uint16Array(end / letters);
  for (let state = between; state < end; state += letters) states.fill(elsewhere, state + 1, state + letters);
  let known = elsewhere + letters;
  for (const [index, word] of words.entries()) {
    let state = between;
    for (let at = 0; at < word.length; at++) {
      const step = state + (word.charCodeAt(at) & 31);
      if (states[step] === elsewhere) {
        states[step] = known;
        known += letters;
      }
      state = states[step] ?? elsewhere;
    }
    wordAt[state / letters] = index + 1;
  }
  return { states, wordAt };
}
