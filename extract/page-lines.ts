import type { PassageFlag } from "../domain/passage.ts";
import { packFingerprints } from "./fingerprints.ts";
import type { PassageLine } from "./passage-lines.ts";

/** The passages of a page as they are handed between threads: in one piece, as many strings take long and much memory. */
export interface PageLines {
  /** JSON of each passage, with a line break behind each, in UTF-8. */
  readonly lines: Uint8Array;
  /** Those of the passages, in the same order, packed (`packFingerprints`). */
  readonly fingerprints: Uint8Array;
}

const encoder = new TextEncoder();
const [lineBreak, brace] = [10, 125];
const flagged = {
  duplicate: encoder.encode(',"flags":["duplicate"]}\n'),
  quarantined: encoder.encode(',"flags":["quarantined"]}\n'),
} satisfies Record<PassageFlag, Uint8Array>;

/** Joins passages. */
export function toPageLines(passages: readonly PassageLine[]): PageLines {
  return {
    lines: encoder.encode(passages.map(({ line }) => `${line}\n`).join("")),
    fingerprints: packFingerprints(passages),
  };
}

/** The lines, none of which has flags yet, with the flag of each. */
export function flagLines(lines: Uint8Array, flags: readonly (PassageFlag | undefined)[]): Uint8Array {
  if (flags.every((flag) => flag === undefined)) return lines;
  const parts: Uint8Array[] = [];
  let start = 0;
  for (const flag of flags) {
    const end = lines.indexOf(lineBreak, start) + 1;
    if (flag !== undefined) parts.push(lines.subarray(start, lines.lastIndexOf(brace, end)), flagged[flag]);
    else parts.push(lines.subarray(start, end));
    start = end;
  }
  return Buffer.concat(parts);
}
