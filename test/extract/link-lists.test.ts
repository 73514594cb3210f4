import { describe, expect, it } from "vitest";
import { extract, proseIn } from "./extract.ts";

const sentence = "This sentence says something that readers of documentation want to know about.";
const prose = `${sentence} ${sentence}\n\n${sentence} ${sentence}`;

describe("lists of links that are what a page is for", () => {
  it("stay: programs by other people, as a page of exporters names them", () => {
    const names = Array.from({ length: 283 }, (_, index) => `Number${index} exporter`);
    const items = names.map((name, index) => {
      const label = index % 9 === 0 ? " (**official**)" : "";
      return `   * [${name}](https://git.example.com/acme/exporter_${index})${label}`;
    });
    const page = `---\ntitle: Exporters\n---\n\n# Exporters\n\n${prose}\n\n## Databases\n\n${items.join("\n")}\n`;
    const served = proseIn(page);
    expect(names.filter((name) => !served.includes(`[${name}](`))).toEqual([]);
  });

  it.each([
    [
      "links by reference",
      "- [Alpha][a]\n- [Beta][b]\n- [Gamma][c]\n\n[a]: https://alpha.example\n[b]: https://beta.example\n[c]: https://gamma.example",
      "[Gamma](https://gamma.example)",
    ],
    [
      "with a word or two on each, of the own site",
      "- [Slack](slack.md) - chat\n- [Jira](jira.md) - issues\n- [GitHub](github.md) - code",
      "[Jira](jira.md) - issues",
    ],
    [
      "in HTML",
      '<ul>\n<li><a href="https://a.example">Client for Ruby</a></li>\n<li><a href="https://b.example">Client for Go</a></li>\n<li><a href="https://c.example">Client for Rust</a></li>\n</ul>',
      "[Client for Go](https://b.example)",
    ],
    [
      "in groups",
      "- Official\n  - [Go](https://git.example.com/a/go)\n  - [Java](https://git.example.com/a/java)\n- Others\n  - [Bash](https://git.example.com/b/bash)",
      "[Bash](https://git.example.com/b/bash)",
    ],
    [
      "of the own site behind some words",
      "- Connect [Slack and other chats](slack.md) to it\n- Then [Jira, and what else has issues](jira.md)\n- At last [GitHub with its repositories](github.md)",
      "(jira.md)",
    ],
  ])("stay beside other prose: %s", (_, list, part) => {
    expect(proseIn(`# Tools\n\n${prose}\n\n## List\n\n${list}\n`)).toContain(part);
  });

  it("stay where they are most of the page, even of the own site", () => {
    const list = "- [Installation](install.md)\n- [Configuration](configure.md)\n- [Integrations](integrations.md)";
    expect(proseIn(`# Guides\n\nAll guides:\n\n${list}\n`)).toContain("[Integrations](integrations.md)");
  });

  it("do not describe the page", () => {
    const page = "# Tools\n\n- [One](https://a.example)\n- [Two](https://b.example)\n- [Three](https://c.example)\n";
    expect(extract("a.md", page)).toMatchObject({ outcome: "indexed", description: "" });
  });
});

describe("navigation goes", () => {
  it.each([
    ["a table of contents", "- [Installation of it](#a)\n  - [From source](#b)\n- [Usage](#c)\n- [More](#d)"],
    ["pages of the own site", "- [Installation](install.md)\n- [Configuration](./configure/)\n- [Usage](/docs/usage)"],
    ["the next page", "Next: [Configuration](configure.md)"],
    ["previous and next", "[← Previous](install.md) | [Next →](use.md)"],
    ["the way up", "[Back to top](#readme)"],
    ["languages", "[English](README.md) | [简体中文](README.zh-CN.md) | [日本語](README.ja.md)"],
    ["languages of which one is shown", "**English** · [简体中文](https://git.example.com/a/b/README.zh-CN.md)"],
    ["languages in a list", "- English\n- [Deutsch](README.de.md)\n- [Français](README.fr.md)"],
    ["anchors in a row", "[Install](#install) • [Usage](#usage) • [API](#api)"],
  ])("%s", (_, navigation) => {
    expect(proseIn(`# A\n\n${navigation}\n\n${prose}\n`)).toBe(prose);
  });

  it("a table of contents with whole addresses, and no list of places elsewhere", () => {
    const list = ["Install", "Use", "More"].map(
      (name) => `- [${name}](https://git.example.com/a/b#${name.toLowerCase()})`,
    );
    const parts = `## Install\n\n${sentence}\n\n## Use\n\n${sentence} Again.\n`;
    expect(proseIn(`# A\n\n${list.join("\n")}\n\n${parts}`)).not.toContain("[More]");
    expect(proseIn(`# A\n\n${list.join("\n")}\n\n${prose}\n`)).toContain("[More]");
  });

  it.each([
    ["code with brackets", "- `audio[src]`\n- `link[as='font'][href]`\n- `link[as='image'][href]`\n- `img[a](b)`"],
    [
      "what a function takes",
      "- `add(dest)`\n  - `dest` [StreamEntry](#streamentry) | [Stream](#stream)\n  - Returns: [MultiStreamRes](#multistreamres)",
    ],
    [
      "some words on some of the links",
      "- [deprecated](a.md) features that are still there\n- [options](b.md)\n- [parsing](c.md)",
    ],
    [
      "a sentence with a way through menus",
      "See [Introduction → Models → Troubleshooting](models.md#troubleshooting).",
    ],
    ["a link that says what is there", "[Learn more about the setup of clients →](setup.md)"],
  ])("but not %s", (_, markdown) => {
    expect(proseIn(`# A\n\n${prose}\n\n${markdown}\n`)).toContain(markdown);
  });

  it("a table of contents of a page that has nothing else", () => {
    expect(proseIn("# A\n\n- [One of them](#one)\n- [Two of them](#two)\n- [Three of them](#three)\n")).toBe("");
  });

  it.each(["SUMMARY.md", "docs/_sidebar.md", "docs/_navbar.md"])("%s, which is nothing else", (path) => {
    expect(proseIn("# Summary\n\n- [Introduction](intro.md)\n- [One](one.md)\n- [Two](two.md)\n", path)).toBe("");
  });

  it("but not what is said below a heading for contents", () => {
    const page = `# A\n\n## Contents\n\nThe package contains programs for administrators, and a library.\n\n## B\n\n${prose}\n`;
    expect(proseIn(page)).toContain("programs for administrators");
    const table = `# A\n\n## Contents\n\n- [B](#b)\n- [C](#c)\n\n## B\n\n${prose}\n`;
    expect(proseIn(table)).not.toContain("[C](#c)");
  });

  it("but not a sentence with links, nor a single link", () => {
    const sentence = "Read [the guide](guide.md) and [the reference](reference.md), and ask in [the forum](forum.md).";
    const one = "[The reference of all its functions](reference.md)";
    expect(proseIn(`# A\n\n${sentence}\n\n${one}\n\n${prose}\n`)).toBe(`${sentence}\n\n${one}\n\n${prose}`);
  });
});
