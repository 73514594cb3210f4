/**
 * Near-duplicates by MinHash and LSH (Broder 1997; one permutation with rotation, Shrivastava and Li 2014): a text's
 * signature has the least hash of its runs of three words in each of 64 bins, of which a byte is kept. Two texts are
 * taken for the same where 54 bytes of all are equal, which is a Jaccard similarity of about .83. Those are compared that
 * have a band of five in common, of eleven: ten bytes that differ are in ten of them at most.
 */
const bins = 64;
/** Bytes of a signature. */
export const signatureSize = bins;
const alike = 54;
const bandRows = 5;
const bands = bins - alike + 1;
/** Slots of the hash table for each text; a power of two, as the capacity is. */
const slotsPerText = 8;
/** Minimum number of shingles (runs of three words) for a signature; shorter texts are compared as a whole only. */
const minShingles = 40;
/** Only so much of a text is read, in characters. */
const maxTextLength = 20_000;
/** Maximum number of comparisons for one text: keeps the cost linear where much is half alike. */
const maxCompared = 48;

const none = 0xffffffff;

/** Of each character of ASCII, all bits where it is in a word. */
const inWord = Int8Array.from({ length: 128 }, (_, code) => (/\w/.test(String.fromCharCode(code)) ? -1 : 0));
/** Of each character of ASCII, 1 where it is a word by itself; the others are blanks. */
const alone = Uint8Array.from({ length: 128 }, (_, code) => Number(code > 32 && inWord[code] === 0));

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

/**
 * Hashes of the words and marks of a text. Branchless, as no branch predictor knows where words end. The hash of a word is
 * odd, and 0 stands for none.
 */
function readWords(text: string): Int32Array {
  const length = Math.min(text.length, maxTextLength);
  const words = new Int32Array(length + 2);
  let count = 0;
  let word = 0;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    const within = code < 128 ? (inWord[code] ?? 0) : -1;
    words[count] = word;
    count += word & 1 & ~within;
    words[count] = code;
    count += code < 128 ? (alone[code] ?? 0) : 0;
    word = (Math.imul(word ^ code, 0x01000193) | 1) & within;
  }
  words[count] = word;
  return words.subarray(0, count + (word & 1));
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

/** A number for a list of names, equal for equal lists. */
export function groupOf(names: readonly string[]): number {
  let hash = 0;
  for (const name of names) {
    for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
    hash = Math.imul(hash ^ 0x1f, 0x01000193);
  }
  return hash >>> 0;
}

/** The signatures of a library's texts, some 150 to 300 bytes each. */
export interface NearTexts {
  /** The number of a text of the same group, on another page, that says nearly the same; else -1, and the text is added with the next number. */
  take(signature: Uint8Array, page: number, group: number): number;
}

/** Creates an empty set. What it answers depends only on what was added, and on the order. */
export function createNearTexts(): NearTexts {
  let capacity = 256;
  let count = 0;
  let signatures = new Uint8Array(capacity * bins);
  let pages = new Uint32Array(capacity);
  let groups = new Uint32Array(capacity);
  /** A hash table with chaining: for each band of each text, the text before it in the same slot, from 1; 0 ends. */
  let next = new Uint32Array(capacity * bands);
  let heads = new Uint32Array(capacity * slotsPerText);
  /** Of the text at hand, the slot of each band. */
  const slots = new Uint32Array(bands);

  const readSlots = (text: number): void => {
    for (let band = 0, at = text * bins; band < bands; band++) {
      let key = band + 1;
      for (const end = at + bandRows; at < end; at++)
        key = Math.imul(key ^ (signatures[at] ?? 0), 0x01000193) + 0x9e3779b1;
      key ^= key >>> 15;
      slots[band] = (Math.imul(key, 0x85ebca6b) >>> 7) & (heads.length - 1);
    }
  };
  const link = (text: number): void => {
    for (let band = 0; band < bands; band++) {
      const slot = slots[band] ?? 0;
      next[text * bands + band] = heads[slot] ?? 0;
      heads[slot] = text + 1;
    }
  };
  const grow = (): void => {
    capacity *= 2;
    signatures = enlarged(signatures, new Uint8Array(capacity * bins));
    pages = enlarged(pages, new Uint32Array(capacity));
    groups = enlarged(groups, new Uint32Array(capacity));
    next = new Uint32Array(capacity * bands);
    heads = new Uint32Array(capacity * slotsPerText);
    for (let text = 0; text < count; text++) {
      readSlots(text);
      link(text);
    }
  };
  const equal = (one: number, two: number): number => {
    let same = 0;
    for (let row = 0; row < bins; row++) if (signatures[one * bins + row] === signatures[two * bins + row]) same++;
    return same;
  };
  const alikeOf = (text: number, page: number, group: number): number => {
    let compared = 0;
    for (let band = 0; band < bands; band++) {
      for (let other = heads[slots[band] ?? 0] ?? 0; other !== 0; other = next[(other - 1) * bands + band] ?? 0) {
        if (compared++ >= maxCompared) return -1;
        if (pages[other - 1] !== page && groups[other - 1] === group && equal(other - 1, text) >= alike)
          return other - 1;
      }
    }
    return -1;
  };

  return {
    take(signature, page, group) {
      if (count === capacity) grow();
      // In the place of the next text, which it becomes unless there is one that is alike.
      signatures.set(signature, count * bins);
      readSlots(count);
      const found = alikeOf(count, page, group);
      if (found >= 0) return found;
      pages[count] = page;
      groups[count] = group;
      link(count++);
      return -1;
    },
  };
}

function enlarged<T extends Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>(from: T, into: T): T {
  into.set(from);
  return into;
}
