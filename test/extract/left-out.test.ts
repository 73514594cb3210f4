import { describe, expect, it } from "vitest";
import { extract, passagesOf } from "./extract.ts";

const sentence = "This sentence says something that readers of documentation want to know about.";
const usage = `## Usage\n\n${sentence}\n`;
const mit =
  "Permission is hereby granted, free of charge, to any person obtaining a copy of this software, to deal in it without restriction. The software is provided as is, without warranty of any kind.";

/** Whether the section is served, on a page with another one that always is. */
function isServed(section: string, path: string): boolean {
  const { length } = passagesOf(extract(path, `# A\n\n${usage}`));
  expect(length).toBe(1);
  const result = extract(path, `# A\n\n${usage}\n${section}\n\n## End\n\nThe end of it all.\n`);
  return JSON.stringify(passagesOf(result)).includes("MARK");
}

describe("a section is left out for its text, not for its heading", () => {
  it.each([
    ["License", "MARK is released under the [MIT License](LICENSE)."],
    ["📄 Licence", "MARK © 2024 Jane Doe. See [LICENSE](./LICENSE) for details."],
    ["License", `MARK\n\nThe MIT License\n\n${mit}`],
    ["License", "```\nMARK Copyright (c) 2024 Jane Doe, all rights reserved\n```\n\nMARK: Apache-2.0"],
    [
      "Licence",
      "MARK: a licence for open-source projects is free; others need a commercial licence. AGPL-3.0 applies.",
    ],
    ["Changelog", "MARK: see [CHANGELOG.md](CHANGELOG.md)."],
    ["Release notes", "### 1.2.0 (2024-05-06)\n\n- MARK was fixed\n\n### 1.1.0\n\n- added it\n"],
    ["Version history", "- **v2.0.1** MARK fixed\n- **v2.0.0** rewritten\n- v1.0 the first one"],
    ["Change log", "#### [Unreleased]\n\n- MARK added\n\n#### 2024-01-02\n\n- more"],
  ])("%s with %j goes, in a README and elsewhere", (heading, text) => {
    expect(isServed(`## ${heading}\n\n${text}`, "README.md")).toBe(false);
    expect(isServed(`## ${heading}\n\n${text}`, "docs/a.md")).toBe(false);
  });

  it.each([
    ["Contributors", "MARK [@jane](https://git.example.com/jane), [@joe](https://git.example.com/joe)"],
    ["Sponsors", "Thanks to MARK and others for their support."],
    ["History", "MARK 1.0: the first.\n\nMARK 1.1: the second."],
    ["Copyright and license", "MARK Copyright 2024 by its authors."],
  ])("%s with %j goes of a README only", (heading, text) => {
    expect(isServed(`## ${heading}\n\n${text}`, "README.md")).toBe(false);
    expect(isServed(`## ${heading}\n\n${text}`, "docs/a.md")).toBe(true);
  });

  it.each([
    [
      "License",
      "MARK: the enterprise edition needs a license key. Enter the license key in the settings, and activate it.",
    ],
    ["License", "MARK: set it before the server starts:\n\n```sh\nexport ACME_LICENSE=abc\n```"],
    [
      "Licensing",
      "MARK: each subscription has seats. Activation of a license key takes a minute.\n\n### Offline activation\n\nMARK",
    ],
    [
      "Changelog",
      "MARK: how the changelog is made is said in the configuration:\n\n```yaml\nchangelog:\n  sort: asc\n```",
    ],
    [
      "Release notes",
      `MARK. ${sentence.repeat(6)}\n\n### Writing them\n\n${sentence.repeat(2)}\n\n### Publishing them\n\n${sentence}`,
    ],
    ["Team", "MARK: a team is made by its name:\n\n```js\nawait createTeam('a');\n```"],
    ["Authors", "MARK: authors of posts are kept in a file:\n\n```yaml\njane:\n  name: Jane\n```"],
    ["History", "MARK: the history of the browser is changed by it:\n\n```js\nhistory.push('/a');\n```"],
  ])("%s with %j stays", (heading, text) => {
    expect(isServed(`## ${heading}\n\n${text}`, "README.md")).toBe(true);
    expect(isServed(`## ${heading}\n\n${text}`, "docs/a.md")).toBe(true);
  });
});

