import { describe, expect, it } from "vitest";
import { select } from "./select.ts";

describe("version folders", () => {
  it.each<[string, string[], string[]]>([
    ["the highest stays", ["docs/v1/a.md", "docs/v9/a.md", "docs/v10/a.md"], ["docs/v10/a.md"]],
    ["semantic versions", ["1.2/a.md", "1.10/a.md", "1.9.9/a.md"], ["1.10/a.md"]],
    ["x stands for the newest of its line", ["2.x/a.md", "2.4/a.md"], ["2.x/a.md"]],
    ["x needs no point", ["api/5x/a.md", "api/4x/a.md", "api/10x/a.md", "en/3x/b.md"], ["api/10x/a.md", "en/3x/b.md"]],
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
    [
      "versions of one folder go beside it, or beside a newer one",
      [
        "v1.9-docs/a.md",
        "v1.9-docs/b.md",
        "v1.10-docs/a.md",
        "v1.10-docs/b.md",
        "docs/a.md",
        "docs/b.md",
        "x/v1.9-api/a.md",
        "x/v1.9-api/b.md",
        "x/v1.10-api/a.md",
        "x/v1.10-api/b.md",
      ],
      ["docs/a.md", "docs/b.md", "x/v1.10-api/a.md", "x/v1.10-api/b.md"],
    ],
    [
      "a folder about a version stays",
      ["v2-migration/a.md", "v2-migration/b.md", "migration/c.md"],
      ["v2-migration/a.md", "v2-migration/b.md", "migration/c.md"],
    ],
    ["chapters stay", ["book/1/a.md", "book/2/b.md", "book/3/c.md"], ["book/1/a.md", "book/2/b.md", "book/3/c.md"]],
    ["years stay", ["blog/2023/a.md", "blog/2024/a.md"], ["blog/2023/a.md", "blog/2024/a.md"]],
    [
      "plain numbers with the same documents are versions",
      ["docs/9/a.md", "docs/9/b.md", "docs/10/a.md", "docs/10/b.md"],
      ["docs/10/a.md", "docs/10/b.md"],
    ],
    [
      "dates with the same documents are versions, each compared with all newer ones",
      [
        "spec/2024-11-05/a.md",
        "spec/2024-11-05/b.md",
        "spec/2025-06-18/a.md",
        "spec/2025-06-18/b.md",
        "spec/2025-06-18/c.md",
        "spec/2026-07-28/b.md",
        "spec/2026-07-28/c.md",
        "spec/draft/b.md",
      ],
      ["spec/2026-07-28/b.md", "spec/2026-07-28/c.md"],
    ],
    [
      "dates of posts stay",
      ["blog/2024-11-05/a.md", "blog/2025-06-18/b.md"],
      ["blog/2024-11-05/a.md", "blog/2025-06-18/b.md"],
    ],
    ["a draft alone stays", ["docs/draft/a.md", "docs/guides/b.md"], ["docs/draft/a.md", "docs/guides/b.md"]],
  ])("are chosen by this rule: %s", (_title, paths, expected) => {
    expect(select(paths)).toEqual(expected);
    expect(select(paths, { skipVersionFiltering: true })).toEqual(paths);
  });

  it("stay if they are asked for by name", () => {
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
      ["docs/en/docs/a.md", "docs/de/docs/a.md", "docs/uk/docs/a.md", "docs/zh-hant/docs/a.md", "docs/js/a.md"],
      ["docs/en/docs/a.md", "docs/js/a.md"],
    ],
    [
      "beside English ones, an unknown language by what it holds",
      ["docs/en/a.md", "docs/en/b.md", "docs/en/c.md", "docs/em/a.md", "docs/em/b.md", "docs/go/a.md", "docs/go/x.md"],
      ["docs/en/a.md", "docs/en/b.md", "docs/en/c.md", "docs/go/a.md", "docs/go/x.md"],
    ],
    [
      "in the folders for them (Docusaurus), English or not",
      ["docs/a.md", "i18n/uk/docusaurus-plugin-content-docs/current/a.md", "site/locales/cs/c.md", "docs/i18n/en/c.md"],
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
      "beside English ones, but for folders without a counterpart",
      [
        "README.md",
        "docs/en/readme.md",
        "docs/zh/guide.md",
        "docs/zh/api.md",
        "docs/zh/readme.md",
        "docs/id/token.md",
        "i18n/fr/only.md",
      ],
      [
        "README.md",
        "docs/en/readme.md",
        "docs/zh/guide.md",
        "docs/zh/api.md",
        "docs/zh/readme.md",
        "docs/id/token.md",
        "i18n/fr/only.md",
      ],
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

  it("stay if they are asked for by name, like other folders that the defaults leave out", () => {
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
