/** A trie of words in small letters of ASCII. States are multiples of `stateSize`. */
export interface Trie {
  /** At a state plus a letter, 1 to 26: the state behind that letter. */
  readonly next: Uint32Array;
  /** At the number of a state, which is the state divided by `stateSize`: the number of the word that ends there, from 1, or 0. */
  readonly wordAt: Uint16Array;
}

export const stateSize = 32;
/** The state before the first letter of a word, and that inside of a word that the trie does not have. */
export const start = 0;
export const elsewhere = start + stateSize;

/** Creates a trie; words are numbered from 1 in their order. */
export function createTrie(words: readonly string[]): Trie {
  const states = 2 + words.join("").length;
  const next = new Uint32Array(states * stateSize);
  const wordAt = new Uint16Array(states);
  for (let state = start; state < next.length; state += stateSize) next.fill(elsewhere, state + 1, state + stateSize);
  let unused = elsewhere + stateSize;
  for (const [index, word] of words.entries()) {
    let state = start;
    for (let at = 0; at < word.length; at++) {
      const step = state + (word.charCodeAt(at) & 31);
      if (next[step] === elsewhere) {
        next[step] = unused;
        unused += stateSize;
      }
      state = next[step] ?? elsewhere;
    }
    wordAt[state / stateSize] = index + 1;
  }
  return { next, wordAt };
}
