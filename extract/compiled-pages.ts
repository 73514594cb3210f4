import type { PassageFlag } from "../domain/passage.ts";
import { readFingerprint } from "./fingerprints.ts";

/** A page that the finishing pass has taken. */
export interface TakenPage {
  readonly path: string;
  readonly title: string;
  /** Its rank among pages that say the same, the lowest first. */
  readonly precedence: number;
  readonly generated: boolean;
  /** The line of its first passage in all parts. */
  readonly firstLine: number;
  /** Of its passages, packed. */
  readonly fingerprints: Uint8Array;
  readonly flags: readonly (PassageFlag | undefined)[];
}

/** Minimum number of passages of a compiled page: fewer may be repeated on pages of any kind. */
const minPassages = 10;
/** Minimum size of a compiled page, as a multiple of the median page. */
const largerThanMost = 2;
/** Minimum share of a page's passages that are on its parts too. */
const compiledShare = 0.8;
/** Minimum number of parts, and the largest share of the page that each may be. */
const minParts = 3;
const partShare = 0.7;
/** Maximum number of pages with the same passage that are remembered. */
const maxHolders = 8;
/** Maximum distance, in passages, of the neighbours that decide which part a passage without a copy belongs to. */
const maxDistance = 10;

/** Where a passage stands: its page and its line in all parts. */
interface PassagePlace {
  readonly page: TakenPage;
  readonly line: number;
}

/**
 * The pages that were compiled from others which are here too, such as a whole book on one page to be printed: for each of their passages
 * the line of the one that replaces it, undefined for a passage of their own. Links and titles may differ.
 */
export function compiledPages(pages: readonly TakenPage[]): ReadonlyMap<TakenPage, readonly (number | undefined)[]> {
  const sizes = pages.map(({ flags }) => flags.length).toSorted((one, other) => one - other);
  const usual = sizes[Math.floor(sizes.length / 2)] ?? 0;
  const large = pages.filter(({ flags }) => flags.length >= Math.max(minPassages, usual * largerThanMost));
  const holders = holdersOf(pages, large);
  const compiled = new Map<TakenPage, readonly (number | undefined)[]>();
  for (const page of large) {
    const into = replacementsOf(page, holders);
    if (into !== undefined) compiled.set(page, into);
  }
  return compiled;
}

/** The pages that have each text of the large ones. */
function holdersOf(
  pages: readonly TakenPage[],
  large: readonly TakenPage[],
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
  page: TakenPage,
  holders: ReadonlyMap<string, readonly PassagePlace[]>,
): readonly (number | undefined)[] | undefined {
  const { fingerprints, flags, precedence } = page;
  const isPart = (other: TakenPage): boolean =>
    other !== page &&
    other.flags.length < flags.length * partShare &&
    Math.floor(other.precedence) <= Math.floor(precedence);
  const found = flags.map((_, at) =>
    holders.get(readFingerprint(fingerprints, at).text)?.find(({ page: other }) => isPart(other)),
  );
  const known = found.filter((one) => one !== undefined);
  const parts = new Set(known.map((one) => one.page));
  if (known.length < flags.length * compiledShare || parts.size < minParts) return undefined;
  return found.map((one, at) => one?.line ?? between(found, at));
}

/** A passage between two of one part belongs to that part, where it is cut in another way. */
function between(found: readonly (PassagePlace | undefined)[], at: number): number | undefined {
  const before = found.slice(Math.max(0, at - maxDistance), at).findLast((one) => one !== undefined);
  const behind = found.slice(at + 1, at + 1 + maxDistance).find((one) => one !== undefined);
  return before !== undefined && before.page === behind?.page ? before.line : undefined;
}
