import { describe, expect, it } from "vitest";
import { createFileSelector } from "../../../activities/sources/select-files.ts";
import type { FileSelection } from "../../../domain/source.ts";
import { amount } from "../../support/endurance.ts";

interface Choice extends Partial<FileSelection> {
  readonly skipVersionFiltering?: boolean;
  readonly within?: string;
}

function select(
  paths: readonly string[],
  { skipVersionFiltering = false, within = "lib", ...selection }: Choice = {},
): string[] {
  const whole = { folders: [], excludeFolders: null, excludeFiles: null, ...selection };
  return createFileSelector(whole, { skipVersionFiltering, within, extensions: [".md", ".mdx", ".markdown", ".txt"] })(
    paths,
  );
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

  it("keep what is about tests where the tree itself is documentation", () => {
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

  it("leave out by default posts with dates beside documentation", () => {
    const docs = ["README.md", "content/docs/a.md", "content/docs/blog/setup.md", "content/docs/blog/themes.md"];
    const posts = ["2024-01-02-a.md", "2024-03-b.md", "2025/c.md", "write-post.md"].map(
      (name) => `content/blog/${name}`,
    );
    expect(select([...docs, ...posts])).toEqual(docs);
    expect(select([...docs, ...posts], { excludeFolders: [] })).toEqual([...docs, ...posts]);
    expect(select([...docs, ...posts], { folders: ["content/docs", "content/blog"] })).toEqual([...docs, ...posts]);
    expect(select(["README.md", ...posts])).toEqual(["README.md", ...posts]);
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

  it("cost seconds at most where every folder is another one, deep and named like a version or a language", () => {
    const names = [(bit: number) => `v1.${bit}`, (bit: number) => `${100 + bit}`, (bit: number) => (bit ? "en" : "de")];
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
  });

  it("give up where folders that may be versions lie in one another in too many ways", () => {
    const inside = Array.from({ length: 24 }, () => "1").join("/");
    const twins = Array.from({ length: 24 }, (_value, level) => `${inside.slice(0, level * 2)}2/a.md`);
    const many = Array.from({ length: 90_000 }, (_value, i) => `${inside}/${i}.md`);
    expect(() => select([...twins, ...many])).toThrow(expect.objectContaining({ code: "library_too_large" }));
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
      ["docs/a.md"],
    ],
    [
      "versioned_docs of a further instance goes beside its own documents only",
      ["docs/a.md", "sdk/a.md", "sdk_versioned_docs/version-1/a.md", "x/api_versioned_docs/version-1.0/a.md"],
      ["docs/a.md", "sdk/a.md", "x/api_versioned_docs/version-1.0/a.md"],
    ],
    [
      "names of any kind inside versioned_docs are versions",
      ["versioned_docs/version-24Q1/a.md", "versioned_docs/version-24Q2/a.md", "versioned_docs/version-23Q4/a.md"],
      ["versioned_docs/version-24Q2/a.md"],
    ],
    [
      "what comes before a release is older than it",
      ["docs/4.0.0-beta.2/a.md", "docs/4.0.0/a.md", "docs/4.0.0-rc.1/a.md", "docs/3.9/a.md"],
      ["docs/4.0.0/a.md"],
    ],
    ["of pre-releases the last", ["docs/v4-beta.2/a.md", "docs/v4-beta.10/a.md"], ["docs/v4-beta.10/a.md"]],
    ["main and nightly are no releases", ["docs/main/a.md", "docs/nightly/a.md", "docs/v3/a.md"], ["docs/v3/a.md"]],
    ["main without versions stays", ["docs/main/a.md", "docs/current/a.md"], ["docs/main/a.md", "docs/current/a.md"]],
    ["current is the released one", ["docs/current/a.md", "docs/release-1.2/a.md"], ["docs/current/a.md"]],
    [
      "all go where the same documents stand without a version",
      ["docs/a.md", "docs/b.md", "docs/v1/a.md", "docs/v2/a.md", "docs/v2/b.md", "docs/v2/c.md"],
      ["docs/a.md", "docs/b.md"],
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
  ])("are chosen from by this rule: %s", (_title, paths, expected) => {
    expect(select(paths)).toEqual(expected);
    expect(select(paths, { skipVersionFiltering: true })).toEqual(paths);
  });

  it("stay where they are asked for by name", () => {
    const paths = ["README.md", "docs/v1/a.md", "docs/v2/a.md", "docs/v3/a.md"];
    expect(select(paths, { folders: ["docs/v1"] })).toEqual(["README.md", "docs/v1/a.md"]);
    expect(select(paths, { folders: ["./docs/v1/", "docs/v2"] })).toEqual([
      "README.md",
      "docs/v1/a.md",
      "docs/v2/a.md",
    ]);
    expect(select(paths, { folders: ["docs/*"] })).toEqual(["README.md", "docs/v3/a.md"]);
  });
});

describe("translations", () => {
  it.each<[string, string[], string[]]>([
    [
      "beside English ones, of whatever language (MkDocs as FastAPI has it)",
      ["docs/en/docs/a.md", "docs/de/docs/a.md", "docs/uk/docs/b.md", "docs/zh-hant/docs/a.md", "docs/js/a.md"],
      ["docs/en/docs/a.md", "docs/js/a.md"],
    ],
    [
      "beside English ones, an unknown language by what it holds",
      ["docs/en/a.md", "docs/en/b.md", "docs/en/c.md", "docs/em/a.md", "docs/em/b.md", "docs/go/a.md", "docs/go/x.md"],
      ["docs/en/a.md", "docs/en/b.md", "docs/en/c.md", "docs/go/a.md", "docs/go/x.md"],
    ],
    [
      "in the folders for them (Docusaurus), English or not",
      ["docs/a.md", "i18n/uk/docusaurus-plugin-content-docs/current/a.md", "site/locales/cs/b.md", "docs/i18n/en/c.md"],
      ["docs/a.md", "docs/i18n/en/c.md"],
    ],
    [
      "inside the documents that they translate (VitePress, Starlight)",
      ["docs/a.md", "docs/guide/b.md", "docs/zh/a.md", "docs/fr/a.md", "docs/fr/guide/b.md", "docs/no/yes.md"],
      ["docs/a.md", "docs/guide/b.md", "docs/no/yes.md"],
    ],
    [
      "beside the documents that they translate",
      ["docs/a.md", "docs/b.md", "docs-cn/a.md", "docs-cn/b.md", "docs_ja/a.md", "docs_ja/b.md", "docs-it/other.md"],
      ["docs/a.md", "docs/b.md", "docs-it/other.md"],
    ],
    [
      "of the whole tree in a folder of it",
      ["docs/a.md", "docs/b.md", "ja/docs/a.md", "pt-BR/docs/b.md", "pt-BR/docs/a.md"],
      ["docs/a.md", "docs/b.md"],
    ],
    [
      "by the names of files",
      [
        "README.md",
        "README.zh-CN.md",
        "README_ja.md",
        "README-de.md",
        "README_CN.md",
        "docs/README.fr.md",
        "docs/guide.md",
        "docs/guide.es.md",
        "docs/check.md",
        "docs/check-it.md",
        "docs/intro.pt-BR.mdx",
        "docs/intro.mdx",
        "button/index.en-US.md",
        "button/index.zh-CN.md",
      ],
      ["README.md", "docs/guide.md", "docs/check.md", "docs/check-it.md", "docs/intro.mdx", "button/index.en-US.md"],
    ],
    [
      "but not where they are all there is",
      ["LIESMICH.md", "docs/zh/a.md", "docs/zh/b.md", "README.zh-CN.md", "src/it/c.md", "i18n/a.md"],
      ["LIESMICH.md", "docs/zh/a.md", "docs/zh/b.md", "README.zh-CN.md", "src/it/c.md", "i18n/a.md"],
    ],
  ])("are left out %s", (_title, paths, expected) => {
    expect(select(paths)).toEqual(expected);
    expect(select(paths, { excludeFolders: ["src"] })).toEqual(expected.filter((path) => !path.startsWith("src/")));
    expect(select(paths, { excludeFolders: [] })).toEqual(paths);
  });

  it("stay where they are asked for by name, as what the defaults leave out does", () => {
    const paths = [
      "README.md",
      "docs/en/a.md",
      "docs/de/a.md",
      "docs/fr/a.md",
      "docs/legacy/a.md",
      "docs/legacy/old/b.md",
    ];
    expect(select(paths, { folders: ["docs/en", "docs/de"] })).toEqual(["README.md", "docs/en/a.md", "docs/de/a.md"]);
    expect(select(paths, { folders: ["docs/legacy"] })).toEqual(["README.md", "docs/legacy/a.md"]);
    expect(select(paths, { folders: ["legacy"], excludeFolders: ["legacy"] })).toEqual(["README.md"]);
  });
});

it("patterns with a folder and an ending stand for files", () => {
  const paths = ["README.md", "docs/a.md", "docs/b.md", "docs/x/a.md"];
  expect(select(paths, { folders: ["docs/a.md"] })).toEqual(["README.md", "docs/a.md"]);
  expect(select(paths, { excludeFolders: ["docs/**/a.md"] })).toEqual(["README.md", "docs/b.md"]);
});
