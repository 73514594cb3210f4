import { describe, expect, it } from "vitest";
import { inReadingOrder } from "../../domain/arranging.ts";
import type { Snippet } from "../../domain/snippet.ts";
import { infoSnippet } from "../contracts/snippet-samples.ts";

describe("inReadingOrder", () => {
  it("puts the steps of a section in the order of the document, wherever they were ranked", () => {
    expect(order(at("third", "p", "Setup", 30), at("first", "p", "Setup", 10), at("second", "p", "Setup", 20))).toEqual(
      ["first", "second", "third"],
    );
  });

  it("keeps pages, and the sections of a page, in the order of their best snippets", () => {
    const ranked = [
      at("b2", "b", "Late", 90),
      at("a1", "a", "Only", 1),
      at("b1", "b", "Early", 5),
      at("c1", "c", "Only", 1),
      at("b3", "b", "Late", 80),
      at("a2", "a", "Only", 9),
    ];
    expect(order(...ranked)).toEqual(["b3", "b2", "b1", "a1", "a2", "c1"]);
  });

  it("keeps the order of snippets without lines", () => {
    const bare = ["x", "y", "z"].map((id) => infoSnippet(id, "", { page: "p" }));
    const unlined = bare.map((one): Snippet => ({ ...one, source: { url: one.source.url, revision: "r" } }));
    expect(order(...unlined)).toEqual(["x", "y", "z"]);
    expect(order()).toEqual([]);
  });
});

function at(id: string, page: string, heading: string, line: number): Snippet {
  const snippet = infoSnippet(id, "", { page, breadcrumb: [heading] });
  return { ...snippet, source: { ...snippet.source, lines: [line, line] } };
}

function order(...snippets: readonly Snippet[]): readonly string[] {
  return inReadingOrder(snippets).map(({ id }) => id);
}
