import { expect, it } from "vitest";
import { createSubjectCounter } from "../../extract/subject.ts";
import { prosePassage } from "../contracts/passage-samples.ts";

function counted(texts: readonly string[], headings: readonly string[] = []) {
  const counter = createSubjectCounter();
  const sections = headings.map((heading) => ({ heading, anchor: "", level: 1, first: 0, count: 1, tokens: 1 }));
  counter.add(
    { title: "Retries", sections },
    texts.map((text, at) => prosePassage(String(at), text)),
  );
  return counter.subject();
}

it("counts the titles and the passages with each word, the most frequent first", () => {
  const { titles, passages } = counted(["A job fails. The job is retried.", "Another job."], ["Failed jobs", "Jobs"]);
  expect(titles).toEqual({
    total: 3,
    words: [
      ["jobs", 2],
      ["failed", 1],
      ["retries", 1],
    ],
  });
  expect(passages.total).toBe(2);
  expect(passages.words[0]).toEqual(["job", 2]);
});

it("keeps identifiers as they are, and leaves out numbers, addresses and data", () => {
  const { passages } = counted([`Call useRouter in 2024, see [it](https://a.example/jobs) and ${"a1".repeat(40)}.`]);
  expect(passages.words.map(([word]) => word).toSorted()).toEqual(["and", "call", "in", "it", "see", "useRouter"]);
});

it("counts pairs of characters in scripts without spaces", () => {
  expect(counted(["失败任务"]).passages.words.map(([word]) => word)).toEqual(["任务", "失败", "败任"]);
});

it("is bounded, whatever a generation has", () => {
  const words = Array.from({ length: 3000 }, (_, at) => `word${at.toString(36)}x`);
  const texts = Array.from({ length: 60 }, (_, at) => words.slice(50 * at, 50 * at + 50).join(" "));
  const { titles, passages } = counted(texts, words);
  expect([titles.words.length, passages.words.length]).toEqual([500, 1500]);
});
