import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { pageOf, prepare, unjudged } from "../../tools/bench/retrieval/answers.ts";
import { libraries } from "../../tools/bench/retrieval/libraries.ts";
import { firstOccurrences, meanScores, score, type Grade } from "../../tools/bench/retrieval/metrics.ts";
import { createPlainIndex, splitAtHeadings } from "../../tools/bench/retrieval/plain.ts";
import { intents, parseQuestions, splitHalves } from "../../tools/bench/retrieval/questions.ts";
import { fallsOf } from "../../tools/bench/retrieval/saved.ts";
import { jsonSources, textSources } from "../../tools/bench/retrieval/server.ts";
import { pairedDifference } from "../../tools/bench/retrieval/statistics.ts";
import { renderText } from "../../api/answer/text.ts";
import { renderJson } from "../../api/answer/json.ts";
import type { Passage, PassageBlock } from "../../domain/passage.ts";
import { temporaryFolder } from "../support/lectern-process.ts";

const bench = join(import.meta.dirname, "../../tools/bench/retrieval");
const allQuestions = libraries.flatMap(({ name }) =>
  parseQuestions(name, readFileSync(join(bench, "questions", `${name}.json`), "utf8")),
);

const grades = (...pairs: readonly (readonly [string, Grade])[]): ReadonlyMap<string, Grade> => new Map(pairs);

describe("scores of an answer", () => {
  it("are perfect if the pages are in the order of their grades", () => {
    const scores = score(["a", "b", "c"], grades(["c", 1], ["a", 3], ["b", 2]));
    expect(scores).toEqual({ mrr: 1, hit1: 1, hit3: 1, hit5: 1, recall5: 1, ndcg5: 1 });
  });

  it("use the rank of the first page that answers, and skip one that only helps", () => {
    const scores = score(["helps", "wrong", "answers"], grades(["helps", 1], ["answers", 2]));
    expect(scores).toMatchObject({ mrr: 1 / 3, hit1: 0, hit3: 1, hit5: 1, recall5: 1 });
    // Gains 1 and 3 at the places 1 and 3, against 3 and 1 at 1 and 2.
    expect(scores.ndcg5).toBeCloseTo((1 + 3 / 2) / (3 + 1 / Math.log2(3)), 10);
  });

  it("look at ten places for MRR and at five for the rest", () => {
    const wrong = Array.from({ length: 9 }, (_, at) => `wrong ${at}`);
    const tenth = score([...wrong, "right"], grades(["right", 3]));
    expect(tenth).toEqual({ mrr: 1 / 10, hit1: 0, hit3: 0, hit5: 0, recall5: 0, ndcg5: 0 });
    expect(score([...wrong, "wrong", "right"], grades(["right", 3])).mrr).toBe(0);
  });

  it("count the share of right pages that were found", () => {
    expect(score(["a"], grades(["a", 3], ["b", 2], ["c", 2], ["d", 1])).recall5).toBeCloseTo(1 / 3, 10);
  });

  it("are all 0 for an empty answer", () => {
    expect(score([], grades(["a", 3]))).toEqual({ mrr: 0, hit1: 0, hit3: 0, hit5: 0, recall5: 0, ndcg5: 0 });
  });

  it("are averaged figure by figure", () => {
    const hit = score(["a"], grades(["a", 3]));
    const miss = score(["b"], grades(["a", 3]));
    expect(meanScores([hit, miss])).toEqual({
      mrr: 0.5,
      hit1: 0.5,
      hit3: 0.5,
      hit5: 0.5,
      recall5: 0.5,
      ndcg5: 0.5,
    });
  });

  it("count each page once, at its first place", () => {
    expect(firstOccurrences(["a", "b", "a", "c", "b"])).toEqual(["a", "b", "c"]);
  });
});

