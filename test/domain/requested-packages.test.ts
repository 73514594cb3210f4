import { describe, expect, it } from "vitest";
import { answeringVersion, parseRequestedPackage, requestedVersion } from "../../domain/requested-packages.ts";

const read = (text: string) => {
  const parsed = parseRequestedPackage(text);
  if (parsed === null) return null;
  const { registries, nameIn, version, isSure } = parsed;
  return [registries.map((one) => `${one}:${nameIn(one)}`).join(" "), version, isSure];
};

describe("a package with its version", () => {
  it.each([
    ["zod@3.25.0", "npm:zod pypi:zod crates:zod", "3.25.0"],
    ["@scope/name@1.2.3", "npm:@scope/name", "1.2.3"],
    ["@types/node", "npm:@types/node", null],
    ["requests==2.32.3", "pypi:requests", "2.32.3"],
    ["Foo_Bar[socks, extra] >= 2, <3", "pypi:foo-bar", ">=2,<3"],
    ["pypi:requests==2.32.3", "pypi:requests", "2.32.3"],
    ["serde@1.0", "npm:serde pypi:serde crates:serde", "1.0"],
    ["crates:serde@1.0", "crates:serde", "1.0"],
    ["cargo:serde@^1", "crates:serde", "^1"],
    ["pkg:npm/%40scope/name@1.2.3", "npm:@scope/name", "1.2.3"],
    ["/npm/@scope/name@>=3 <5", "npm:@scope/name", ">=3 <5"],
    ["github.com/spf13/cobra@v1.8.0", "go:github.com/spf13/cobra", "v1.8.0"],
    ["github.com/spf13/cobra", "go:github.com/spf13/cobra", null],
    ["react@next", "npm:react pypi:react crates:react", "next"],
  ])("is read of %s", (text, names, version) => {
    expect(read(text)).toEqual([names, version, true]);
  });

  it("is not sure for a bare name, and not read from other text", () => {
    expect(read("fastify")).toEqual(["npm:fastify pypi:fastify crates:fastify", null, false]);
    for (const text of [
      "how to use react > 5",
      "Next.js and React",
      "a@1@2",
      "me@example.com/x y",
      'zod@"><b>',
      "@",
      "",
    ])
      expect(read(text), text).toBeNull();
  });

  it("is found in a question about it, and not in one about another", () => {
    const zod = parseRequestedPackage("zod");
    const versionIn = (question: string) => zod && requestedVersion(zod, question);
    expect(versionIn("How do I refine with `zod@3.25.0`?")).toBe("3.25.0");
    expect(versionIn("zod==3.1 or later")).toBe("3.1");
    expect(versionIn("fastify@5.0.0 with zod")).toBeNull();
    expect(versionIn("write to me@example.com")).toBeNull();
  });
});

it("the version that answers is the one asked for, one of its range, or the nearest", () => {
  const versions = ["1.0.0", "1.4.2", "2.0.0"];
  const answer = (asked: string) => answeringVersion(asked, versions, "/npm/kit");
  expect(answer("1.4.2")).toEqual({ version: "1.4.2", isAsked: true });
  expect(answer("v1.0.0")).toEqual({ version: "1.0.0", isAsked: true });
  expect(answer("^1")).toEqual({ version: "1.4.2", isAsked: true });
  expect(answer("1.4.9")).toEqual({ version: "1.4.2", isAsked: false });
  expect(answer("next")).toBeUndefined();
  expect(answeringVersion("1.0.0", [], "/npm/kit")).toBeUndefined();
});
