import { expect, it } from "vitest";
import { createVocabularies } from "../../search/meilisearch/vocabulary.ts";

it("reads a vocabulary once for all questions that come at the same time, and again where that failed", async () => {
  const reads: string[] = [];
  let fails = true;
  const vocabularies = createVocabularies(async (generation) => {
    reads.push(generation);
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (fails) throw new Error("Out of reach.");
    return "cache 3\ncaching 2";
  });
  await expect(vocabularies.near("g1", "cahce")).rejects.toThrow("Out of reach.");
  fails = false;
  const found = await Promise.all(Array.from({ length: 20 }, () => vocabularies.near("g1", "cahce")));
  expect(found.map(([first]) => first)).toEqual(Array.from({ length: 20 }, () => ["cache", 3]));
  expect(reads).toEqual(["g1", "g1"]);
});
