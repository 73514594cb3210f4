import { expect, it } from "vitest";
import { chooseWithin } from "../../domain/choosing.ts";
import type { Candidate } from "../../domain/ports.ts";

function candidate(id: string, tokens: number): Candidate {
  const meaning = new Int8Array();
  return { id, tokens, pageUrl: `https://e.com/${id}`, belowTitle: false, lengths: [], meaning };
}

it("takes candidates in order while they fit, the first one always", () => {
  const ranked = [candidate("a", 300), candidate("b", 900), candidate("c", 300)];
  const choose = (tokens: number, limit = 50) => chooseWithin(ranked, { tokens, limit }).map(({ id }) => id);
  expect(choose(5000)).toEqual(["a", "b", "c"]);
  expect(choose(1000)).toEqual(["a", "c"]);
  expect(choose(100)).toEqual(["a"]);
  expect(choose(5000, 2)).toEqual(["a", "b"]);
});
