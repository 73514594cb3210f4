import type { Concepts, CountedTerm } from "./concepts.ts";

/** What one field says of the concepts. Overwritten by the next count. */
export interface FieldCounts {
  /** Occurrences of each concept; those of a stand-in count their share. */
  readonly concepts: Float64Array;
  /** Terms in the field. */
  readonly length: number;
}

const space = 32;

/**
 * Makes the counter of concepts in analysed text. It reads each character once, and cuts out a term only where its length
 * and hash are those of one that was asked: ranking is on the way of every read.
 */
export function createTermCounter({ terms, worth }: Pick<Concepts, "terms" | "worth">): (text: string) => FieldCounts {
  const concepts = new Float64Array(worth.length);
  const byHash = new Map<number, CountedTerm[]>();
  for (const term of terms) byHash.set(hash(term.term), [...(byHash.get(hash(term.term)) ?? []), term]);

  return (text) => {
    concepts.fill(0);
    let length = 0;
    let start = 0;
    let value = 0;
    for (let at = 0; at <= text.length; at++) {
      const character = at < text.length ? text.charCodeAt(at) : space;
      if (character !== space) {
        value = (Math.imul(value, 31) + character) | 0;
        continue;
      }
      if (at > start) {
        length += 1;
        const bucket = byHash.get(value);
        if (bucket !== undefined) for (const counted of bucket) note(counted, text, start, at);
      }
      start = at + 1;
      value = 0;
    }
    return { concepts, length };
  };

  function note({ term, concept, share }: CountedTerm, text: string, start: number, end: number): void {
    if (term.length === end - start && text.startsWith(term, start))
      concepts[concept] = (concepts[concept] ?? 0) + share;
  }
}

function hash(term: string): number {
  let value = 0;
  for (let at = 0; at < term.length; at++) value = (Math.imul(value, 31) + term.charCodeAt(at)) | 0;
  return value;
}
