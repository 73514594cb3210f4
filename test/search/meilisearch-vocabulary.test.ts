import { expect, it } from "vitest";
import { createVocabularies } from "../../search/meilisearch/vocabulary.ts";

it("reads a vocabulary once for simultaneous questions, and again after a failure", async () => {
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
  const neighbours = await Promise.all(Array.from({ length: 20 }, () => vocabularies.near("g1", "cahce")));
  expect(neighbours.map(([first]) => first)).toEqual(Array.from({ length: 20 }, () => ["cache", 3]));
  expect(reads).toEqual(["g1", "g1"]);
});
