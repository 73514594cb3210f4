import type { Fold } from "../domain/generation.ts";

/** Maximum number of places that a passage lists of those folded into it. */
const maxPlaces = 20;

const lineBreak = 10;
const brace = 125;
const encoder = new TextEncoder();
const folded = encoder.encode(',"flags":["duplicate"]}\n');

/**
 * Makes what writes the folds of a manifest into the lines of its parts, given one after the other: copies get a flag, and the passage
 * that is served the places of its copies (`Passage.also`). Stored parts are not changed.
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
