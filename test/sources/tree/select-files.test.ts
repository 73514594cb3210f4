import { describe, expect, it } from "vitest";
import { amount, endurance } from "../../support/endurance.ts";
import { select } from "./select.ts";

describe("documents", () => {
  it("are chosen by their endings, in the order given", () => {
    expect(select(["z.md", "a.MDX", "src/a.ts", "b.markdown", "c.txt", "md", "docs/.md", "d.md.bak"])).toEqual([
      "z.md",
      "a.MDX",
      "b.markdown",
      "c.txt",
      "docs/.md",
    ]);
  });

  it("include those about tests if the tree itself is documentation", () => {
    expect(select(["a.md", "test/a.md", "tests/b/c.md"], { within: "docs" })).toEqual([
      "a.md",
      "test/a.md",
      "tests/b/c.md",
    ]);
    expect(select(["a.md", "test/a.md"], { within: "library.docs" })).toEqual(["a.md", "test/a.md"]);
    expect(select(["a.md", "test/a.md"], { within: "library" })).toEqual(["a.md"]);
    expect(select(["a.md", "test/a.md"], { within: "bookshelf" })).toEqual(["a.md"]);
  });

  it("leave out by default change logs, licences, archives, translations and fixtures", () => {
    const kept = [
      "README.md",
      ".github/README.md",
      "docs/tests/a.md",
      "docs/a.md",
      "docs/changelog.d/a.md",
      "docs/Old/a.md",
      "i18n/en/a.md",
      "docs/older/a.md",
    ];
    const dropped = [
      "CHANGELOG.md",
      "docs/CHANGELOG.md",
      "packages/a/LICENSE.md",
      "CODE_OF_CONDUCT.md",
      "docs/my-archive/a.md",
      "archived-docs/a.md",
      "old/a.md",
      "x/old/deep/a.md",
      "docs/old/a.md",
      "docs/deprecated-api/a.md",
      "legacy/a.md",
      "i18n/zh-Hans/a.md",
      "i18n/fr/docusaurus/a.md",
      "website/i18n/ja/a.md",
      "docs/zh-cn/a.md",
      "website/translated_docs/ko/a.md",
      "packages/a/node_modules/b/README.md",
      "test/fixtures/a.md",
      "src/__fixtures__/a.md",
      ".github/ISSUE_TEMPLATE/bug.md",
      ".github/pull_request_template.md",
      ".changeset/a.md",
      "packages/a/.claude/skills/a.md",
      "AGENTS.md",
      "packages/a/CLAUDE.md",
      "tests/assets/a.md",
      "scripts/tests/data/a.md",
      "test/a.md",
      "packages/a/src/__tests__/a.md",
      "docs/changelog/a.md",
      "content/en/release-notes/a.md",
      "LICENSES/Apache-2.0.txt",
      "crates/a/test-data/a.txt",
      "cypress/a.md",
      "playground/a.md",
      "dist/v1/a.md",
    ];
    expect(select([...kept, ...dropped])).toEqual(kept);
    const none = { excludeFiles: [], skipVersionFiltering: true };
    expect(select([...kept, ...dropped], none)).toEqual([...kept, ...dropped]);
  });

  it("leave out by default dated posts next to documentation", () => {
    const docs = ["README.md", "content/docs/a.md", "content/docs/blog/setup.md", "content/docs/blog/themes.md"];
    const posts = ["2024-01-02-a.md", "2024-03-b.md", "2025/c.md", "write-post.md"].map(
      (name) => `content/blog/${name}`,
    );
    expect(select([...docs, ...posts])).toEqual(docs);
    expect(select([...docs, ...posts], { excludeFolders: [] })).toEqual([...docs, ...posts]);
    expect(select([...docs, ...posts], { folders: ["content/docs", "content/blog"] })).toEqual([...docs, ...posts]);
    expect(select(["README.md", ...posts])).toEqual(["README.md", ...posts]);
  });

  it("leave out other languages next to English", () => {
    const paths = ["docs/en/a.md", "docs/de/a.md", "docs/pt-BR/a.md", "docs/uk_UA/a.md", "docs/api/a.md", "de/a.md"];
    expect(select(paths)).toEqual(["docs/en/a.md", "docs/api/a.md", "de/a.md"]);
    expect(select(paths, { excludeFolders: [] })).toEqual(paths);
  });
});

