import { expect, it } from "vitest";
import type { LibraryEntry, LibraryIndex } from "../../domain/ports.ts";
import { rankLibraries } from "../../search/ranking/libraries.ts";
import { libraryCases, libraryCatalogue } from "../ranking/library-samples.ts";

/** Searches for libraries; returns their IDs, the best first. */
export type LibrarySearch = (name: string, query: string) => Promise<readonly string[]>;

/** Least share of searches that find an expected library among the first five. */
const leastInFive = 0.99;

/**
 * Runs the searches of library-cases.txt over library-catalogue.txt: each must find an expected library first, except
 * those marked as missing there, which must not. `open` gives a search over the entries; it may use onTestFinished.
 */
export function describeLibraryCases(
  name: string,
  open: (entries: readonly LibraryEntry[]) => Promise<LibrarySearch>,
): void {
  it(`finds first what people mean, by ${name}`, async () => {
    const search = await open(libraryCatalogue());
    const cases = libraryCases();
    const missed: string[] = [];
    let inFive = 0;
    for (const { about, name, query, expected } of cases) {
      const [first = "", ...others] = await search(name, query);
      if (!expected.includes(first)) missed.push(`${about}: ${name} | ${query}`);
      if ([first, ...others.slice(0, 4)].some((id) => expected.includes(id))) inFive += 1;
    }
    const known = cases
      .filter(({ missing }) => missing)
      .map(({ about, name, query }) => `${about}: ${name} | ${query}`);
    expect(missed).toEqual(known);
    expect(inFive / cases.length).toBeGreaterThanOrEqual(leastInFive);
  });
}

/** A search by an index and the ranker, as in the API. */
export function searchOf(index: LibraryIndex): LibrarySearch {
  return async (name, query) =>
    rankLibraries(name, query, await index.candidates([""], name, query, 200)).map(({ id }) => id);
}
