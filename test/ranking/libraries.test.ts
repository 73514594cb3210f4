import { describe, expect, it } from "vitest";
import type { LibraryEntry } from "../../domain/ports.ts";
import { rankLibraries } from "../../ranking/libraries.ts";
import { errorsBetween } from "../../ranking/names.ts";
import { libraryEntry } from "../contracts/library-index.ts";

describe("rankLibraries", () => {
  it("puts the exact ID before the exact name, that before a prefix, and that before a misspelling", () => {
    const entries = [
      libraryEntry("/acme/widgit"),
      libraryEntry("/acme/widgets-pro"),
      libraryEntry("/other/widgets", { trust: 10 }),
      libraryEntry("/acme/widgets"),
    ];
    expect(order("acme/widgets", "", entries)[0]).toBe("/acme/widgets");
    expect(order("widgets", "", entries)).toEqual(["/other/widgets", "/acme/widgets", "/acme/widgets-pro"]);
    expect(order("widget", "", entries)).toEqual([
      "/other/widgets",
      "/acme/widgets",
      "/acme/widgets-pro",
      "/acme/widgit",
    ]);
  });

  it.each(["nextjs", "next.js", "Next JS", "NEXT-JS"])("takes %s for Next.js", (name) => {
    const entries = [libraryEntry("/acme/nextjs-auth"), libraryEntry("/vercel/next.js", { title: "Next.js" })];
    expect(order(name, "", entries)[0]).toBe("/vercel/next.js");
  });

  it("takes a package name for the library's own", () => {
    const entries = [
      libraryEntry("/acme/react-query-kit"),
      libraryEntry("/tanstack/query", { aliases: ["@tanstack/react-query"] }),
    ];
    expect(order("@tanstack/react-query", "", entries)[0]).toBe("/tanstack/query");
    expect(order("react-query", "", entries)[0]).toBe("/tanstack/query");
  });

  it("lets the question decide among libraries that fit the name alike, then trust and size", () => {
    const entries = [
      libraryEntry("/a/http", { trust: 9, totalSnippets: 1 }),
      libraryEntry("/b/http", { trust: 9, totalSnippets: 500 }),
      libraryEntry("/c/http", { trust: null, totalSnippets: 9000 }),
      libraryEntry("/d/http", { trust: 1, description: "Retries requests in Rust." }),
    ];
    expect(order("http", "how to retry requests", entries)).toEqual(["/d/http", "/b/http", "/c/http", "/a/http"]);
  });

  it("leaves out what has nothing to do with the name, whatever the question says", () => {
    const entries = [libraryEntry("/acme/router", { description: "Routes requests." }), libraryEntry("/acme/widgets")];
    expect(order("widgets", "route requests", entries)).toEqual(["/acme/widgets"]);
    expect(order("zzyzx", "route requests", entries)).toEqual([]);
  });

  it("finds the name inside a longer request, and by what the description says", () => {
    const entries = [libraryEntry("/acme/widgets", { description: "Buttons for terminal programs." })];
    expect(order("the widgets toolkit", "", entries)).toEqual(["/acme/widgets"]);
    expect(order("terminal buttons", "", entries)).toEqual(["/acme/widgets"]);
  });

  it("orders equal entries by ID", () => {
    const entries = ["/c/http", "/a/http", "/b/http"].map((id) => libraryEntry(id));
    expect(order("http", "", entries)).toEqual(["/a/http", "/b/http", "/c/http"]);
  });
});

describe("errorsBetween", () => {
  it.each([
    ["supabase", "superbase", 2, 2],
    ["supabase", "spuabase", 1, 1],
    ["vite", "vitee", 1, 1],
    ["vite", "vide", 0, Infinity],
    ["react", "preact", 1, 1],
    ["react", "redux", 2, Infinity],
    ["", "ab", 2, 2],
    ["", "abc", 2, Infinity],
    ["same", "same", 0, 0],
  ])("counts those of %s and %s, to %i, as %d", (a, b, most, errors) => {
    expect(errorsBetween(a, b, most)).toBe(errors);
    expect(errorsBetween(b, a, most)).toBe(errors);
  });
});

function order(name: string, query: string, entries: readonly LibraryEntry[]): string[] {
  return rankLibraries(name, query, entries).map(({ id }) => id);
}
