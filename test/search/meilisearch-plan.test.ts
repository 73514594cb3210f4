import { describe, expect, it } from "vitest";
import { ranker } from "../../search/ranking/ranker.ts";
import { lengthOf, rarestTerms } from "../../search/candidates.ts";
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

/** The plan for terms with these frequencies in 1,000 passages. */
function planFor(frequency: Readonly<Record<string, number>>, limit = 100) {
  return planSearches(rarestTerms(new Map(Object.entries(frequency)), 1000), { limit });
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

  it("look for a single term once", () => {
    const { together, singles } = planFor({ hook: 400 });
    expect(together).toBeUndefined();
    expect(singles.map(({ q, limit }) => [q, limit])).toEqual([['"hook"', 300]]);
  });

  it("include common words only if there are no others, and never words that no passage has", () => {
    expect(planFor({ usestate: 900, react: 950 }).together?.q).toBe("usestate react");
    expect(planFor({ usestate: 900, hook: 20, nowhere: 0 }).singles.map(({ term }) => term)).toEqual(["hook"]);
  });
});

function documentOf(passage: ReturnType<typeof prosePassage>): PassageDocument {
  return JSON.parse(createDocumentWriter("g", "").write(JSON.stringify(passage)) ?? "") as PassageDocument;
}

/** The level of a word. */
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

  it("are worth less from one to the next, by Meilisearch's score", () => {
    const shares = levelNames.map((_, at) => shareAt(1 - at / searchedNames.length));
    expect(shares).toEqual(shares.toSorted((a, b) => b - a));
    expect(shares.at(-1)).toBeGreaterThan(0);
  });
});

describe("the hits that are read", () => {
  it("are the best by all their terms: two frequent words count less than a rare one", () => {
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

/** Words of different frequency, for otherwise similar passages. */
const words = ["cache", "server", "request", "token", "stream", "retry", "header", "cookie"];

it("both indexes give the same candidates, as long as Meilisearch finds every passage with a word", async () => {
  // A deterministic pseudo-random generator.
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
  const documents = passages.map((passage) => toCandidate(documentOf(passage)));
  try {
    for (const query of ["cookie", "retry stream", "header server", "a cache for the request", "cache"]) {
      const question = ranker.analyseQuestion(query, { id: "/a/library", title: "Library" });
      const { candidates, documentFrequency: frequency, total } = await sqlite.candidates("g", question, { limit: 40 });
      const wanted = rarestTerms(frequency, total);
      const averageLength =
        documents.reduce((sum, { candidate }) => sum + lengthOf(candidate.lengths), 0) / documents.length;
      const best = bestCandidates(documents, wanted, { total, frequency, averageLength }, 40);
      expect(new Set(best.map(({ candidate }) => candidate.id)), query).toEqual(
        new Set(candidates.map(({ id }) => id)),
      );
    }
  } finally {
    await sqlite.close();
  }
});
