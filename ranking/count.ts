import type { Question } from "../domain/ports.ts";

/** Occurrences in one field, by the place of a term or pair in the question. Overwritten by the next count. */
export interface FieldCounts {
  readonly terms: Uint32Array;
  readonly pairs: Uint32Array;
  /** Terms in the field. */
  readonly length: number;
}

const space = 32;

/**
 * Makes the counter of a question's terms in analysed text. It reads each character once, and cuts out a term only
 * where its length and hash are those of one that was asked: ranking is on the way of every read.
 */
export function createTermCounter(question: Question): (text: string) => FieldCounts {
  const terms = new Uint32Array(question.terms.length);
  const pairs = new Uint32Array(question.pairs.length);
  const byHash = new Map<number, number[]>();
  for (const [at, term] of question.terms.entries()) {
    byHash.set(hash(term), [...(byHash.get(hash(term)) ?? []), at]);
  }
  const width = question.terms.length;
  const pairAt = new Map<number, number>();
  for (const [at, [first, second]] of question.pairs.entries()) {
    pairAt.set(question.terms.indexOf(first) * width + question.terms.indexOf(second), at);
  }

  return (text) => {
    terms.fill(0);
    pairs.fill(0);
    let length = 0;
    let previous = -1;
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
        previous = bucket === undefined ? -1 : note(find(bucket, text, start, at), previous);
      }
      start = at + 1;
      value = 0;
    }
    return { terms, pairs, length };
  };

  function find(bucket: readonly number[], text: string, start: number, end: number): number | undefined {
    return bucket.find((at) => {
      const term = question.terms[at] ?? "";
      return term.length === end - start && text.startsWith(term, start);
    });
  }

  /** Counts the term, and the pair that it makes with the one before it. */
  function note(term: number | undefined, previous: number): number {
    if (term === undefined) return -1;
    terms[term] = (terms[term] ?? 0) + 1;
    const pair = previous < 0 ? undefined : pairAt.get(previous * width + term);
    if (pair !== undefined) pairs[pair] = (pairs[pair] ?? 0) + 1;
    return term;
  }
}

function hash(term: string): number {
  let value = 0;
  for (let at = 0; at < term.length; at++) value = (Math.imul(value, 31) + term.charCodeAt(at)) | 0;
  return value;
}
