import type { Fold } from "../domain/generation.ts";

/** Places that are told of a passage at most, for which others are folded into it. */
const maxPlaces = 20;

const lineBreak = 10;
const brace = 125;
const encoder = new TextEncoder();
const folded = encoder.encode(',"flags":["duplicate"]}\n');

/**
 * Writes into the lines of a generation's parts, which are given one after the other, what its manifest folds: copies get a flag, and what stays the
 * places of its copies (`Passage.also`). The stored parts stay as they are.
 */
export function createFolding(folds: readonly Fold[]): (part: Buffer) => Uint8Array {
  const copies = new Set(folds.map(({ line }) => line));
  const also = new Map<number, string[]>();
  for (const { into, place } of folds) {
    const places = also.get(into) ?? [];
    if (places.length < maxPlaces && !places.includes(place)) places.push(place);
    also.set(into, places);
  }
  let line = 0;
  return (part) => {
    if (folds.length === 0) return part;
    const pieces: Uint8Array[] = [];
    let kept = 0;
    for (let start = 0; start < part.length; line += 1) {
      const end = part.indexOf(lineBreak, start) + 1;
      const places = also.get(line);
      if (copies.has(line) || places !== undefined) {
        const close = part.lastIndexOf(brace, end - 1);
        pieces.push(part.subarray(kept, close));
        pieces.push(places === undefined ? folded : encoder.encode(`,"also":${JSON.stringify(places)}}\n`));
        kept = end;
      }
      start = end;
    }
    pieces.push(part.subarray(kept));
    return Buffer.concat(pieces);
  };
}
