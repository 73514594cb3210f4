import { describe, expect, it } from "vitest";
import { codesOf, examplesOf, extract, passagesOf, proseOf } from "./extract.ts";
import { endurance } from "../support/endurance.ts";

const contents = (text: string, path = "a.md") => proseOf(extract(path, text));
const words = "These are words enough to be served as prose by themselves.";

describe("HTML in Markdown", () => {
  it("has its preformatted text as code, with entities and without tags", () => {
    const page = `# A\n\nRun it:\n\n<pre><code class="language-js">if (a &lt; b &amp;&amp; <b>c</b>) {\n\n  d();\n}\n</code></pre>\n\n<pre lang="py">\nx = 1\n</pre>\n`;
    expect(codesOf(extract("a.md", page))).toEqual([
      { language: "javascript", code: "if (a < b && c) {\n\n  d();\n}", lines: [5, 9] },
      { language: "python", code: "x = 1", lines: [11, 13] },
    ]);
  });

  it("keeps preformatted text byte for byte where it has neither tags nor entities", () => {
    const code = 'a\t=  1;  \r\n\r\n   b( "x" )\r\n';
    expect(codesOf(extract("a.md", `<pre>\r\n${code}</pre>\r\n`)).map((block) => block.code)).toEqual([
      code.replace(/\r\n$/, ""),
    ]);
  });

  it("ends with the last line of the file, also behind the marker of a tab", () => {
    const page = `<p>${words} {% tabs %}\n- ${words}`;
    expect(passagesOf(extract("a.md", page)).map(({ lines }) => lines[1])).toEqual([2]);
  });

  it("has headings, tables, lists and links that read like Markdown", () => {
    const page = `<h1 align="center"><a href="x">Name</a></h1>\n<h2>Options</h2>\n<table>\n<tr><th>Name</th><th>Use</th></tr>\n<tr><td><code>a</code></td><td>${words}<br>See <a href="https://e.com">more</a>.</td></tr>\n</table>\n<ul>\n<li>One &amp; only</li>\n<li>Two</li>\n</ul>\n`;
    expect(passagesOf(extract("README.md", page))).toMatchObject([
      {
        breadcrumb: ["Name", "Options"],
        blocks: [
          {
            type: "prose",
            markdown: `| Name | Use |\n| --- | --- |\n| \`a\` | ${words} See [more](https://e.com). |\n\n- One & only\n- Two`,
          },
        ],
      },
    ]);
  });

  it("has a section of its own for details, with the summary as its heading", () => {
    const page = `# A\n\n<details>\n<summary>How it is <i>done</i></summary>\n\n${words}\n\n~~~js\na();\n~~~\n\n</details>\n\n~~~js\nb();\n~~~\n`;
    const result = extract("a.md", page);
    expect(proseOf(result)).toEqual([`#### How it is done\n\n${words}`, "#### A"]);
    expect(examplesOf(result)).toMatchObject([
      { title: "How it is done", codes: [{ code: "a();" }] },
      { title: "A", codes: [{ code: "b();" }] },
    ]);
  });

  it("says nothing of what is hidden, and of pictures", () => {
    expect(
      contents(
        `# A\n\n<div><script>let a = "${words}";</script><svg><title>${words}</title></svg><img alt="A gear" src="a.png"></div>\n\n${words}\n`,
      ),
    ).toEqual([words]);
  });
});

describe("callouts", () => {
  it.each([
    ["VitePress", `::: tip\n${words}\n:::`, `**Tip:** ${words}`],
    ["VitePress, with a title", `::: warning Mind it {open}\n\n${words}\n\n:::`, `**Warning: Mind it** ${words}`],
    ["Docusaurus", `:::note[Mind *it*]\n\n${words}\n\n:::`, `**Note: Mind it** ${words}`],
    ["nested ones", `::::info\n\n:::danger\n\n${words}\n\n:::\n\n::::`, `**Danger:** ${words}`],
    ["Nuxt Content", `::caution{title="Mind it"}\n${words}\n::`, `**Warning: Mind it** ${words}`],
    [
      "MkDocs",
      `!!! note "Mind it"\n\n    ${words}\n\n    - a list\n      of it`,
      `**Note: Mind it** ${words}\n\n- a list\n  of it`,
    ],
    ["MkDocs, collapsed", `??? tip\n    ${words}`, `**Tip:** ${words}`],
    ["GitHub", `> [!IMPORTANT]\n> ${words}`, `**Important:** ${words}`],
    ["GitBook", `{% hint style="warning" %}\n${words}\n{% endhint %}`, `**Warning:** ${words}`],
  ])("of %s have a label that reads well", (_, markdown, content) => {
    expect(contents(`# A\n\n${markdown}\n`)).toEqual([content]);
  });

  it.each([
    [`<Warning>\n  ${words}\n</Warning>`, `**Warning:** ${words}`],
    [`<Callout type="info" title="Mind it">${words}</Callout>`, `**Info: Mind it** ${words}`],
    [`<Card title="Do it">\n\n${words}\n\n</Card>`, `**Do it**\n${words}`],
    [`<Aside type="caution">\n\n${words}\n\n</Aside>`, `**Warning:** ${words}`],
  ])("of MDX have a label: %s", (markdown, content) => {
    expect(contents(`# A\n\n${markdown}\n`, "a.mdx")).toEqual([content]);
  });
});

describe("references", () => {
  it("have their addresses where they are used", () => {
    const page = `# A\n\nSee [the guide][g], [Guide][] and [guide], but neither [this] nor \`a[guide]\`. ${words}\n\n[g]: https://e.com/g\n[Guide]: <https://e.com/guide> "A title"\n`;
    expect(contents(page)).toEqual([
      `See [the guide](https://e.com/g), [Guide](https://e.com/guide) and [guide](https://e.com/guide), but neither [this] nor \`a[guide]\`. ${words}`,
    ]);
  });

  it("to footnotes bring these along, each into the passage that has them", () => {
    const page = `# A\n\nOne[^a] and two[^b]. ${words}\n\n[^a]: The first note\n    goes on.\n[^b]: https://e.com\n\n[^c]: Not used.\n`;
    expect(contents(page)).toEqual([
      `One[^a] and two[^b]. ${words}\n\n[^a]: The first note goes on.\n\n[^b]: https://e.com`,
    ]);
  });

  it.runIf(endurance)("of long addresses that are used very often do not blow a page up", () => {
    const page = `# A\n\n${"[a] ".repeat(100_000)}\n\n[a]: https://e.com/${"x".repeat(270)}\n`;
    expect(contents(page).join("").length).toBeLessThan(page.length * 3);
  });
});
