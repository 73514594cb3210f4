import { describe, expect, it } from "vitest";
import { createDocumentWriter } from "../../search/meilisearch/documents.ts";
import type { PassageDocument } from "../../search/meilisearch/documents.ts";
import { planSearches } from "../../search/meilisearch/plan.ts";
import { prosePassage } from "../contracts/passage-samples.ts";

/** The plan for terms of a generation of 1,000 passages, by how often each occurs. */
function planFor(frequency: Readonly<Record<string, number>>, limit = 100) {
  const known = { total: 1000, frequency: new Map(Object.entries(frequency)) };
  return planSearches({ asked: Object.keys(frequency), besides: [] }, known, { limit });
}

describe("the searches in Meilisearch", () => {
  it("look for a word that most passages have in titles, headings and paths", () => {
    const { singles, together, terms } = planFor({ usestate: 900, hook: 20 });
    expect(together?.q).toBe("hook");
    expect(singles).toEqual([
      { q: '"usestate"', limit: 50, matchingStrategy: "last", attributesToSearchOn: ["tt", "th"] },
    ]);
    expect(terms).toEqual(["hook", "usestate"]);
  });

  it("look for words that most passages have everywhere where there are no others", () => {
    const { singles, together } = planFor({ usestate: 900, react: 950 });
    expect(together?.q).toBe("usestate react");
    expect(singles.map(({ q, attributesToSearchOn }) => [q, attributesToSearchOn])).toEqual([
      ['"usestate"', undefined],
      ['"react"', undefined],
    ]);
  });

  it("look for rare words everywhere, and for those that no passage has not at all", () => {
    const { singles } = planFor({ hook: 20, state: 300, nowhere: 0 });
    expect(singles.every(({ attributesToSearchOn }) => attributesToSearchOn === undefined)).toBe(true);
    expect(singles).toHaveLength(2);
  });
});

it("a passage's title stands before its headings and its path, and these before its text", () => {
  const passage = prosePassage("one", "Call `useThing` in a component.");
  const written = createDocumentWriter("g", "").write(
    JSON.stringify({ ...passage, title: "Usage", breadcrumb: ["Hooks", "Usage"] }),
  );
  const { tt, th, tb } = JSON.parse(written ?? "") as PassageDocument;
  expect(tt.split(" ")).toEqual(["usag"]);
  expect(th.split(" ")).toContain("hook");
  expect(tb.split(" ")).toEqual(expect.arrayContaining(["useth", "compon"]));
  expect(`${tt} ${th}`.split(" ")).not.toContain("useth");
});
