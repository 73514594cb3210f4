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

/** The signatures of a library's texts, about a kilobyte each. */
export interface NearTexts {
  /** True where a text of the same group, on another page, says nearly the same; else the text is added. */
  take(signature: string, page: number, group: string): boolean;
}

interface NearText {
  readonly signature: string;
  readonly page: number;
  readonly group: string;
  /** For each band, the text before with the same one. */
  readonly before: readonly (NearText | undefined)[];
}

/** Creates an empty set. What it answers depends only on what was added, and on the order. */
export function createNearTexts(): NearTexts {
  /** For each band, the last text by what the band holds. */
  const last = Array.from({ length: bands }, () => new Map<string, NearText>());
  return {
    take(signature, page, group) {
      const keys = last.map((_, band) => signature.slice(band * bandRows, (band + 1) * bandRows));
      const before = keys.map((key, band) => last[band]?.get(key));
      let compared = 0;
      for (const [band, newest] of before.entries()) {
        for (let other = newest; other !== undefined && compared < maxCompared; other = other.before[band]) {
          compared++;
          if (other.page !== page && other.group === group && isAlike(other.signature, signature)) return true;
        }
      }
      const text = { signature, page, group, before };
      for (const [band, key] of keys.entries()) last[band]?.set(key, text);
      return false;
    },
  };
}

function isAlike(one: string, two: string): boolean {
  let same = 0;
  for (let at = 0; at < bins; at++) if (one[at] === two[at]) same++;
  return same >= alike;
}
