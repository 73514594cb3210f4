import type { PassageFlag } from "../domain/passage.ts";
import { readMark } from "./marks.ts";

/** A page that was taken, as far as it tells whether it was put together of others. */
interface TakenPage {
  readonly standing: number;
  /** The line of its first passage in all parts. */
  readonly firstLine: number;
  readonly marks: Uint8Array;
  readonly flags: readonly (PassageFlag | undefined)[];
}

/** Fewer passages than that may be repeated on pages of any kind. */
const leastPassages = 10;
/** Multiple of the median size of pages. */
const largerThanMost = 2;
/** Minimum share of a page's passages that stand on its parts too. */
const gatheredShare = 0.8;
/** Minimum number of parts, and the largest share of the page that each may be. */
const leastParts = 3;
const partShare = 0.7;
/** Pages with the same passage that are remembered. */
const maxHolders = 8;

/** What is cut in another way is that many passages in a row at most. */
const maxBetween = 10;

/** Where a passage stands: its page and its line in all parts. */
interface PassagePlace<Page> {
  readonly page: Page;
  readonly line: number;
}

/**
 * The pages that were put together of others which are here too, such as a whole book on one page to be printed: for each of their passages the
 * line of the one that it gives way to, undefined where it says something of its own. Links and titles may differ.
 */
export function gatheredPages<Page extends TakenPage>(
  pages: readonly Page[],
): ReadonlyMap<Page, readonly (number | undefined)[]> {
  const sizes = pages.map(({ flags }) => flags.length).toSorted((one, other) => one - other);
  const usual = sizes[Math.floor(sizes.length / 2)] ?? 0;
  const large = pages.filter(({ flags }) => flags.length >= Math.max(leastPassages, usual * largerThanMost));
  const holders = holdersOf(pages, large);
  const gathered = new Map<Page, readonly (number | undefined)[]>();
  for (const page of large) {
    const into = partsOf(page, holders);
    if (into !== undefined) gathered.set(page, into);
  }
  return gathered;
}

/** Where texts of the large pages stand. */
function holdersOf<Page extends TakenPage>(
  pages: readonly Page[],
  large: readonly Page[],
): ReadonlyMap<string, readonly PassagePlace<Page>[]> {
  const holders = new Map<string, PassagePlace<Page>[]>();
  for (const { marks, flags } of large) for (const at of flags.keys()) holders.set(readMark(marks, at).text, []);
  for (const page of pages) {
    for (const [at, flag] of page.flags.entries()) {
      if (flag !== undefined) continue;
      const places = holders.get(readMark(page.marks, at).text);
      if (places !== undefined && places.length < maxHolders) places.push({ page, line: page.firstLine + at });
    }
  }
  return holders;
}

function partsOf<Page extends TakenPage>(
  page: Page,
  holders: ReadonlyMap<string, readonly PassagePlace<Page>[]>,
): readonly (number | undefined)[] | undefined {
  const { marks, flags, standing } = page;
  const isPart = (other: Page): boolean =>
    other !== page &&
    other.flags.length < flags.length * partShare &&
    Math.floor(other.standing) <= Math.floor(standing);
  const found = flags.map((_, at) => holders.get(readMark(marks, at).text)?.find(({ page: other }) => isPart(other)));
  const known = found.filter((one) => one !== undefined);
  const parts = new Set(known.map((one) => one.page));
  if (known.length < flags.length * gatheredShare || parts.size < leastParts) return undefined;
  return found.map((one, at) => one?.line ?? between(found, at));
}

/** What stands between two passages of one part belongs to it, though it is cut in another way there. */
function between<Page>(found: readonly (PassagePlace<Page> | undefined)[], at: number): number | undefined {
  const before = found.slice(Math.max(0, at - maxBetween), at).findLast((one) => one !== undefined);
  const behind = found.slice(at + 1, at + 1 + maxBetween).find((one) => one !== undefined);
  return before !== undefined && before.page === behind?.page ? before.line : undefined;
}