describe("patterns", () => {
  const paths = ["README.md", "docs/a.md", "docs/api/b.md", "pkg/docs/c.md", "pkg/api/d.md", "docs/x/internal/e.md"];

  it.each<[string, string[]]>([
    ["api", ["README.md", "docs/a.md", "pkg/docs/c.md", "docs/x/internal/e.md"]],
    ["./docs", ["README.md", "pkg/docs/c.md", "pkg/api/d.md"]],
    ["docs/api", ["README.md", "docs/a.md", "pkg/docs/c.md", "pkg/api/d.md", "docs/x/internal/e.md"]],
    ["docs/api/", ["README.md", "docs/a.md", "pkg/docs/c.md", "pkg/api/d.md", "docs/x/internal/e.md"]],
    ["docs/**/internal", ["README.md", "docs/a.md", "docs/api/b.md", "pkg/docs/c.md", "pkg/api/d.md"]],
    ["**/docs", ["README.md", "pkg/api/d.md"]],
    ["p*", ["README.md", "docs/a.md", "docs/api/b.md", "docs/x/internal/e.md"]],
    ["API", paths],
    [".", ["README.md"]],
    ["", paths],
  ])("excludeFolders %j leaves out what it names", (pattern, expected) => {
    expect(select(paths, { excludeFolders: [pattern] })).toEqual(expected);
  });

  it("folders choose, excludeFolders win, and Markdown at the root is always in", () => {
    const more = [...paths, "notes.txt", "CONTRIBUTING.md"];
    const selection = { folders: ["docs"], excludeFolders: ["api"], excludeFiles: ["CONTRIBUTING.md"] };
    expect(select(more, selection)).toEqual(["README.md", "docs/a.md", "pkg/docs/c.md", "docs/x/internal/e.md"]);
  });

  it.each(["", ".", "./", "**"])("folders %j stands for the whole tree", (folder) => {
    expect(select(paths, { folders: [folder] })).toEqual(paths);
  });

  it("excludeFiles names files at any depth, in the case given", () => {
    const files = ["a.md", "docs/a.md", "docs/A.md", "docs/aa.md"];
    expect(select(files, { excludeFiles: ["a.md"] })).toEqual(["docs/A.md", "docs/aa.md"]);
  });

  it("that could take forever are refused", () => {
    for (const pattern of ["*a*a*a*a*a*", "x".repeat(256)])
      expect(() => select([], { excludeFolders: [pattern] })).toThrow(
        expect.objectContaining({ code: "validation_error" }),
      );
  });

  it("are matched in time that grows with the tree, not with its square", () => {
    const processorTime = (files: number): number => {
      const tree = Array.from({ length: files }, (_value, i) => `d${i % 1000}/e${i % 7}/f${i}.md`);
      const before = process.cpuUsage();
      expect(select(tree)).toHaveLength(files);
      return process.cpuUsage(before).user;
    };
    processorTime(5000);
    // Eight times the files would take 64 times as long.
    expect(processorTime(80_000) / processorTime(10_000)).toBeLessThan(30);
  });

  it.runIf(endurance)(
    "cost seconds at most if all folders differ, are deep and named like versions or languages",
    () => {
      const names = [
        (bit: number) => `v1.${bit}`,
        (bit: number) => `${100 + bit}`,
        (bit: number) => (bit ? "en" : "de"),
      ];
      for (const name of names) {
        const levels = Array.from({ length: 30 }, (_value, level) => level);
        const tree = Array.from({ length: amount({ short: 1000, long: 5000 }) }, (_value, i) => {
          const folders = levels.map((level) => name((i >> (level % 13)) & 1));
          return `${folders.join("/")}/${"z".repeat(300)}${i}.md`;
        }).toSorted();
        const before = process.cpuUsage();
        select(tree);
        expect(process.cpuUsage(before).user).toBeLessThan(10_000_000);
      }
    },
  );

  it.runIf(endurance)("are refused if folders that may be versions are nested in too many ways", () => {
    const inside = Array.from({ length: 24 }, () => "1").join("/");
    const twins = Array.from({ length: 24 }, (_value, level) => `${inside.slice(0, level * 2)}2/a.md`);
    const many = Array.from({ length: 90_000 }, (_value, i) => `${inside}/${i}.md`);
    expect(() => select([...twins, ...many])).toThrow(expect.objectContaining({ code: "library_too_large" }));
  });
});

it("patterns with a folder and an extension match files", () => {
  const paths = ["README.md", "docs/a.md", "docs/b.md", "docs/x/a.md"];
  expect(select(paths, { folders: ["docs/a.md"] })).toEqual(["README.md", "docs/a.md"]);
  expect(select(paths, { excludeFolders: ["docs/**/a.md"] })).toEqual(["README.md", "docs/b.md"]);
});
