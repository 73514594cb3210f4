import { describe, expect, it } from "vitest";
import { correctionsOf, misspeltWords, nearestTerms, spellingRange } from "../../search/ranking/spelling.ts";

const terms = new Map([
  ["shutdown", 12],
  ["shut", 3],
  ["configur", 40],
  ["config", 60],
  ["connect", 20],
  ["conect", 1],
  ["redirect", 9],
]);

describe("nearestTerms", () => {
  it.each([
    ["shutdwon", ["shutdown"]],
    ["configuratoin", ["config", "configur"]],
    ["conenct", ["connect", "conect"]],
    ["reditect", ["redirect"]],
    ["kubernet", []],
  ])("finds for %s the terms %s", (word, expected) => {
    expect(nearestTerms(word, terms).map(([term]) => term)).toEqual(expected);
  });

  it("prefers fewer errors, then the more frequent term", () => {
    expect(nearestTerms("connecr", terms)).toEqual([["connect", 20]]);
    expect(nearestTerms("conneect", terms)).toEqual([["connect", 20]]);
    expect(nearestTerms("connct", new Map([...terms, ["connact", 1]]))).toEqual([
      ["connect", 20],
      ["connact", 1],
    ]);
  });

  it("treats a short word with one other or one more letter as another word", () => {
    const others = ["click", "strip", "core", "while"].map((term) => [term, 5] as const);
    for (const word of ["clock", "stripe", "chore", "whole"]) expect(nearestTerms(word, others)).toEqual([]);
    expect(nearestTerms("clikc", others)).toEqual([["click", 5]]);
    expect(nearestTerms("clck", others)).toEqual([["click", 5]]);
  });
});

describe("spellingRange", () => {
  it("covers terms with the same first letter and a similar length", () => {
    expect(spellingRange("shutdwon")).toEqual({ from: "s", before: "t", shortest: 4, longest: 10 });
  });

  it.each(["cors", "http2", "next.js", "naïve", "", "a".repeat(60)])("leaves %s as it is", (word) => {
    expect(spellingRange(word)).toBeUndefined();
  });
});

describe("misspeltWords", () => {
  it("are those that the generation does not have and that can be corrected, three at most", () => {
    const frequency = new Map([
      ["known", 2],
      ...["cors", "mispelt", "wrods", "everywere", "heere"].map((word) => [word, 0] as const),
    ]);
    expect(misspeltWords([...frequency.keys()], frequency)).toEqual(["mispelt", "wrods", "everywere"]);
    expect(misspeltWords(["unasked"], frequency)).toEqual([]);
  });
});

describe("correctionsOf", () => {
  it("lists the corrections of each word, and adds their frequencies", () => {
    const frequency = new Map([["conect", 0]]);
    const near = [
      ["conect", [["connect", 20]]],
      ["xyzzy", []],
    ] as const;
    expect(correctionsOf(near, frequency)).toEqual(new Map([["conect", ["connect"]]]));
    expect(frequency.get("connect")).toBe(20);
  });
});
