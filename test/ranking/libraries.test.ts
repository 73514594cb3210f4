import { describe, expect, it } from "vitest";
import type { LibraryEntry } from "../../domain/ports.ts";
import { claimFor, isNamed, rankLibraries } from "../../search/ranking/libraries.ts";
import { errorsBetween } from "../../search/ranking/names.ts";
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

  it.each([
    ["dotnet", "/acme/platform", ".NET"],
    [".NET", "/acme/dotnet", "Platform"],
    [".net core", "/acme/core", "dotnet core"],
    ["счетчик", "/acme/counter", "Счётчик"],
    ["Счётчик", "/acme/counter", "Счетчик"],
  ])("takes %s for %s, titled %s", (name, id, title) => {
    const entries = [libraryEntry("/acme/internet"), libraryEntry(id, { title })];
    expect(order(name, "", entries)[0]).toBe(id);
    expect(isNamed(name, libraryEntry(id, { title }))).toBe(true);
  });

  it("takes a package name for the library's own", () => {
    const entries = [
      libraryEntry("/acme/react-query-kit"),
      libraryEntry("/tanstack/query", { aliases: ["@tanstack/react-query"] }),
    ];
    expect(order("@tanstack/react-query", "", entries)[0]).toBe("/tanstack/query");
    expect(order("react-query", "", entries)[0]).toBe("/tanstack/query");
  });

  it("never puts a claimed name before an ID or a name of its own, however well known who claims it is", () => {
    const claiming = libraryEntry("/evil/kit", {
      aliases: ["react", "@facebook/react", "facebook/react", "@facebook/docs"],
      description: "React documentation in Rust.",
      trust: 10,
      totalSnippets: 1_000_000,
    });
    const entries = [
      claiming,
      libraryEntry("/facebook/react", { trust: 0, totalSnippets: 1, description: "For Go." }),
      libraryEntry("/other/thing", { title: "React", trust: 0, totalSnippets: 1, description: "For Go." }),
    ];
    for (const name of ["react", "React", "facebook/react", "reactjs", "@facebook/react"]) {
      for (const query of ["", "how to use the kit in rust", "react docs"])
        expect(order(name, query, entries).indexOf("/evil/kit"), `${name} ${query}`).not.toBe(0);
    }
    expect(order("react", "rust", entries).at(-1)).toBe("/evil/kit");
  });

  it("returns the claim that matches a name", () => {
    const entry = {
      ...libraryEntry("/acme/widgets"),
      aliases: [
        { name: "@acme/widgets-core", manifest: "packages/core/package.json" },
        { name: "com.acme:widgets-server", manifest: "server/pom.xml" },
      ],
    };
    expect(claimFor("@acme/widgets-core", entry)?.manifest).toBe("packages/core/package.json");
    expect(claimFor("widgets-core", entry)?.manifest).toBe("packages/core/package.json");
    expect(claimFor("widgets-server", entry)?.manifest).toBe("server/pom.xml");
    expect(claimFor("com.acme:widgets-server", entry)?.manifest).toBe("server/pom.xml");
    expect(claimFor("widgets", entry)).toBeUndefined();
    expect(order("widgets-server", "", [entry, libraryEntry("/acme/server")])[0]).toBe("/acme/widgets");
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

  it("orders by trust what is otherwise equal, and takes what is not known for neither good nor bad", () => {
    const trusts = { "/a/http": 1, "/b/http": null, "/c/http": 9, "/d/http": 6 } as const;
    const entries = Object.entries(trusts).map(([id, trust]) => libraryEntry(id, { trust }));
    expect(order("http", "", entries)).toEqual(["/c/http", "/d/http", "/b/http", "/a/http"]);
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
