import { scan } from "./scan.ts";
import type { Oddities } from "./scan.ts";
import { createTrie } from "./trie.ts";

/** Searches texts for the words that signs need. */
export interface WordSearch {
  /** The signs that may be in a text, by their numbers, and what else it has. Takes time in proportion to the length. */
  search(text: string): Oddities & { readonly possible: readonly number[] };
}

/** Creates a search. `needs` are, for each sign, the sets of words of which one has to be there; of several words the longest is searched. */
export function createWordSearch(needs: readonly (readonly (readonly string[])[])[]): WordSearch {
  /** Sets that several signs need are one. */
  const sets = new Map<string, number>();
  const needed = needs.map((all) => all.map((set) => numberOf(sets, set.map(longest).join(" "))));
  const setsOf = new Map<string, number[]>();
  for (const [set, number] of sets) {
    for (const word of new Set(set.split(" "))) setsOf.set(word, [...(setsOf.get(word) ?? []), number]);
  }
  const trie = createTrie([...setsOf.keys()]);
  /** The sets that have a word, by its number in the trie, from 1. */
  const setsWith = [[], ...setsOf.values()];
  const has = new Uint8Array(sets.size);
  return {
    search(text) {
      const found = new Set<number>();
      const oddities = scan(text, trie, found);
      has.fill(0);
      for (const word of found) for (const set of setsWith[word] ?? []) has[set] = 1;
      const possible: number[] = [];
      for (let sign = 0; sign < needed.length; sign++) if (hasAll(has, needed[sign] ?? [])) possible.push(sign);
      return { ...oddities, possible };
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
