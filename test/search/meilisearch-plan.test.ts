import { describe, expect, it } from "vitest";
import { ranker } from "../../search/ranking/ranker.ts";
import { lengthOf, planMatch } from "../../search/candidates.ts";
import { bestCandidates, bestHits, planSearches } from "../../search/meilisearch/candidates.ts";
import {
  createDocumentWriter,
  toCandidate,
  levelNames,
  searchedNames,
  shareAt,
  type PassageDocument,
} from "../../search/meilisearch/documents.ts";
import { createSqlitePassageIndex } from "../../search/sqlite/passage-index.ts";
import { control } from "../contracts/passage-index-asking.ts";
import { partsOf, prosePassage } from "../contracts/passage-samples.ts";
import { temporaryFolder } from "../support/lectern-process.ts";

/** The plan for terms of a generation of 1,000 passages, by how often each occurs. */
function planFor(frequency: Readonly<Record<string, number>>, limit = 100) {
  const match = planMatch({ pairs: [] }, Object.keys(frequency), new Map(Object.entries(frequency)), 1000);
  return planSearches(match, { limit });
}

describe("the searches in Meilisearch", () => {
  it("look for the terms together, the rarest first, and for each by itself", () => {
    const { together, singles } = planFor({ state: 300, hook: 20 });
    expect(together).toEqual({ q: "hook state", limit: 100, matchingStrategy: "last" });
    expect(singles.map(({ term, q, limit }) => [term, q, limit])).toEqual([
      ["hook", '"hook"', 300],
      ["state", '"state"', 300],
    ]);
  });

  it("take fewer hits of each of many terms", () => {
    const { singles } = planFor({ a: 10, b: 20, c: 30, d: 40, e: 50, f: 60, g: 70 });
    expect(new Set(singles.map(({ limit }) => limit))).toEqual(new Set([100]));
  });

  it("look for a term that stands alone once", () => {
    const { together, singles } = planFor({ hook: 400 });
    expect(together).toBeUndefined();
    expect(singles.map(({ q, limit }) => [q, limit])).toEqual([['"hook"', 300]]);
  });

  it("look for words that most passages have where there are no others, and for those that none has not at all", () => {
    expect(planFor({ usestate: 900, react: 950 }).together?.q).toBe("usestate react");
    expect(planFor({ usestate: 900, hook: 20, nowhere: 0 }).singles.map(({ term }) => term)).toEqual(["hook"]);
  });
});

/** The document of a passage. */
function documentOf(passage: ReturnType<typeof prosePassage>): PassageDocument {
  return JSON.parse(createDocumentWriter("g", "").write(JSON.stringify(passage)) ?? "") as PassageDocument;
}

/** The level that a word stands in. */
function levelIn(document: PassageDocument, word: string): number {
  const levels = levelNames.flatMap((name, at) => ((document[name] ?? "").split(" ").includes(word) ? [at] : []));
  expect(levels, `levels of ${word}`).toHaveLength(1);
  return levels[0] ?? -1;
}

describe("the levels of a passage's words", () => {
  const passage = {
    ...prosePassage(
      "one",
      `Call \`useThing\` in a component. ${"Some other words. ".repeat(20)}A cache, the cache, caches.`,
    ),
    title: "Usage",
    breadcrumb: ["Hooks", "Usage"],
  };

  it("put a title before headings, and these before what the text says once", () => {
    const document = documentOf(passage);
    expect(levelIn(document, "usag")).toBeLessThan(levelIn(document, "hook"));
    expect(levelIn(document, "hook")).toBeLessThan(levelIn(document, "compon"));
    expect(levelIn(document, "cach")).toBeLessThan(levelIn(document, "compon"));
  });

  it("put a word of a short passage before the same word of a long one", () => {
    const short = documentOf(prosePassage("two", "A component."));
    const long = documentOf(prosePassage("three", `A component. ${"Some other words. ".repeat(200)}`));
    expect(levelIn(short, "compon")).toBeLessThan(levelIn(long, "compon"));
  });

  it("are worth less from one to the next, by the score that Meilisearch gives", () => {
    const shares = levelNames.map((_, at) => shareAt(1 - at / searchedNames.length));
    expect(shares).toEqual(shares.toSorted((a, b) => b - a));
    expect(shares.at(-1)).toBeGreaterThan(0);
  });
});

describe("what is read of the hits", () => {
  it("is best together: two frequent words count less than a rare one", () => {
    const known = {
      total: 1000,
      frequency: new Map([
        ["rare", 3],
        ["often", 400],
        ["most", 450],
      ]),
    };
    const hit = (sid: string) => ({ sid, _rankingScore: 0.5 });
    const hits = [
      ["rare", [hit("a")]],
      ["often", [hit("b"), hit("c")]],
      ["most", [hit("c"), hit("d")]],
    ] as const;
    expect(bestHits(hits, known, 3)).toEqual(["a", "c", "b"]);
  });
});

/** Words that are frequent in different measure, for passages that are all alike. */
const words = ["cache", "server", "request", "token", "stream", "retry", "header", "cookie"];

it("the candidates of both indexes are the same, as long as Meilisearch finds all that have a word", async () => {
  // Numbers that look random and are always the same.
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const some = (count: number) =>
    Array.from({ length: count }, () => words[Math.min(random(8), random(8))] ?? "cache").join(" ");
  const passages = Array.from({ length: 300 }, (_, at) => ({
    ...prosePassage(`p${at}`, `${some(1 + random(30))}. ${"Some other things. ".repeat(random(12))}`),
    title: some(1 + random(3)),
  }));
  await using folder = await temporaryFolder();
  const sqlite = createSqlitePassageIndex({ folder: folder.path });
  await sqlite.load("g", partsOf(passages), control());
  const found = passages.map((passage) => toCandidate(documentOf(passage)));
  try {
    for (const asked of ["cookie", "retry stream", "header server", "a cache for the request", "cache"]) {
      const question = ranker.analyseQuestion(asked, { id: "/a/library", title: "Library" });
      const { candidates, documentFrequency: frequency, total } = await sqlite.candidates("g", question, { limit: 40 });
      const match = planMatch(question, [...frequency.keys()], frequency, total);
      const averageLength = found.reduce((sum, { candidate }) => sum + lengthOf(candidate.lengths), 0) / found.length;
      const best = bestCandidates(found, match, { total, frequency, averageLength }, 40);
      expect(new Set(best.map(({ candidate }) => candidate.id)), asked).toEqual(
        new Set(candidates.map(({ id }) => id)),
      );
    }
  } finally {
    await sqlite.close();
  }
});
