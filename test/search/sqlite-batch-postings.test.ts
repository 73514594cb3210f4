import { expect, it } from "vitest";
import { toPostings, createPostingMerger, type Segment } from "../../search/sqlite/building-postings.ts";

const rowWith = (title: readonly string[], prose: readonly string[]) => [
  title,
  [],
  [],
  prose,
  [],
  [],
  [],
  ["kind=info"],
];

it("writes for each term its rows, and for each of their fields the number of occurrences", () => {
  const postings = toPostings([rowWith(["a"], ["b", "a", "a"]), rowWith([], ["b"]), rowWith(["b"], [])]);
  expect(postings.terms).toBe("a b kind=info");
  expect([...postings.frequencies]).toEqual([1, 3, 3]);
  expect([...postings.lastPlaces]).toEqual([(1 << 3) | 3, 3 << 3, (3 << 3) | 7]);
  expect([...postings.lengths]).toEqual([4, 1, 1]);
  const [ofA = 0, ofB = 0] = postings.listEnds;
  // Row 1: once in title (0); three fields on, in prose (3), twice.
  expect([...postings.lists.subarray(0, ofA)]).toEqual([8 * 2, 3 * 2 + 1, 2]);
  // Prose of row 1; prose of row 2, eight places on; title of row 3, five on.
  expect([...postings.lists.subarray(ofA, ofB)]).toEqual([11 * 2, 8 * 2, 5 * 2]);
});

it("merges batches into the lists that one batch of all their rows has", () => {
  const rows = [rowWith(["a"], ["b"]), rowWith([], ["c"]), rowWith(["b", "a"], []), rowWith(["a"], ["a"])];
  const { terms, lists, listEnds, frequencies } = toPostings(rows);
  const whole = terms.split(" ").map((term, at) => ({
    term,
    frequency: frequencies[at],
    list: [...lists.subarray(listEnds[at - 1] ?? 0, listEnds[at])],
  }));
  expect(merged([rows.slice(0, 1), rows.slice(1, 3), rows.slice(3)])).toEqual([whole]);
});

it("starts a new segment when one is full, and continues the row numbers", () => {
  const rows = [rowWith(["a"], []), rowWith(["a"], [])];
  const [first, second] = merged([rows, rows], 1);
  expect(first?.[0]?.list).toEqual([8 * 2, 8 * 2]);
  expect(second?.[0]?.list).toEqual([3 * 8 * 2, 8 * 2]);
});

function merged(batches: readonly Parameters<typeof toPostings>[0][], size?: number) {
  const segments: { term: string; frequency: number; list: number[] }[][] = [];
  const write = ({ lists }: Segment): void => {
    segments.push(Array.from(lists, ([term, frequency, list]) => ({ term, frequency, list: [...list] })));
  };
  const merger = createPostingMerger(write, size);
  for (const batch of batches) merger.add(toPostings(batch));
  merger.finish();
  return segments;
}
