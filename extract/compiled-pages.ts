import type { PassageFlag } from "../domain/passage.ts";
import { readFingerprint } from "./fingerprints.ts";

/** A page that the finishing pass has seen. */
export interface SeenPage {
  readonly path: string;
  readonly title: string;
  /** Rank among pages with the same text; the lowest wins. */
  readonly precedence: number;
  readonly generated: boolean;
  /** Line of its first passage, counted over all parts. */
  readonly firstLine: number;
  /** Packed fingerprints of its passages. */
  readonly fingerprints: Uint8Array;
  readonly flags: readonly (PassageFlag | undefined)[];
  /** Its ends (`edgesOf`); absent for pages that are not of a website. */
  readonly edges?: Uint32Array | undefined;
}

/** Minimum number of passages of a compiled page: fewer may be repeated on pages of any kind. */
const minPassages = 10;
/** Minimum size of a compiled page, as a multiple of the median page. */
const largerThanMost = 2;
/** Minimum share of a compiled page's passages that its parts have too. */
const compiledShare = 0.8;
/** Minimum number of parts, and the largest share of the page that each may be. */
const minParts = 3;
const partShare = 0.7;
/** Maximum number of pages with the same passage that are remembered. */
const maxHolders = 8;
/** A passage without a copy is assigned by neighbours at most this far away, in passages. */
const maxDistance = 10;

/** A passage's page, and its line counted over all parts. */
interface PassagePlace {
  readonly page: SeenPage;
  readonly line: number;
}

/**
 * Pages compiled from other pages of the library, such as a book on one page for printing, with the line that replaces each of their
 * passages; undefined for a passage without a copy. Links and titles may differ.
 */
export function compiledPages(pages: readonly SeenPage[]): ReadonlyMap<SeenPage, readonly (number | undefined)[]> {
  const sizes = pages.map(({ flags }) => flags.length).toSorted((one, other) => one - other);
  const median = sizes[Math.floor(sizes.length / 2)] ?? 0;
  const large = pages.filter(({ flags }) => flags.length >= Math.max(minPassages, median * largerThanMost));
  const holders = holdersOf(pages, large);
  const compiled = new Map<SeenPage, readonly (number | undefined)[]>();
  for (const page of large) {
    const replacements = replacementsOf(page, holders);
    if (replacements !== undefined) compiled.set(page, replacements);
  }
  return compiled;
}

/** The places of each text of the large pages. */
function holdersOf(
  pages: readonly SeenPage[],
  large: readonly SeenPage[],
): ReadonlyMap<string, readonly PassagePlace[]> {
  const holders = new Map<string, PassagePlace[]>();
  for (const { fingerprints, flags } of large)
    for (const at of flags.keys()) holders.set(readFingerprint(fingerprints, at).text, []);
  for (const page of pages) {
    for (const [at, flag] of page.flags.entries()) {
      if (flag !== undefined) continue;
      const places = holders.get(readFingerprint(page.fingerprints, at).text);
      if (places !== undefined && places.length < maxHolders) places.push({ page, line: page.firstLine + at });
    }
  }
  return holders;
}

function replacementsOf(
  page: SeenPage,
  holders: ReadonlyMap<string, readonly PassagePlace[]>,
): readonly (number | undefined)[] | undefined {
  const { fingerprints, flags, precedence } = page;
  const isPart = (other: SeenPage): boolean =>
    other !== page &&
    other.flags.length < flags.length * partShare &&
    Math.floor(other.precedence) <= Math.floor(precedence);
  const copies = flags.map((_, at) =>
    holders.get(readFingerprint(fingerprints, at).text)?.find(({ page: other }) => isPart(other)),
  );
  const places = copies.filter((copy) => copy !== undefined);
  const parts = new Set(places.map((place) => place.page));
  if (places.length < flags.length * compiledShare || parts.size < minParts) return undefined;
  return copies.map((copy, at) => copy?.line ?? lineOfNeighbours(copies, at));
}

/** A passage between two passages of one part belongs to that part, which divides its text differently. */
function lineOfNeighbours(copies: readonly (PassagePlace | undefined)[], at: number): number | undefined {
  const before = copies.slice(Math.max(0, at - maxDistance), at).findLast((copy) => copy !== undefined);
  const after = copies.slice(at + 1, at + 1 + maxDistance).find((copy) => copy !== undefined);
  return before !== undefined && before.page === after?.page ? before.line : undefined;
}
