import { expect, it } from "vitest";
import type { LibraryEntry, LibraryIndex } from "../../domain/ports.ts";
import { rankLibraries } from "../../search/ranking/libraries.ts";
import { libraryCases, libraryCatalogue } from "../ranking/library-samples.ts";

/** Searches for a library: the IDs of what is found, the best first. */
export type LibrarySearch = (name: string, query: string) => Promise<readonly string[]>;

/** Share of the searches that has to have what was meant among the first five. */
const leastInFive = 0.99;

/**
 * The searches of library-cases.txt over the libraries of library-catalogue.txt: each has to find first what was meant.
 * Those that are known not to are marked there, so that one which does not miss any more is noticed as well. `open`
 * gives a search over the entries; it may use onTestFinished.
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

/** A search by an index and the ranker, as the API has it. */
export function searchOf(index: LibraryIndex): LibrarySearch {
  return async (name, query) =>
    rankLibraries(name, query, await index.candidates([""], name, query, 200)).map(({ id }) => id);
}
