import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { similarity, meaningOf, meaningOfPassage, piecesOf } from "../../search/ranking/meaning.ts";
import { prosePassage } from "../contracts/passage-samples.ts";
import { cpuSeconds } from "../support/cpu-time.ts";

const vocabulary = readFileSync("search/word-pieces/vocabulary.txt", "utf8").split("\n");

describe("the meaning of a text", () => {
  // By the tokeniser and the vectors of the Python package that the table was made with; of ASCII punctuation it has next to nothing.
  it.each([
    ["How do I delete a record?", "how do i del ##ete a record", [0.105588, -0.27935, 0.168314, -0.312438]],
    ["useState() returns a pair", "uses ##tate returns a pair", [-0.119497, -0.434561, 0.110909, -0.05745]],
  ])("%s", (text, pieces, first) => {
    expect(piecesOf(text).map((row) => vocabulary[row])).toEqual(pieces.split(" "));
    const meaning = meaningOf(text);
    for (const [at, value] of first.entries())
      expect((meaning[at] ?? 0) / Math.hypot(...meaning)).toBeCloseTo(value, 1);
  });

  it.each([
    ["Café à la carte", "cafe a la carte"],
    ["東京", "東 京"],
    ["a\u0000b\tc", "ab c"],
    ["snake_case", "snake case"],
    ["ＡＢ".normalize("NFKC"), "ab"],
  ])("%j is that of %j", (text, same) => {
    expect(piecesOf(text)).toEqual(piecesOf(same));
  });

  it("is near for other words of the same matter, and far for others", () => {
    const question = meaningOf("how do I delete a record");
    const near = similarity(question, meaningOf("remove an entry from the table"));
    expect(near).toBeGreaterThan(2 * Math.abs(similarity(question, meaningOf("The colours of the logo"))));
    expect(similarity(question, question)).toBeCloseTo(1);
  });

  it("of no word is like nothing", () => {
    expect(similarity(meaningOf(""), meaningOf("a record"))).toBe(0);
    expect(meaningOf("  ")).toEqual(new Int8Array(128));
  });

  it("costs time in proportion to the text, of which only the beginning counts", () => {
    const units = ["a", "a ", "\u0301", "#", "x\u0000"];
    expect(cpuSeconds(() => units.map((unit) => meaningOf(unit.repeat(200_000))))).toBeLessThan(2);
    const passage = prosePassage("a", `${"word ".repeat(200)}and the end.`, { title: "A" });
    const longer = prosePassage("a", `${"word ".repeat(2000)}and another end.`, { title: "A" });
    expect(meaningOfPassage(passage)).toEqual(meaningOfPassage(longer));
  });
});
