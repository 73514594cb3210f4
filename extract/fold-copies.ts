import type { Fold } from "../domain/generation.ts";
import { compiledPages } from "./compiled-pages.ts";
import type { TakenPage } from "./compiled-pages.ts";
import { readFingerprint } from "./fingerprints.ts";

/**
 * The passages that say what another one says, in the order of their lines. What is kept is that of the page with the lowest precedence
 * number, then of the first one; passages of compiled pages are replaced by those of their parts. Quarantined passages are no copies, and have none.
 */
export function foldCopies(pages: readonly TakenPage[]): Fold[] {
  const kept = new Map<string, number>();
  /** The first passage under a heading, of pages that a generated one may have been made of. */
  const written = new Map<string, number>();
  const folds: Fold[] = [];
  const compiled = compiledPages(pages);
  const replaced = new Map<number, number>();
  const order = (page: TakenPage): number => (compiled.has(page) ? page.flags.length : 0);
  for (const page of pages.toSorted((a, b) => order(a) - order(b) || a.precedence - b.precedence)) {
    const { path, title, precedence, firstLine, fingerprints, flags, generated } = page;
    const edited = generated ? passagesUnderHeadings(page, written) : undefined;
    // Fragments, old versions and tests have the headings of pages that are no copies of theirs.
    const isSource = !generated && precedence < 1;
    for (const [at, flag] of flags.entries()) {
      if (flag !== undefined) continue;
      const line = firstLine + at;
      const { sameness, heading } = readFingerprint(fingerprints, at);
      const part = compiled.get(page)?.[at];
      const into = kept.get(sameness) ?? (part === undefined ? edited?.[at] : (replaced.get(part) ?? part));
      if (isSource && !written.has(heading)) written.set(heading, into ?? line);
      if (into === undefined) kept.set(sameness, line);
      else {
        folds.push({ line, into, place: `${path} ${title}` });
        replaced.set(line, into);
      }
    }
  }
  return folds.toSorted((one, other) => one.line - other.line);
}

/** Minimum number of headings by which a generated page is recognised: fewer may be those of any page. */
const minHeadings = 5;
/** Minimum share of its headings that a generated page has in common with the pages that it was made of. */
const madeOfShare = 0.8;

/**
 * For each passage of a generated page the one under the same heading, or the last known heading before it, of the pages that it was made
 * of; undefined where these are not here. The text may differ, as they have been edited since.
 */
function passagesUnderHeadings(
  { fingerprints, flags }: TakenPage,
  written: ReadonlyMap<string, number>,
): readonly (number | undefined)[] | undefined {
  const headings = flags.map((_, at) => readFingerprint(fingerprints, at).heading);
  const all = new Set(headings);
  const known = [...all].filter((heading) => written.has(heading));
  if (all.size < minHeadings || known.length < all.size * madeOfShare) return undefined;
  let last = known[0];
  return headings.map((heading) => {
    if (written.has(heading)) last = heading;
    return last === undefined ? undefined : written.get(last);
  });
}
