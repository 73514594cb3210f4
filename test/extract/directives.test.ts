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

describe("a page of MyST", () => {
  it("is read with its directives, roles, labels and comments", () => {
    const page = `---
kernelspec:
  display_name: Python 3
  name: python3
myst:
  substitutions:
    key: a value
---

(gears)=
# Gears

% seen by nobody
Read {ref}\`the guide <gears>\`, {py:func}\`~gears.turn\`, {math}\`a_1^2\`, {kbd}\`Ctrl+C\`, {acme-issue}\`12\`, {octicon}\`star\`{{ key }}.

::::{note} Mind
:class: dropdown

Content *with* {term}\`terms\`.

\`\`\`{code-block} yaml
:caption: gears.yml

a: 1
\`\`\`
::::

\`\`\`{code-cell}
---
tags: [remove-output]
---
turn(1)
\`\`\`

\`\`\`{code-cell} ipython3
:tags: [hide-input]
turn(2)
\`\`\`

+++ {"part": 2}

:::::{tab-set}
::::{tab-item} pip
\`\`\`bash
pip install gears
\`\`\`
::::
::::{tab-item} conda
\`\`\`bash
conda install gears
\`\`\`
::::
:::::

\`\`\`{math}
:label: euler

e^{i\\pi} + 1 = 0
\`\`\`

$$
a = b
$$ (equal)

\`\`\`{figure} img/gear.png
:alt: A gear

A caption in *Markdown* of some words
\`\`\`

\`\`\`{list-table} Parts
:header-rows: 1

* - Name
  - Meaning
* - \`gear\`
  - A wheel with teeth
\`\`\`

\`\`\`{glossary}
axis
  What it turns on
\`\`\`

\`\`\`{py:function} turn(times, *, left=False)
:module: gears

Turns a gear.
\`\`\`

\`\`\`{autoclass} gears.Gear
:members:
\`\`\`

\`\`\`{admonition} Look out
:class: warning
Gears have teeth.
\`\`\`
`;
    const read = extract("docs/a.md", page);
    expect(proseIn(page).replaceAll("\n---\n", "\n")).toMatchInlineSnapshot(`
      "Read the guide, \`gears.turn\`, $a_1^2$, \`Ctrl+C\`, 12, a value.

      **Note: Mind** Content *with* terms.
      $$
      e^{i\\pi} + 1 = 0
      $$

      $$
      a = b
      $$

      A caption in *Markdown* of some words

      **Parts**

      | Name | Meaning |
      | --- | --- |
      | \`gear\` | A wheel with teeth |

      - **axis**: What it turns on

      #### turn(times, *, left=False)

      Turns a gear.

      #### Gears

      **Warning: Look out** Gears have teeth."
    `);
    expect(codesOf(read).map(({ language, code, label = "", file = "" }) => [language, code, label + file])).toEqual([
      ["yaml", "a: 1", "gears.yml"],
      ["python", "turn(1)", ""],
      ["python", "turn(2)", ""],
      ["bash", "pip install gears", "pip"],
      ["bash", "conda install gears", "conda"],
    ]);
    expect(codesOf(read)[1]?.lines).toEqual([28, 33]);
  });

  it("has the titles of its sections for references without a text", () => {
    const page =
      "# A\n\nSee {ref}`turn`, {ref}`left <turn>`, {ref}`oil` and {ref}`more`.\n\n(turn)=\n(spin)=\n\n## Turn a {class}`Gear` ##\n\n(oil)=\nWords of it.\n";
    expect(proseIn(page)).toContain("See Turn a `Gear`, left, oil and more.");
  });

  it("has a literal with markup as its text", () => {
    const literal =
      "```{parsed-literal}\n:class: x\n\n[GET /gears](rest-gears) *id* `a_b` {ref}`of <a>` <id>\n  **turn**\\*\n```\n";
    expect(codesOf(extract("a.md", `# A\n\n${words}\n\n${literal}`))).toMatchObject([
      { code: "GET /gears id a_b of <id>\n  turn*", language: "text" },
    ]);
  });

  it("has links without a text as the titles of what they lead to, or as what they name", () => {
    const page =
      "# A\n\nSet [](Gear.teeth), [](turn), [](#turn), [](#oil-a-gear), [](#api:gear-parts), [](more/parts.md) and [](https://a.example).\n\n![](a.png)\n\n(turn)=\n\n## Turn\n\n### Oil a gear\n";
    expect(proseIn(page)).toContain(
      "Set `Gear.teeth`, Turn, Turn, Oil a gear, gear parts, [parts](more/parts.md) and .",
    );
    // Elsewhere they are places to link to.
    expect(proseIn("# A\n\n[](#a)Set all of the gears [](b) of it.\n")).toBe("Set all of the gears  of it.");
    expect(proseIn("# A\n\nSet `[](a.md)` in it.\n\n:::{note}\nWords.\n:::\n")).toContain("Set `[](a.md)` in it.");
  });

  it("has all of its text where nothing closes its directives, and a comment is text on other pages", () => {
    expect(proseIn("# A\n\n:::{note}\nFirst words of it.\n\n```{tip}\nMore words of it.\n")).toBe(
      "First words of it.\n\nMore words of it.",
    );
    expect(proseIn("# A\n\nIt is by\n% of all who are asked.\n")).toBe("It is by\n% of all who are asked.");
  });
});

it("has reStructuredText as what its reader makes of it, with its place", () => {
  const page =
    "# A\n\nWords of it.\n\n```{eval-rst}\n.. note:: See :func:`turn`.\n\n.. code-block:: c\n\n   turn();\n```\n";
  const read = extract("a.md", page);
  expect(proseIn(page)).toBe("Words of it.\n\n**Note:** See `turn()`.");
  expect(codesOf(read)).toMatchObject([{ language: "c", code: "turn();" }]);
  expect(codesOf(read)[0]?.lines[0]).toBeGreaterThan(7);
  expect(codesOf(read)[0]?.lines[1]).toBeLessThan(11);
});
