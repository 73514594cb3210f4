/** Searches texts for the words that signs need. */
export interface WordSearch {
  /** The signs that may be in a text, by their numbers; `odd`: it has to be normalised to be read. Both hold until the next search. */
  search(text: string): { readonly possible: readonly number[]; readonly odd: boolean };
}

/** States of reading a text: between words, inside of a word that is none of these, and behind each beginning of one. */
const letters = 32;
const between = 0;
const elsewhere = letters;

/** What a character of ASCII is: a letter as 1 to 26, or one of these. */
const separator = 0;
const digit = 27;
const markup = 28;
/** What may look like a letter of ASCII, be invisible, or carry an accent. */
const strange = 29;
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[A-Za-z]/.test(character)) return code & 31;
  if (/\d/.test(character)) return digit;
  return /[*`~']/.test(character) ? markup : separator;
});

/** Single letters in a row that may be one word. */
const minApart = 5;

/** Length of a word in which digits may stand for letters. */
const minLikened = 4;
const maxLikened = 16;

/**
 * Searches texts for words, with a finite automaton (a trie with a state for other words). `needs` are, for each sign, sets of
 * which one has to be there: a word, or several in any order. Markup inside of a word is no part of it, as in `normalise`.
 */
export function createWordSearch(needs: readonly (readonly (readonly string[])[])[]): WordSearch {
  const sets = [...new Set(needs.flat().map((set) => set.join("/")))];
  const groups = sets.flatMap((set, number) =>
    set.split("/").map((group) => ({ words: group.split(" "), set: number })),
  );
  const words = [...new Set(groups.flatMap((group) => group.words))];
  const automaton = createAutomaton(words);
  /** For each word, from 1, the groups of which it is the longest one: it is likely to be the rarest. */
  const groupsOf = [[], ...words.map((word) => numbersOf(groups, (group) => longest(group.words) === word))];
  const others = groups.map((group) =>
    group.words.filter((word) => word !== longest(group.words)).map((word) => words.indexOf(word) + 1),
  );
  const setOf = groups.map(({ set }) => set);
  // Counted down to none: the sets that a sign still lacks.
  const needed = Uint8Array.from(needs, (all) => new Set(all.map((set) => set.join("/"))).size);
  const signsWith = sets.map((set) => numbersOf(needs, (all) => all.some((one) => one.join("/") === set)));
  const always = numbersOf(needs, (all) => all.length === 0);
  const missing = new Uint8Array(needed.length);
  const has = new Uint8Array(sets.length);
  const found: number[] = [];
  const possible: number[] = [];
  const isFound = new Uint8Array(words.length + 1);

  const take = (group: number): void => {
    const set = setOf[group] ?? 0;
    if (has[set] === 1) return;
    for (const word of others[group] ?? []) if (isFound[word] === 0) return;
    has[set] = 1;
    for (const sign of signsWith[set] ?? []) if (countDown(missing, sign) === 0) possible.push(sign);
  };
  return {
    search(text) {
      const odd = read(text, automaton, isFound, found);
      missing.set(needed);
      has.fill(0);
      possible.length = 0;
      for (const sign of always) possible.push(sign);
      for (const word of found) for (const group of groupsOf[word] ?? []) take(group);
      for (const word of found) isFound[word] = 0;
      found.length = 0;
      return { possible, odd };
    },
  };
}

function longest(words: readonly string[]): string {
  return words.reduce((one, other) => (other.length > one.length ? other : one), "");
}

function countDown(counts: Uint8Array, at: number): number {
  const left = (counts[at] ?? 0) - 1;
  counts[at] = left;
  return left;
}

function numbersOf<T>(all: readonly T[], test: (one: T) => boolean): readonly number[] {
  return all.flatMap((one, number) => (test(one) ? [number] : []));
}

/** Adds the words that a text has, each once, and answers whether it has to be normalised to be read. */
function read(text: string, { states, wordAt }: Automaton, isFound: Uint8Array, found: number[]): boolean {
  const { length } = text;
  let odd = false;
  let state = between;
  let apart = 0;
  let size = 0;
  let digits = 0;
  let isLiken = false;
  for (let at = 0; at <= length; at++) {
    // Behind the end there is a separator.
    const code = at < length ? text.charCodeAt(at) : 0;
    const kind = code < 128 ? (kinds[code] ?? separator) : kindBeyond(code);
    if (kind > separator && kind < digit) {
      state = states[state + kind] ?? elsewhere;
      size++;
      if (digits > 0) isLiken = true;
    } else if (kind === digit) {
      state = elsewhere;
      size++;
      digits += isLetterLike(code) ? 1 : maxLikened;
    } else if (kind === separator) {
      if (code === ampersand && text.charCodeAt(at + 1) === hash) odd = true;
      if (size === 0) continue;
      apart = size === 1 && digits === 0 ? apart + 1 : 0;
      if (apart >= minApart || (isLiken && size >= minLikened && size <= maxLikened && size >= 3 * digits)) odd = true;
      const word = wordAt[state / letters] ?? 0;
      if (isFound[word] === 0) {
        isFound[word] = 1;
        found.push(word);
      }
      state = between;
      size = 0;
      digits = 0;
      isLiken = false;
    } else if (kind === strange) odd = true;
  }
  return odd;
}

const ampersand = 38;
const hash = 35;

function kindBeyond(code: number): number {
  if (code === 0x2019) return markup;
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
    code === 0xfe0f ||
    (code >= 0xdc00 && code <= 0xdfff)
  );
}

type Automaton = ReturnType<typeof createAutomaton>;

function createAutomaton(words: readonly string[]) {
  const end = (2 + words.join("").length) * letters;
  /** At a state, which is a multiple of `letters`, plus a letter: the state behind that. */
  const states = new Uint16Array(end);
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
