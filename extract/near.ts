/**
 * Near-duplicates by MinHash and LSH (Broder 1997; one permutation with rotation, Shrivastava and Li 2014): a text's
 * signature has the least hash of its runs of three words in each of 64 bins, of which a byte is kept. Two texts are
 * taken for the same where 54 bytes of all are equal, which is a Jaccard similarity of about .83. Those are compared that
 * have a band of five in common, of eleven: ten bytes that differ are in ten of them at most.
 */
const bins = 64;
const alike = 54;
const bandRows = 5;
const bands = bins - alike + 1;
/** Minimum number of shingles (runs of three words) for a signature; shorter texts are compared as a whole only. */
const minShingles = 40;
/** Only so much of a text is read, in characters. */
const maxTextLength = 20_000;
/** Maximum number of comparisons for one text: keeps the cost linear where much is half alike. */
const maxCompared = 48;

const none = 0xffffffff;

/** The signature of a text, a character for each byte; "" for one that is too short. Blanks do not matter. */
export function signatureOf(text: string): string {
  const words = readWords(text);
  const count = words.length;
  if (count - 2 < minShingles) return "";
  const minHashes = new Uint32Array(bins).fill(none);
  let before = words[0] ?? 0;
  let last = words[1] ?? 0;
  for (let at = 2; at < count; at++) {
    const next = words[at] ?? 0;
    let hash = Math.imul(before, 0x9e3779b1) ^ Math.imul(last, 0x85ebca6b) ^ Math.imul(next, 0xc2b2ae35);
    hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
    hash = (hash ^ (hash >>> 15)) >>> 0;
    const bin = hash & (bins - 1);
    if (hash < (minHashes[bin] ?? 0)) minHashes[bin] = hash;
    before = last;
    last = next;
  }
  return densified(minHashes);
}

/** Hashes of the words and marks of a text. */
function readWords(text: string): number[] {
  const found = text.slice(0, maxTextLength).matchAll(/([\w\u0080-\uffff]+)|[!-\x7f]/g);
  return Array.from(found, ([mark, word]) => (word === undefined ? mark.charCodeAt(0) : hashOf(word)));
}

function hashOf(word: string): number {
  let hash = 0;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193) | 1;
  return hash;
}

/** Empty bins borrow from the next that is not. */
function densified(minHashes: Uint32Array): string {
  const bytes = Buffer.alloc(bins);
  let borrowed = 0;
  let distance = 0;
  for (let step = 2 * bins - 1; step >= 0; step--) {
    const bin = step % bins;
    const hash = minHashes[bin] ?? none;
    if (hash !== none) [borrowed, distance] = [hash, 0];
    else distance++;
    const mixed = Math.imul((hash === none ? borrowed : hash) + distance, 0x9e3779b1);
    if (step < bins) bytes[bin] = mixed >>> 24;
  }
  return bytes.toString("latin1");
}

/** The signatures of a library's texts, some 150 to 300 bytes each. */
export interface NearTexts {
  /** True where a text of the same group, on another page, says nearly the same; else the text is added. */
  take(signature: string, page: number, group: string): boolean;
}

/** Slots of the hash table for each text that there is room for: one for each band, and some to spare. */
const slotsPerText = 16;

/**
 * Creates an empty set. What it answers depends only on what was added, and on the order. Its arrays take a fifth of what
 * Maps do: of 100,000 texts that is 20 MB in place of 100.
 */
export function createNearTexts(): NearTexts {
  let capacity = 256;
  const signatures: string[] = [];
  const pages: number[] = [];
  const groups: string[] = [];
  /** A hash table with chaining: for each band of each text, the text before it in the same slot, from 1; 0 ends. */
  let next = new Uint32Array(capacity * bands);
  let heads = new Uint32Array(capacity * slotsPerText);

  const slotsOf = (signature: string): number[] =>
    Array.from({ length: bands }, (_, band) => {
      const rows = signature.slice(band * bandRows, (band + 1) * bandRows);
      return (Math.imul(hashOf(rows) ^ band, 0x85ebca6b) >>> 7) & (heads.length - 1);
    });
  const link = (text: number, slots: readonly number[]): void => {
    for (const [band, slot] of slots.entries()) {
      next[text * bands + band] = heads[slot] ?? 0;
      heads[slot] = text + 1;
    }
  };
  const grow = (): void => {
    capacity *= 2;
    next = new Uint32Array(capacity * bands);
    heads = new Uint32Array(capacity * slotsPerText);
    for (const [text, signature] of signatures.entries()) link(text, slotsOf(signature));
  };

  return {
    take(signature, page, group) {
      if (signatures.length === capacity) grow();
      const slots = slotsOf(signature);
      let compared = 0;
      for (const [band, slot] of slots.entries()) {
        for (
          let other = heads[slot] ?? 0;
          other !== 0 && compared < maxCompared;
          other = next[(other - 1) * bands + band] ?? 0
        ) {
          compared++;
          const isOther = pages[other - 1] !== page && groups[other - 1] === group;
          if (isOther && isAlike(signatures[other - 1] ?? "", signature)) return true;
        }
      }
      link(signatures.length, slots);
      signatures.push(signature);
      pages.push(page);
      groups.push(group);
      return false;
    },
  };
}

function isAlike(one: string, two: string): boolean {
  let same = 0;
  for (let at = 0; at < bins; at++) if (one.charCodeAt(at) === two.charCodeAt(at)) same++;
  return same >= alike;
}