describe("a paired difference", () => {
  it("has the p value of the exact permutation test for few pairs", () => {
    // Of the 32 ways to set the signs, two have a sum as large as 5: p is 1/16.
    const { mean, p } = pairedDifference([1, 1, 1, 1, 1], [0, 0, 0, 0, 0]);
    expect(mean).toBe(1);
    expect(p).toBeCloseTo(1 / 16, 2);
  });

  it("is no evidence if the systems are alike", () => {
    expect(pairedDifference([0.5, 1, 0.2], [0.5, 1, 0.2])).toEqual({ mean: 0, low: 0, high: 0, p: 1 });
    expect(pairedDifference([1, 0, 1, 0], [0, 1, 0, 1]).p).toBe(1);
  });

  it("is significant if one system is better on most of many questions", () => {
    const better = Array.from({ length: 100 }, (_, at) => (at % 10 === 0 ? 0 : 1));
    const { mean, low, high, p } = pairedDifference(
      better,
      better.map((value) => 1 - value),
    );
    expect(mean).toBeCloseTo(0.8, 10);
    expect(p).toBeLessThan(0.001);
    expect(low).toBeGreaterThan(0.6);
    expect(high).toBeLessThan(1);
    expect(low).toBeLessThan(mean);
  });

  it("is the same for the same values and mirrored for the systems swapped", () => {
    const [one, other] = [
      [0.3, 1, 0.5, 1, 0],
      [0.5, 0.2, 0.5, 0.25, 0.1],
    ];
    expect(pairedDifference(one ?? [], other ?? [])).toEqual(pairedDifference(one ?? [], other ?? []));
    expect(pairedDifference(other ?? [], one ?? []).p).toBe(pairedDifference(one ?? [], other ?? []).p);
  });

  it("refuses values that are not paired", () => {
    expect(() => pairedDifference([1], [])).toThrow("at least one");
    expect(() => pairedDifference([], [])).toThrow("at least one");
  });
});

describe("the saved result", () => {
  const scores = { mrr: 0.8, hit1: 0.7, hit3: 0.8, hit5: 0.9, recall5: 0.8, ndcg5: 0.75 };
  const figures = { questions: 96, text: scores, json: scores, plain: scores };

  it("is missed if the half set aside fell by more than .01, in either form", () => {
    expect(fallsOf(figures, { ...figures, text: { ...scores, mrr: 0.788 } })).toEqual(["mrr of the text form"]);
    expect(fallsOf(figures, { ...figures, json: { ...scores, ndcg5: 0.7 } })).toEqual(["ndcg5 of the json form"]);
  });

  it("is met if that half is better, or lower by less, whatever the plain index does", () => {
    const now = { ...figures, text: { ...scores, mrr: 0.9, ndcg5: 0.741 }, plain: { ...scores, mrr: 0.5 } };
    expect(fallsOf(figures, now)).toEqual([]);
  });

  it("names no question of the half set aside", () => {
    const saved = JSON.parse(readFileSync(join(bench, "result.json"), "utf8")) as {
      runs: Record<string, { questions: Record<string, unknown> }>;
    };
    const tune = allQuestions.filter(({ half }) => half === "tune").map(({ library, id }) => `${library}/${id}`);
    for (const { questions } of Object.values(saved.runs))
      expect(Object.keys(questions).toSorted()).toEqual(tune.toSorted());
    expect(Object.keys(saved.runs)).toContain("sqlite");
  });
});

describe("the halves", () => {
  const many = intents.flatMap((intent) => Array.from({ length: 7 }, (_, at) => ({ id: `${intent}-${at}`, intent })));

  it("differ by one question at most in each intent and in all", () => {
    const halves = splitHalves("any", many);
    for (const wanted of [...intents.map((intent) => [intent]), intents]) {
      const own = many.filter(({ intent }) => wanted.includes(intent)).map(({ id }) => halves.get(id));
      const tune = own.filter((half) => half === "tune").length;
      expect(Math.abs(own.length - 2 * tune)).toBeLessThanOrEqual(1);
    }
  });

  it("do not depend on the order of the questions", () => {
    expect(splitHalves("any", many.toReversed())).toEqual(splitHalves("any", many));
  });

  it("do not change when another batch of questions is added, which is split as well", () => {
    const later = many.map(({ id, intent }) => ({ id: `later-${id}`, batch: 2, intent }));
    const halves = splitHalves("any", [...later, ...many]);
    expect(new Map(many.map(({ id }) => [id, halves.get(id)]))).toEqual(splitHalves("any", many));
    const tune = later.filter(({ id }) => halves.get(id) === "tune").length;
    expect(Math.abs(later.length - 2 * tune)).toBeLessThanOrEqual(1);
  });
});

