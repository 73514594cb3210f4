import { describe, expect, it } from "vitest";
import {
  chosenId,
  deriveDocsId,
  deriveRepositoryId,
  deriveSiteId,
  foldId,
  parseLibraryId,
  showLibrary,
} from "../../domain/library.ts";

describe("parseLibraryId", () => {
  it.each([
    ["/vercel/next.js", "/vercel/next.js", ""],
    ["vercel/next.js", "/vercel/next.js", ""],
    ["/vercel/next.js/", "/vercel/next.js", ""],
    ["/vercel/next.js@v14.3.0", "/vercel/next.js", "v14.3.0"],
    ["/vercel/next.js/v14.3.0", "/vercel/next.js", "v14.3.0"],
    ["/o/n/feature/a.b@c", "/o/n", "feature/a.b@c"],
    ["/o/n@release@2", "/o/n", "release@2"],
    ["/npm/@scope/name", "/npm/@scope/name", ""],
    ["/npm/@scope/name@1.2.3", "/npm/@scope/name", "1.2.3"],
    ["/packages/@scope/name", "/npm/@scope/name", ""],
    ["/packages/left-pad/1.0", "/npm/left-pad", "1.0"],
    ["/websites/vite_dev", "/websites/vite_dev", ""],
    ["/o/n@>=3 <5 || ^6", "/o/n", ">=3 <5 || ^6"],
    ["/npm/@scope/name/^1.2", "/npm/@scope/name", "^1.2"],
    ["/docs/cafe\u0301", "/docs/caf\u00e9", ""],
  ])("takes %s apart", (text, id, version) => {
    expect(parseLibraryId(text)).toEqual({ id, version });
  });

  it.each([
    "",
    "/",
    "/one",
    "one",
    "//",
    "/a//b",
    "/a/..",
    "/../a",
    "/a/b/../c",
    "/a b/c",
    "/a/b\u0000",
    "/a/b\nc",
    "/a/<b>",
    "/a/^b",
    "/a/b@{x}",
    "/a/b@1\t2",
    '/a/b@"1"',
    `/a/${"x".repeat(500)}`,
  ])("refuses %j", (text) => {
    expect(() => parseLibraryId(text)).toThrow(expect.objectContaining({ code: "invalid_library_id" }));
  });

  it("keeps the case of an ID and compares without it", () => {
    expect(parseLibraryId("/Vercel/Next.js").id).toBe("/Vercel/Next.js");
    expect(foldId("/Vercel/Next.js")).toBe("/vercel/next.js");
    expect(showLibrary("/a/b", "V1")).toBe("/a/b@V1");
  });
});

describe("deriveRepositoryId", () => {
  it.each(["websites", "llmstxt", "packages", "npm", "docs", "openapi", "confluence", "Notion"])(
    "refuses the reserved owner %s and names the way out",
    (owner) => {
      expect(() => deriveRepositoryId(new URL(`https://github.com/${owner}/x`))).toThrow(/libraryName/);
    },
  );
});

describe("other IDs", () => {
  it("makes a slug of a title", () => {
    expect(deriveDocsId("Our Hand-book (2026)!")).toBe("/docs/our-hand-book-2026");
    expect(() => deriveDocsId("!!!")).toThrow(/letters or digits/);
  });

  it("holds a chosen ID to the shape of its kind", () => {
    expect(chosenId("/me/mine", null)).toBe("/me/mine");
    expect(chosenId("docs/mine", "docs")).toBe("/docs/mine");
    expect(() => chosenId("/docs/mine", null)).toThrow(/reserved/);
    expect(() => chosenId("/me/mine", "docs")).toThrow(/\/docs\/name/);
    expect(() => chosenId("/me/mine@v1", null)).toThrow(/without a version/);
  });
});

describe("deriveSiteId", () => {
  it.each([
    ["https://docs.example.com/guide/", "/websites/example_com_guide"],
    ["http://docs.example.com:80/", "/websites/example_com"],
    ["http://docs.example.com:8080/guide", "/websites/example_com-8080_guide"],
    ["http://127.0.0.1:3000/", "/websites/127_0_0_1-3000"],
  ])("makes of %s an ID that sites on other ports do not have", (url, id) => {
    expect(deriveSiteId("websites", new URL(url))).toBe(id);
  });
});
