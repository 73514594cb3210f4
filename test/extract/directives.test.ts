import { describe, expect, it } from "vitest";
import { codesOf, extract, proseIn } from "./extract.ts";

const words = "These are words enough to be served as prose by themselves.";

describe("a directive of MyST", () => {
  it.each([
    ["```{note}\nRead on.\n```", "**Note:**\nRead on."],
    ["```{warning}\n:class: x\n\nRead on.\n```", "**Warning:** Read on."],
    [":::{admonition} Mind it\nRead on.\n:::", "**Note: Mind it**\nRead on."],
    ["```{versionadded} 2.0\nRead on.\n```", "**New in 2.0:**\nRead on."],
    ["````{tab-set}\n```{tab-item} One\n:sync: one\nRead on.\n```\n````", "**One:** Read on."],
    [":::{agent-skill}\n:url: https://e.com/a\n\nRead on.\n:::", "Read on."],
    ["::::{stepper}\n:::{step} Do it\nRead on.\n:::\n::::", "**Do it** Read on."],
    [":::{csv-include} a/b.csv\n:caption: x\n:::", ""],
    ["```{toctree}\n:maxdepth: 2\n\none\ntwo\n```", ""],
    ["```{contents}\n---\ndepth: 2\n---\n```", ""],
  ])("that holds prose is what it holds: %s", (markdown, shown) => {
    const read = proseIn(`# A\n\n${words}\n\n${markdown}\n`).replace(`${words}`, "").trim();
    expect(read.replace(/\s+/g, " ")).toBe(shown.replace(/\s+/g, " "));
  });

  it("has its code as code, with the lines of the file", () => {
    const page = `# A\n\n${words}\n\n\`\`\`\`{tab} pyproject.toml\n\`\`\`toml\na = 1\n\`\`\`\n\`\`\`\`\n\n\`\`\`{code-block} python\nprint(1)\n\`\`\`\n`;
    expect(codesOf(extract("a.md", page))).toMatchObject([
      { language: "toml", code: "a = 1", lines: [6, 8] },
      { language: "python", code: "print(1)", lines: [11, 13] },
    ]);
  });

  it("that is named like a member of an object is code, as other unknown ones", () => {
    const page = (name: string) => extract("a.md", `# A\n\n${words}\n\n\`\`\`{${name}} 2.0\nRead on.\n\`\`\`\n`);
    expect(codesOf(page("constructor"))).toMatchObject([{ language: "constructor", code: "Read on." }]);
    expect(codesOf(page("unknown"))).toMatchObject([{ code: "Read on." }]);
  });

  it("that shows code has its options beside the code, not in it", () => {
    const page = `# A\n\n${words}\n\n\`\`\`{code-block} python\n:emphasize-lines: 2\n:caption: acme/run.py\n:linenos:\n\nimport acme\n:not: this\n\`\`\`\n`;
    expect(codesOf(extract("a.md", page))).toMatchObject([
      {
        language: "python",
        code: "import acme\n:not: this",
        file: "acme/run.py",
        marks: ["Line 2 is highlighted."],
        lines: [5, 12],
      },
    ]);
    // Anything but an option is code.
    const other = `# A\n\n${words}\n\n\`\`\`{code} text\n:x\ny\n\`\`\`\n\n\`\`\`text\n:a: b\n\`\`\`\n`;
    expect(codesOf(extract("a.md", other)).map(({ code }) => code)).toEqual([":x\ny", ":a: b"]);
  });

  it("without an end holds nothing, and what follows is read", () => {
    const page = `# A\n\n${":::{note}\nRead on.\n\n".repeat(60)}${words}\n`;
    expect(proseIn(page)).toMatch(new RegExp(`Read on\\.[^]*${words}$`));
    expect(proseIn(page).match(/Read on\./g)).toHaveLength(60);
  });

  it("in a sample of one closes nothing", () => {
    const page = `# A\n\n\`\`\`\`{note}\n${words}\n\n~~~md\n\`\`\`{tip}\n~~~\n\nRead on.\n\`\`\`\`\n\nBehind it.\n`;
    expect(codesOf(extract("a.md", page)).map(({ code }) => code)).toEqual(["```{tip}"]);
    expect(proseIn(page)).toBe(`**Note:** ${words}\n---\nRead on.\n\nBehind it.`);
  });

  it("of colons that shows code is code", () => {
    const page = `# A\n\n${words}\n\n- Text:\n\n  :::{code-block} python\n  :linenos:\n\n  a = "*b*"\n  :::\n`;
    expect(codesOf(extract("a.md", page))).toMatchObject([{ language: "python", code: 'a = "*b*"', lines: [7, 11] }]);
  });

  it("in an item belongs to it, to its end", () => {
    const item = "- One\n\n  ```{note}\n  Read on.\n\n  - Inner\n  ```\n\n- Two";
    expect(proseIn(`# A\n\n${words}\n\n${item}\n`)).toContain("- One\n\n  **Note:** Read on.\n  - Inner\n- Two");
  });

  it("in code is code, whatever closes", () => {
    const code = "```{note}\nRead on.\n```\n:::{tip}";
    expect(codesOf(extract("a.md", `# A\n\n${words}\n\n~~~~md\n${code}\n~~~~\n`))).toMatchObject([{ code }]);
  });

  it("is none where its fence is code to the parser", () => {
    const page = `# A\n\n${words}\n\nText:\n\n    \`\`\`\n\n~~~md\n\`\`\`\n\`\`\`{note}\nRead on.\n\`\`\`\n~~~\n`;
    expect(codesOf(extract("a.md", page)).map(({ code }) => code)).toContain("```\n```{note}\nRead on.\n```");
  });

  it.each([
    ["```admonish warning\nMind the gap.\n```", "**Warning:** Mind the gap."],
    [
      '````admonish sandbox "Live example" collapsible=true\nMind [it](https://a.example/).\n````',
      "**Note: Live example** Mind [it](https://a.example/).",
    ],
    ["~~~ad-tip\nMind the gap.\n~~~", "**Tip:** Mind the gap."],
  ])("that is a callout in a fence without braces is prose: %j", (block, prose) => {
    const page = `# A\n\n${block}\n\n\`\`\`admonition\na();\n\`\`\`\n`;
    expect(proseIn(page)).toContain(prose);
    expect(codesOf(extract("a.md", page)).map(({ code }) => code)).toEqual(["a();"]);
  });
});
