import { describe, expect, it } from "vitest";
import { createFileSelector } from "../../../activities/sources/select-files.ts";
import type { FileSelection } from "../../../domain/source.ts";

interface Choice extends Partial<FileSelection> {
  readonly skipVersionFiltering?: boolean;
}

function select(paths: readonly string[], { skipVersionFiltering = false, ...selection }: Choice = {}): string[] {
  const whole = { folders: [], excludeFolders: null, excludeFiles: null, ...selection };
  return createFileSelector(whole, { skipVersionFiltering, extensions: [".md", ".mdx", ".markdown", ".txt"] })(paths);
}

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

  it("leave out by default change logs, licences, archives, translations and fixtures", () => {
    const kept = ["README.md", "docs/a.md", "docs/changelog/a.md", "docs/Old/a.md", "i18n/en/a.md", "docs/older/a.md"];
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
    ];
    expect(select([...kept, ...dropped])).toEqual(kept);
    const none = { excludeFiles: [], skipVersionFiltering: true };
    expect(select([...kept, ...dropped], none)).toEqual([...kept, ...dropped]);
  });

  it("leave out other languages beside English ones", () => {
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

  it("that could take for ever are refused", () => {
    for (const pattern of ["*a*a*a*a*a*", "x".repeat(201)])
      expect(() => select([], { excludeFolders: [pattern] })).toThrow(
        expect.objectContaining({ code: "validation_error" }),
      );
  });

  it("are matched in time that grows with the tree, not with its square", () => {
    const many = Array.from({ length: 100_000 }, (_value, i) => `d${i % 1000}/e${i % 7}/f${i}.md`);
    const start = performance.now();
    expect(select(many)).toHaveLength(100_000);
    expect(performance.now() - start).toBeLessThan(2000);
  });
});

describe("version folders", () => {
  it.each<[string, string[], string[]]>([
    ["the highest stays", ["docs/v1/a.md", "docs/v9/a.md", "docs/v10/a.md"], ["docs/v10/a.md"]],
    ["semantic versions", ["1.2/a.md", "1.10/a.md", "1.9.9/a.md"], ["1.10/a.md"]],
    ["x stands for the newest of its line", ["2.x/a.md", "2.4/a.md"], ["2.x/a.md"]],
    ["latest before numbers", ["latest/a.md", "v3/a.md", "dev/a.md"], ["latest/a.md"]],
    ["next goes where a version stays", ["docs/next/a.md", "docs/v3/a.md"], ["docs/v3/a.md"]],
    ["next alone stays", ["docs/next/a.md", "docs/guides/a.md"], ["docs/next/a.md", "docs/guides/a.md"]],
    ["a lone version stays", ["docs/v1/a.md", "docs/b.md"], ["docs/v1/a.md", "docs/b.md"]],
    [
      "versioned_docs goes beside docs",
      ["docs/a.md", "versioned_docs/version-2.0/a.md", "site/versioned_docs/version-1.0/a.md"],
      ["docs/a.md", "site/versioned_docs/version-1.0/a.md"],
    ],
    [
      "the newest of versioned_docs",
      ["versioned_docs/version-1.0/a.md", "versioned_docs/version-2.0/a.md"],
      ["versioned_docs/version-2.0/a.md"],
    ],
    ["chapters stay", ["book/1/a.md", "book/2/b.md", "book/3/c.md"], ["book/1/a.md", "book/2/b.md", "book/3/c.md"]],
    ["years stay", ["blog/2023/a.md", "blog/2024/a.md"], ["blog/2023/a.md", "blog/2024/a.md"]],
    [
      "plain numbers with the same documents are versions",
      ["docs/9/a.md", "docs/9/b.md", "docs/10/a.md", "docs/10/b.md"],
      ["docs/10/a.md", "docs/10/b.md"],
    ],
  ])("%s", (_title, paths, expected) => {
    expect(select(paths)).toEqual(expected);
    expect(select(paths, { skipVersionFiltering: true })).toEqual(paths);
  });
});