describe("a page is left out for its text, and its outcome has the reason", () => {
  it.each([
    ["docs/LICENSE.md", `# MIT License\n\nCopyright (c) 2024 Jane Doe\n\n${mit}`, /licence/],
    [
      "HISTORY.md",
      "# History\n\n## 2.0.0 / 2024-01-02\n\n- breaking: all of it\n\n## 1.0.0\n\n- the first one\n",
      /change log/,
    ],
    [
      "docs/changelog.md",
      "# Changelog\n\n## v1.3.0\n\n### Bug Fixes\n\n- one of them\n\n## v1.2.0\n\n### Features\n\n- another\n",
      /change log/,
    ],
    [
      "CHANGES-2.x.md",
      "2.1 (May 2024)\n--------------\n\n- something else\n\n2.0 (April 2024)\n----------------\n\n- something\n",
      /change log/,
    ],
    [
      "docs/release-notes.md",
      "# Release notes\n\n**3.1.0** (2024-02-03)\n\n* one\n\n**3.0.0**\n\n* two, which is longer\n",
      /change log/,
    ],
    ["docs/History.md", "# 3.3.0\n\n- more\n\n```js\na();\n```\n\n# 3.2.0\n\n- less\n", /change log/],
    [
      "a/CHANGELOG.md",
      "# Changelog\n\nAll notable changes are documented here.\n\n## v1.2.8\n\n### Merged\n\n- one\n\n### Commits\n\n- two\n",
      /change log/,
    ],
    [
      "b/CHANGELOG.md",
      `# Changelog\n\n- Allow use of fields [#18](https://e.com/pull/18) ${sentence}\n- Again [#72](https://e.com/pull/72) ${sentence} ${sentence} ${sentence} ${sentence}\n`,
      /change log/,
    ],
    [
      "docs/translating.md",
      `# Translating\n\nHelp us translate this documentation into your language. Translators work in Crowdin.\n\n${usage}`,
      /translat/,
    ],
    [
      "docs/contributing/localization.md",
      `# Localization guide\n\nThank you for translating the docs! Make a pull request with the translated pages.\n\n${usage}`,
      /translat/,
    ],
    [
      "site/2024/acme-3.md",
      `---\ntitle: Announcing Acme 3.0\ndate: 2024-05-06\nauthors: [jane]\n---\n\nToday we are happy to release it.\n\n${usage}`,
      /announce/,
    ],
    [
      "docs/reference/client.md",
      "# Client\n\n::: acme.client.Client\n    options:\n      show_source: false\n      members:\n        - get\n",
      /generator/,
    ],
    [
      "docs/reference/server.md",
      "# Server\n\n```{eval-rst}\n.. automodule:: acme.server\n   :members:\n```\n",
      /generator/,
    ],
    [
      "2018-edition/src/ch03-04-comments.md",
      "## Comments\n\nThe 2018 edition of the book is no longer distributed with its documentation.\n\nYou can check out [the current\nversion](../ch03-04-comments.html) instead.\n",
      /moved/,
    ],
    ["docs/setup.md", "# Setup\n\nThis page has been moved to [Installation](install.md).\n", /moved/],
  ])("%s goes", (path, text, reason) => {
    expect(extract(path, text)).toMatchObject({
      outcome: "skipped",
      code: "not_documentation",
      reason: expect.stringMatching(reason) as unknown,
    });
  });

  it.each([
    [
      "docs/license.md",
      `# License\n\nA license key unlocks the features of the enterprise edition.\n\n## Entering the license key\n\n${sentence}`,
    ],
    ["docs/LICENSE.md", "# License\n\nChecks licenses of dependencies:\n\n```sh\nacme license --check\n```\n"],
    [
      "docs/commands/changelog.md",
      "# changelog\n\nWrites a changelog from commits.\n\n```sh\nacme changelog --from v1.0.0\n```\n",
    ],
    [
      "RELEASES.md",
      `# Releases\n\n${sentence}\n\n## Making one\n\n${sentence}\n\n## Publishing it\n\n${sentence}\n\n${sentence}`,
    ],
    ["docs/upgrade-2024-01.md", `# Upgrade to 2024-01\n\n${sentence}\n\n## 2.0.0\n\n${sentence}`],
    [
      "docs/2023-05-migration.md",
      `---\ntitle: Migration of May 2023\ndate: 2023-05-01\nauthor: jane\n---\n\n${sentence}`,
    ],
    ["docs/i18n.md", `# Translating your app\n\nTranslations of the texts of an app are kept in files.\n\n${usage}`],
    ["docs/translation.md", `# Translation API\n\nTranslates documents and texts. ${sentence}`],
    ["docs/release.md", `# Announcing releases\n\nHow a release is announced to readers. ${sentence}`],
    ["docs/reference/client.md", `# Client\n\n${sentence}\n\n::: acme.client.Client\n`],
    ["packages/a/README.md", "# a\n\nThe package a has moved to [@acme/a](https://example.com/a). Install that one.\n"],
    ["docs/moves.md", "# Moves\n\nThe document that has been moved keeps its id. Readers follow the old one.\n"],
    [
      "docs/upgrade.md",
      `# Upgrade\n\nThis page has moved to [Installation](install.md), but for this.\n\n${usage.repeat(10)}`,
    ],
  ])("%s stays", (path, text) => {
    expect(extract(path, text)).toMatchObject({ outcome: "indexed" });
  });
});

it("a template of a generator is no documentation, and a page about templates is", () => {
  const words = "These are words enough to be served as prose by themselves.";
  const template = `{{- /* What it is */ -}}\n{{ if .Title }}\n# A\n\n${words}\n{{ end }}\n`;
  expect(extract("theme/layouts/_shortcodes/a.md", template)).toMatchObject({ code: "not_documentation" });
  expect(extract("docs/a.md", template)).toMatchObject({ outcome: "indexed" });
  const about = `# A\n\n${words} Write \`{{ if .Title }}\`:\n\n~~~html\n{{ if .Title }}{{ end }}\n~~~\n`;
  expect(extract("docs/templates/a.md", about)).toMatchObject({ outcome: "indexed" });
});
