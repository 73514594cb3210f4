import { describe, expect, it } from "vitest";
import {
  chosenId,
  deriveDocsId,
  deriveRepositoryId,
  foldId,
  movedRepository,
  parseLibraryId,
  showLibrary,
} from "../../domain/library.ts";
import { gitSpec, wholeTree } from "../support/git-spec.ts";

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
    expect(chosenId("/me/mine", "repository")).toBe("/me/mine");
    expect(chosenId("docs/mine", "docs")).toBe("/docs/mine");
    expect(() => chosenId("/docs/mine", "repository")).toThrow(/reserved/);
    expect(() => chosenId("/me/mine", "docs")).toThrow(/\/docs\/name/);
    expect(() => chosenId("/me/mine@v1", "repository")).toThrow(/without a version/);
  });
});

describe("movedRepository", () => {
  const old = "https://git.example.com/acme/old";
  const undecided = { pendingRename: null, refusedRenames: [] };
  it.each([
    ["/acme/old", old, "https://git.example.com/acme/new", "https://git.example.com/acme/new", "/acme/new"],
    ["/Acme/Old", old, "https://git.example.com/Beta/new.git/", "https://git.example.com/Beta/new", "/Beta/new"],
    [
      "/acme/old",
      `${old}.git`,
      "https://git.example.com/acme/new?a=b",
      "https://git.example.com/acme/new.git",
      "/acme/new",
    ],
    ["/my/own", old, "https://git.example.com/acme/new", "https://git.example.com/acme/new", null],
    ["/acme/old", old, "https://git.example.com/docs/new", "https://git.example.com/docs/new", null],
    ["/acme/old", "http://git.example.com/acme/old", old, old, "/acme/old"],
  ])("tells of %s at %s, found at %s", (id, url, location, to, renamed) => {
    expect(movedRepository({ id, source: gitSpec(url), ...undecided }, location)).toEqual({
      from: url,
      to,
      id: renamed,
    });
  });

  it.each([
    [old, old],
    [old, `${old}.git`],
    [`${old}.git`, `${old}/`],
    [old, "https://mirror.example.com/acme/new"],
    [old, "https://git.example.com:8443/acme/new"],
    [old, "http://git.example.com/acme/new"],
    [old, ""],
  ])("takes %s found at %s for no rename", (url, location) => {
    expect(movedRepository({ id: "/acme/old", source: gitSpec(url), ...undecided }, location)).toBeNull();
  });

  it("tells of an ID that an earlier address gave, and that was refused or waits, as of one that came from the address", () => {
    const id = "/my/first";
    const location = "https://git.example.com/acme/new";
    const waiting = { ...undecided, pendingRename: { id: "/acme/old" } };
    for (const decided of [waiting, { ...undecided, refusedRenames: ["/Acme/Old"] }])
      expect(movedRepository({ id, source: gitSpec(old), ...decided }, location)).toMatchObject({ id: "/acme/new" });
  });

  it("knows no rename of a folder", () => {
    const source = { kind: "folder", path: "/a", selection: wholeTree } as const;
    expect(movedRepository({ id: "/docs/a", source, ...undecided }, old)).toBeNull();
  });
});
