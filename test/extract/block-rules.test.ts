import { describe, expect, it } from "vitest";
import { codesOf, extract, proseIn } from "./extract.ts";
import { endurance } from "../support/endurance.ts";

const words = "These are words enough to be served as prose by themselves.";
const table = (cell: string): string =>
  `<table class="a">\n<tr><th>Name</th><th>Text</th></tr>\n\n<tr><td>a</td><td>\n\n${cell}\n\n</td></tr>\n\n<tr><td>b</td><td>d</td></tr>\n</table>`;

describe.each(["a.md", "a.mdx"])("in %s", (path) => {
  const read = (page: string): string => proseIn(`# A\n\n${page}\n`, path);

  it("a table of HTML is one, blank lines or not", () => {
    expect(read(`${words}\n\n${table("with `code` and **more**")}\n\n${words} Again.`)).toBe(
      `${words}\n\n| Name | Text |\n| --- | --- |\n| a | with \`code\` and **more** |\n| b | d |\n\n${words} Again.`,
    );
  });

  it("a table of HTML keeps the code in it", () => {
    const result = extract(path, `# A\n\n${words}\n\n${table("```js\na(\n\nb);\n```")}\n`);
    expect(codesOf(result).map(({ code }) => code)).toEqual(["a(\n\nb);"]);
  });

  it("a table of HTML without an end is no reason to read on for long", () => {
    expect(read(`${words}\n\n<table>\n\n${words} Again.`)).toContain(`${words} Again.`);
  });

  it("a bar that is written as an entity ends no cell", () => {
    expect(read(`| a | b |\n| --- | --- |\n| x &vert; y | z &#124; |\n\n${words} a &vert; b`)).toBe(
      `| a | b |\n| --- | --- |\n| x \\| y | z \\| |\n\n${words} a | b`,
    );
    expect(read("<table><tr><td>x &vert; y</td><td>z | a</td></tr></table>")).toBe(
      "|  |  |\n| --- | --- |\n| x \\| y | z \\| a |",
    );
  });

  it("a list in details is one", () => {
    const list = "- one of it\n- two of it\n";
    for (const inside of [list, `\n${list}\n`, "<ul>\n  <li>one of it</li>\n  <li>two of it</li>\n</ul>\n"])
      expect(read(`<details>\n<summary>More</summary>\n${inside}</details>\n\n${words}`)).toBe(
        `#### More\n\n- one of it\n- two of it\n\n#### A\n\n${words}`,
      );
  });

  it("the content of a tab is below its label", () => {
    const tabs = (inside: string): string => `<Tabs>\n  <TabItem label="npm">\n${inside}\n  </TabItem>\n</Tabs>`;
    expect(read(tabs("    | a | b |\n    | --- | --- |\n    | x | y |"))).toBe(
      "**npm:**\n\n| a | b |\n| --- | --- |\n| x | y |",
    );
    expect(read(tabs("    - one of it\n    - two of it"))).toBe("**npm:**\n\n- one of it\n- two of it");
    const table = "| a | b |\n| --- | --- |\n| x | y |";
    expect(read(`=== "npm"\n${table.replace(/^/gm, "    ")}`)).toBe(`**npm:**\n\n${table}`);
    expect(read(`> [!NOTE]\n> ${table.replaceAll("\n", "\n> ")}`)).toBe(`**Note:**\n\n${table}`);
    expect(read(tabs(`    ${words}`))).toBe(`**npm:** ${words}`);
  });

  it("anchors of docs-builder leave the headings, other brackets stay", () => {
    expect(read(`## Some text [_some_text]\n\n${words}\n\n### Document [doc_type]\n\n${words} Again.`)).toBe(
      `${words}\n\n#### Document\n\n${words} Again.`,
    );
    expect(read(`## npm install [name]\n\n${words}\n\n## Another [some-flag]\n\n${words} Again.`)).toBe(
      `#### npm install [name]\n\n${words}\n\n#### Another [some-flag]\n\n${words} Again.`,
    );
  });

  it("the settings of mkdocstrings are no text, and containers are read", () => {
    const autodoc =
      "::: a.b.C\n    options:\n      members: false\n\n      filters: []\n\n::: core\n    handler: python\n\n::: a.b";
    expect(read(`${words}\n\n${autodoc}\n\n::: tip\n${words}\n:::`)).toBe(`${words}\n\n**Tip:** ${words}`);
  });

  it("code of HTML has the language that its class names, and no button that copies it", () => {
    const html = '<pre><code class="json">{"a": <b>1</b>}</code><button type="button">Copy</button></pre>';
    expect(codesOf(extract(path, `# A\n\n${words}\n\n<div>${html}</div>\n`))).toMatchObject([
      { language: "json", code: '{"a": 1}' },
    ]);
  });

  it("a tag may go on over blank lines", () => {
    const icon = "icon={\n    <svg a='b'>\n\n      <path />\n\n    </svg>\n  }";
    expect(
      read(`${words}\n\n<Card\n  title="One"\n  ${icon}\n  href="/a"\n>\n  Read on.\n</Card>\n\nThen ${words}`),
    ).toBe(`${words}\n\n**[One](/a)**\nRead on.\n\nThen ${words}`);
  });

  it("elements of code within a sentence are spans, which keep what looks like a tag", () => {
    expect(
      read(`Set <code class="x">decimal:&lt;size&gt;</code> or \`<code>a</code>\`, press <kbd>K</kbd>. ${words}`),
    ).toBe(`Set \`decimal:<size>\` or \`<code>a</code>\`, press \`K\`. ${words}`);
  });

  it("exports are no text", () => {
    expect(
      read(`export const Check = () => (\n  <b>x</b>\n);\n\n${words}\n\nexport is a word, and so is\nimport.`),
    ).toBe(`${words}\n\nexport is a word, and so is\nimport.`);
  });

  it("an entity begins no tag", () => {
    expect(
      read(`${words} A &lt;size&gt; or 1 &lt; 2.\n\n<div>${words} Again, <a href="/a">&lt;size&gt;</a>.</div>`),
    ).toBe(`${words} A \\<size> or 1 < 2.\n\n${words} Again, [\\<size>](/a).`);
  });

  it("parts and helpers of Handlebars are no text, but for the words they are given", () => {
    expect(
      read(
        `{{> section-common }}\n\n{{#option "\`--all\` _n_" }}\n${words}\n{{/option}}\n\nSee {{man "cargo-test" 1}} and {{ other }}.`,
      ),
    ).toBe(`\`--all\` *n*\n${words}\n\nSee cargo-test and {{ other }}.`);
  });

  it("anchors of translations leave headings, and front matter may follow a blank line", () => {
    expect(proseIn(`\n+++\ntitle = "T"\n+++  \n\n${words}\n\n## Title %{#title}%\n\n${words} Again.\n`, path)).toBe(
      `${words}\n\n#### Title\n\n${words} Again.`,
    );
  });

  it("an export goes on over what looks like Markdown in its literals", () => {
    const literal = "export async function Page() {\n  const raw = `~~~jsx\n# no\n~~~`\n  return <A source={raw} />\n}";
    expect(read(`${literal}\n\n## Part {#2-part}\n\n${words}\n`)).toBe(words);
  });

  it.runIf(endurance)("a long tag is one, and many without an end are read in no time", () => {
    const html = "<b>x</b>".repeat(3000);
    expect(read(`${words}\n\n<Fragment set:html={"${html}"} />\n\n${words} Again.`)).toBe(
      `${words}\n\n${words} Again.`,
    );
    const before = process.threadCpuUsage();
    read(`${words}\n\n${"<Terminal a\n\n<Card b\n\n".repeat(20_000)}`);
    expect(process.threadCpuUsage(before).user).toBeLessThan(10_000_000);
  });

  it("loops and conditions of Liquid and Jinja are no text", () => {
    const page = `{% for one in site.data.all %}\n- {{ one.name }}: ${words}\n{% endfor %}\n\n{% if a %}<p>${words} Again, {% include x.html a="b" %}that.</p>{% endif %}\n\nWrite \`{% if a %}\`.`;
    expect(read(page).replace(/\s+/g, " ")).toBe(`- : ${words} ${words} Again, that. Write \`{% if a %}\`.`);
  });

  it("comments of MDX are no text", () => {
    expect(read(`${words} {/* so */}It is.\n\n{/*\n${words}\n*/}\n\nAgain, \`{/* so */}\`.`)).toBe(
      `${words} It is.\n\nAgain, \`{/* so */}\`.`,
    );
  });
});
