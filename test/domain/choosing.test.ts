import { expect, it } from "vitest";
import { choosePassages, gapsBetween } from "../../domain/choosing.ts";
import type { Candidate, Candidates } from "../../domain/ports.ts";
import { prosePassage } from "../contracts/passage-samples.ts";

/** A passage of a page, by its ordinal. */
function at(page: string, ordinal: number, tokens = 100) {
  const passage = prosePassage(`${page}${ordinal}`, "Text.");
  return { ...passage, tokens, page: { ...passage.page, url: page }, source: { ...passage.source, ordinal } };
}

const ids = (passages: readonly { readonly id: string }[]) => passages.map(({ id }) => id);

it("fills a small gap between chosen passages, as a whole or not at all", () => {
  const chosen = [at("a", 4), at("a", 0), at("a", 2)];
  expect(ids(gapsBetween(chosen, [at("a", 1), at("a", 3), at("a", 5)]))).toEqual(["a1", "a3"]);
  expect(ids(gapsBetween(chosen, [at("a", 1, 900), at("a", 3)]))).toEqual(["a3"]);
  expect(gapsBetween([at("a", 0), at("a", 3)], [at("a", 1)])).toEqual([]);
  expect(gapsBetween([at("a", 0), at("a", 9)], [at("a", 1)])).toEqual([]);
});

it("fills gaps of the best page before weaker pages get the rest of the budget", async () => {
  const all = [at("a", 0), at("a", 2), at("b", 0), at("b", 1), at("a", 1)];
  const toCandidate = ({ id, tokens, page }: (typeof all)[number]): Candidate => ({
    id,
    tokens,
    pageUrl: page.url,
    belowTitle: false,
    lengths: [],
    meaning: new Int8Array(),
  });
  const candidates = {
    candidates: all.map(toCandidate),
    read: async (wanted: readonly string[]) => wanted.flatMap((id) => all.find((one) => one.id === id) ?? []),
  } as unknown as Candidates;
  const ranked = all.slice(0, 4).map(toCandidate);
  const choose = async (tokens: number) => ids(await choosePassages(candidates, ranked, { tokens, limit: 50 }));
  expect(await choose(5000)).toEqual(["a0", "a2", "a1", "b0", "b1"]);
  expect(await choose(500)).toEqual(["a0", "a2", "a1"]);
});
