import { describe, expect, it } from "vitest";
import { byPage, follows } from "../../domain/choosing.ts";
import type { Passage, Provenance } from "../../domain/passage.ts";
import { prosePassage } from "../contracts/passage-samples.ts";

describe("byPage", () => {
  it("puts the passages of a page in the order of the document, whatever their rank", () => {
    expect(order(at("third", "p", 30), at("first", "p", 10), at("second", "p", 20))).toEqual([
      ["first", "second", "third"],
    ]);
  });

  it("keeps pages in the order of their best passages", () => {
    const ranked = [at("b2", "b", 90), at("a1", "a", 1), at("b1", "b", 5), at("c1", "c", 1), at("a2", "a", 9)];
    expect(order(...ranked)).toEqual([["b1", "b2"], ["a1", "a2"], ["c1"]]);
  });

  it("uses ordinals where there are no lines, and keeps the order of passages without either", () => {
    const numbered = ["x", "y", "z"].map((id, place) => on(id, "p", { ordinal: 2 - place }));
    expect(order(...numbered)).toEqual([["z", "y", "x"]]);
    expect(order(...["x", "y", "z"].map((id) => on(id, "p", {})))).toEqual([["x", "y", "z"]]);
    expect(order()).toEqual([]);
  });
});

describe("follows", () => {
  it("compares ordinals, even if a passage between has one line", () => {
    const at = (ordinal: number, first: number, last: number) => on("a", "p", { ordinal, lines: [first, last] });
    const [first, second, third] = [at(0, 1, 10), at(1, 30, 30), at(2, 31, 40)];
    expect([follows(second, first), follows(third, second)]).toEqual([true, true]);
    expect([follows(third, first), follows(first, second)]).toEqual([false, false]);
  });

  it("compares lines for format 1, which has no ordinals, and is false without either", () => {
    const lines = (first: number, last: number) => on("a", "p", { lines: [first, last] });
    expect(follows(lines(11, 20), lines(1, 10))).toBe(true);
    expect(follows(lines(12, 20), lines(1, 10))).toBe(false);
    expect(follows(on("b", "p", {}), on("a", "p", {}))).toBe(false);
  });
});

function on(id: string, page: string, place: Partial<Provenance>): Passage {
  const passage = prosePassage(id, "", { page });
  return { ...passage, source: { url: passage.source.url, revision: "r", ...place } };
}

function at(id: string, page: string, line: number): Passage {
  return on(id, page, { lines: [line, line] });
}

function order(...passages: readonly Passage[]): readonly (readonly string[])[] {
  return byPage(passages).map((page) => page.map(({ id }) => id));
}
