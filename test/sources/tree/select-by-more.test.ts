import { describe, expect, it } from "vitest";
import { select } from "./select.ts";

describe("a word in a name is interpreted by its context", () => {
  it.each<[string, string[]]>([
    [
      "packages of that name",
      ["packages/plugin-legacy/README.md", "packages/plugin-vue/README.md", "crates/archive/README.md"],
    ],
    [
      "subjects with the word in them",
      ["docs/guide/legacy-browsers/a.md", "docs/archive-nodes/a.md", "docs/deprecated-features/a.md"],
    ],
    ["other words that begin so", ["docs/archiver/a.md", "docs/archiving/a.md", "previously/a.md"]],
    ["operations of an API", ["docs/api/archive/a.md", "docs/reference/archives/b.md"]],
    [
      "packages for tests and change logs",
      ["packages/test/README.md", "plugins/changelog/README.md", "packages/fixtures/README.md"],
    ],
    [
      "features of a product",
      ["docs/commands/changelog.md", "docs/features/license.md", "docs/pytest/fixtures/a.md", "docs/prompts/a.md"],
    ],
    [
      "dated guides",
      [
        "docs/upgrade-2024-01.md",
        "docs/2023-05-migration.md",
        "docs/upgrades/2024-01/a.md",
        "docs/upgrades/2024-02/b.md",
      ],
    ],
    ["how to develop, beside versions", ["docs/v3/a.md", "docs/development/setup.md", "docs/edge/deploy.md"]],
    ["all there is, whatever its language", ["README.md", "zh-cn/a.md", "zh-cn/b.md", "i18n-notes.md"]],
    ["all there is, in a folder for translations", ["README.md", "i18n/zh/a.md", "i18n/zh/b.md"]],
    ["examples of sites", ["examples/blog/README.md", "examples/blog/a.md", "examples/docs/README.md"]],
    ["what documentation says of blogs", ["docs/docs/a.md", "content/docs/blog/setup.md", "content/docs/guide/b.md"]],
  ])("%s stay", (_, paths) => {
    expect(select(paths)).toEqual(paths);
  });

  it.each<[string, string[]]>([
    [
      "old documents",
      [
        "docs/archived-docs/a.md",
        "docs/legacy-api/a.md",
        "docs/previous_versions/a.md",
        "docs/v1-deprecated/a.md",
        "docs/archive/a.md",
      ],
    ],
    [
      "fixtures and snapshots",
      ["src/fixtures/a.md", "packages/a/__snapshots__/a.md", "spec/fixtures/b.md", "lib/goldens/a.md"],
    ],
    [
      "prompts of programs",
      ["src/prompts/system.md", "test/prompts/a.md", "evals/one/prompt.md", "packages/agent/src/prompts/a.txt"],
    ],
    ["change logs of packages", ["packages/a/changelog.md", "packages/a/changelog/1.md"]],
    ["what is coming", ["docs/dev/a.md", "docs/main/a.md"]],
  ])("%s are left out", (_, paths) => {
    const kept = ["README.md", "docs/a.md", "docs/v3/a.md", "docs/v3/b.md"];
    expect(select([...kept, ...paths])).toEqual(select(kept));
  });

  it("the news of a site are left out, guides among them stay", () => {
    const kept = ["README.md", "website/docs/a.md"];
    const news = ["website/blog/hello.md", "website/blog/released.md", "website/news/2024-01-02-a.md"];
    expect(select([...kept, ...news])).toEqual(kept);
    const guides = ["website/blog/2024-05-06-upgrade-to-3.md", "website/blog/2023-05-migrating-from-2.md"];
    expect(select([...kept, ...news, ...guides])).toEqual([...kept, ...guides]);
  });
});
