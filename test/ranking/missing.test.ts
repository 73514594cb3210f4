import { describe, expect, it } from "vitest";

import { missingWords } from "../../search/ranking/missing-words.ts";
import { analyseQuestion, lookedUp } from "../../search/ranking/analyse-question.ts";
import { analyse } from "../../search/ranking/analyse-text.ts";

/** The words of a question that are missing in this documentation, given these corrections. */
function missing(query: string, documentation: string, corrections: Record<string, string[]> = {}): readonly string[] {
  const question = analyseQuestion(query, { id: "/acme/widgets", title: "Widgets" });
  const present = new Set(analyse(documentation));
  const documentFrequency = new Map(lookedUp(question).map((term) => [term, present.has(term) ? 1 : 0]));
  return missingWords(query, question, { documentFrequency, corrections: new Map(Object.entries(corrections)) });
}

describe("words that no passage has", () => {
  it("are named as they are written, each once, three at most", () => {
    expect(missing("use Windsurf with windsurf proxies", "a proxy")).toEqual(["Windsurf"]);
    expect(missing("esbuild, webpack, rollup and parcel", "")).toEqual(["esbuild", "webpack", "rollup"]);
  });

  it("are no stop words, no name of the library, no numbers and no common words, but for names", () => {
    expect(missing("how do I use it", "")).toEqual([]);
    expect(missing("why do 401 people wait 20k hours for a colleague", "")).toEqual([]);
    expect(missing("deploy to Prism from Render", "deploy")).toEqual(["Prism", "Render"]);
    expect(missing("write to House", "write")).toEqual(["House"]);
  });

  it("are not those with a synonym, another form or a correction", () => {
    expect(missing("auth with webhooks", "authentication by a webhook")).toEqual([]);
    expect(missing("kubernetes", "on k8s")).toEqual([]);
    expect(missing("shutdwon", "shutdown", { shutdwon: ["shutdown"] })).toEqual([]);
  });

  it("are no identifiers whose parts occur", () => {
    expect(missing("useRouter and server-side rendering", "router, server")).toEqual(["rendering"]);
  });
});
