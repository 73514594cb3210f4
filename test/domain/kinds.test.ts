import { describe, expect, it } from "vitest";
import { kinds } from "../../domain/kinds/index.ts";
import { gitSpec, wholeTree } from "../support/git-spec.ts";

const { git: gitKind, folder: folderKind } = kinds;

describe("a source that its host has moved", () => {
  const old = "https://git.example.com/acme/old";
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
  ])("is renamed: %s at %s, found at %s", (id, url, location, to, renamed) => {
    expect(gitKind.moved?.([id], gitSpec(url), location)).toEqual({ from: url, to, id: renamed });
  });

  it.each([
    [old, old],
    [old, `${old}.git`],
    [`${old}.git`, `${old}/`],
    [old, "https://mirror.example.com/acme/new"],
    [old, "https://git.example.com:8443/acme/new"],
    [old, "http://git.example.com/acme/new"],
    [old, ""],
  ])("is not renamed: %s found at %s", (url, location) => {
    expect(gitKind.moved?.(["/acme/old"], gitSpec(url), location)).toBeNull();
  });

  it("is renamed whichever of its IDs the address gave it", () => {
    const location = "https://git.example.com/acme/new";
    expect(gitKind.moved?.(["/my/first", "/Acme/Old"], gitSpec(old), location)).toMatchObject({ id: "/acme/new" });
  });

  it("is never a folder", () => {
    const source = { kind: "folder", path: "/a", selection: wholeTree } as const;
    expect(folderKind.moved?.(["/docs/a"], source, old)).toBeUndefined();
  });
});