describe("the plain index", () => {
  const markdown =
    '---\ntitle: "Start here"\n---\nFirst words.\n\n# Install\n\n```sh\n# not a heading\nnpm i\n```\n\n## Use it ##\n\nCall it.\n';

  it("cuts Markdown at its headings, and not inside of fences", () => {
    expect(splitAtHeadings(markdown)).toEqual([
      { title: "Start here", body: "First words." },
      { title: "Install", body: "```sh\n# not a heading\nnpm i\n```" },
      { title: "Use it", body: "Call it." },
    ]);
  });

  it("answers with pages, best first, for any characters in the question", async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, "guide"));
    await writeFile(join(folder.path, "guide", "retry.md"), "# Retrying\n\nRequests are retried after failures.\n");
    await writeFile(join(folder.path, "other.mdx"), "# Other\n\nA request is sent once.\n");
    await writeFile(join(folder.path, "code.ts"), "retry");
    const index = await createPlainIndex(folder.path);
    expect(index.pages('how to "retry" a request?')).toEqual(["guide/retry.md", "other.mdx"]);
    expect(index.pages("?!")).toEqual([]);
    index.close();
  });
});

describe("pages of an answer", () => {
  const prose = (markdown = "text"): PassageBlock => ({ type: "prose", markdown });
  const code = (url: string, text = "text"): PassageBlock => ({
    type: "code",
    title: "Title",
    description: "",
    codes: [{ language: "", code: text }],
    url,
  });
  const at = (url: string, ...blocks: readonly PassageBlock[]): Passage => ({
    id: url,
    title: "Title",
    breadcrumb: [],
    blocks,
    page: { title: "", url },
    source: { url, revision: "1" },
    tokens: 1,
  });
  const folder = join("/tmp", "docs of it");
  const url = (path: string): string => `${pathToFileURL(join(folder, path)).href}#L1-L2`;

  it("are read from both forms in the order in which a client reads them", () => {
    const passages = [
      at(url("a b.md"), prose("Source: nowhere")),
      at(url("c.md"), code(url("c.md"))),
      at(url("d.md"), prose()),
    ];
    const text = textSources(renderText(passages, ({ source }) => source.url)).map((source) => pageOf(source, folder));
    expect(text).toEqual(["a b.md", "c.md", "d.md"]);
    // Clients print all code before all prose.
    const json = renderJson(passages);
    const pages = jsonSources(json as Parameters<typeof jsonSources>[0]).map((source) => pageOf(source, folder));
    expect(pages).toEqual(["c.md", "a b.md", "d.md"]);
  });

  it("are listed as unjudged if they are among the first five without a grade", () => {
    const question = parseQuestions(
      "any",
      JSON.stringify([
        { id: "a", intent: "api", question: "what is it", pages: [{ path: "a.md", grade: 2 }], others: ["b.md"] },
      ]),
    )[0];
    if (!question) throw new Error("There is one question.");
    expect(unjudged(question, ["c.md", "a.md", "c.md", "b.md", "d.md", "e.md", "f.md"])).toEqual([
      "c.md",
      "d.md",
      "e.md",
    ]);
  });

  it("must be below the library's folder, or the run ends", () => {
    expect(() => pageOf("file:///elsewhere/a.md", folder)).toThrow("not the address of a page below");
  });
});

describe("the questions", () => {
  it("are refused with a duplicate id, without an answering page, or in another form", () => {
    const row = { id: "a", intent: "api", question: "what is it", pages: [{ path: "a.md", grade: 3 }], others: [] };
    expect(() => parseQuestions("any", JSON.stringify([row, row]))).toThrow("twice");
    expect(() => parseQuestions("any", JSON.stringify([{ ...row, pages: [{ path: "a.md", grade: 1 }] }]))).toThrow(
      "grade 2 or 3",
    );
    expect(() => parseQuestions("any", JSON.stringify([{ ...row, intent: "other" }]))).toThrow("intent");
  });

  it("are asked of known libraries only", async () => {
    await expect(prepare(["nothing"])).rejects.toThrow("There is no library nothing");
  });
});
