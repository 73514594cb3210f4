import { describe, expect, it } from "vitest";
import { codesOf, examplesOf, extract, proseIn } from "./extract.ts";

describe("prose without what only a generator reads", () => {
  it.each([
    [
      "lists of attributes",
      "See **this**{.red} and [that](b.md){: target=_blank } now. {#here .x}",
      "See **this** and [that](b.md) now.",
    ],
    [
      "lists of attributes on lines of their own",
      "These are some more words about the thing itself.\n{: .note-title #x }\n",
      "These are some more words about the thing itself.",
    ],
    [
      "anchors without text",
      "[](){#old-name}\n\nThese are some more words about the thing itself.",
      "These are some more words about the thing itself.",
    ],
    [
      "names that another page defines",
      "Call [`Model`][pkg.Model] or [the\nother][]: both [work][x].",
      "Call `Model` or the\nother: both work.",
    ],
    ["characters by their names", "A &lt; B&nbsp;&amp; `&lt;` &#x2713; as said.", "A < B & `&lt;` ✓ as said."],
    ["icons", "It is :material-check: known to work in all of them.", "It is  known to work in all of them."],
    [
      "imports of MDX",
      'import A from "./a.jsx"\n\nThese are some more words about the thing itself.',
      "These are some more words about the thing itself.",
    ],
    [
      "blocks of slashes",
      "/// warning | Take care\nIt is hot.\n///\n\n/// version-added | v2.1\n///",
      "**Warning: Take care** It is hot.\n\n**Version added: v2.1**",
    ],
  ])("has no %s", (_, markdown, expected) => {
    expect(proseIn(`# A\n\n${markdown}\n`).trim()).toBe(expected);
  });

  it("has the addresses of names behind long code, too", () => {
    const long = `\`${"a ".repeat(70)}\` and ${"words ".repeat(20)}`;
    expect(proseIn(`# A\n\n${long}see [\`Date\`][] and \`a[b][c]\` there.\n\n[\`Date\`]: /date\n`)).toContain(
      "see [`Date`](/date) and `a[b][c]` there.",
    );
  });

  it("keeps braces that are text", () => {
    const text = 'Use {#each items as item}, `{#if}`, `println!("{:#?}", a)` and {:ok, pid} there.';
    expect(proseIn(`# A\n\n${text}\n`)).toBe(text);
  });

  it("has no blanks that MDX writes as expressions", () => {
    expect(proseIn("# A\n\n{' '}\n\nThese are some more words about the thing itself.\n", "a.mdx")).toBe(
      "These are some more words about the thing itself.",
    );
  });
});

describe("a list", () => {
  it("has the labels of callouts and tabs of MkDocs that stand in its items", () => {
    const page =
      '# A\n\n- One of the ways:\n\n    === "As a class"\n\n        It is a class then.\n\n    !!! tip "Faster"\n\n        Keep it.\n\n    ??? note\n\n        It is new.\n';
    expect(proseIn(page)).toMatch(/\*\*As a class:\*\*[^]*\*\*Tip: Faster\*\*[^]*\*\*Note:\*\*/);
    expect(proseIn(page)).not.toMatch(/===|!!!|\?\?\?/);
  });
});

describe("a description", () => {
  it("has no number of a step that stands deep in a component", () => {
    const page =
      "# A\n\n<Steps>\n\n\t\t\t1. Add the tool to your project:\n\n\t\t\t```sh\n\t\t\tadd tool\n\t\t\t```\n\n</Steps>\n";
    expect(examplesOf(extract("a.mdx", page))[0]?.description).toBe("Add the tool to your project:");
  });

  it("has no mark of an alert, and no names of links", () => {
    const page = "# A\n\n> [!NOTE] Call [`run`][pkg.run] first {: .x}\n>\n> ```sh\n> run it all\n> ```\n";
    expect(examplesOf(extract("a.md", page))[0]?.description).toBe("Call run first");
  });

  it("is the page's own where nothing else says anything", () => {
    const page = "---\ntitle: A\ndescription: Sorts a list of things.\n---\n\n## Syntax\n\n```js\nsort(a);\n```\n";
    expect(examplesOf(extract("a.md", page))[0]?.description).toBe("Sorts a list of things.");
  });
});

describe("a definition list", () => {
  it("has its fences as code, and its text without marks", () => {
    const page =
      "# A\n\n`mode`\n:   How it behaves:\n\n    ``` yaml\n    mode: fast\n    ```\n\n    It is slow without.\n\nBehind it.\n";
    expect(codesOf(extract("a.md", page))).toMatchObject([{ language: "yaml", code: "mode: fast" }]);
    expect(proseIn(page)).toContain("It is slow without.");
    expect(proseIn(page)).not.toMatch(/^ *:/m);
  });
});

describe("a title", () => {
  const titles = (...leads: string[]): string[] =>
    examplesOf(
      extract(
        "a.md",
        `# A\n\n## B\n\n${leads.map((lead) => `${lead}\n\n\`\`\`js\nrun(${lead.length});\n\`\`\``).join("\n\n")}\n`,
      ),
    ).map(({ title }) => title);

  it("ends with a clause of the lead-in where that is long", () => {
    expect(
      titles(
        "Sort the list by the name of its items, which is what most people want to see there:",
        "For example, sort it by date:",
      ),
    ).toEqual(["B: Sort the list by the name of its items", "B: sort it by date"]);
  });

  it("leaves out what stands before the main clause, and takes what else tells blocks apart where it is taken", () => {
    expect(
      titles(
        "If you have many items in your list, sort them by their names first:",
        "Instead of sorting, filter the list:",
        "Like all other functions that take a list, it may be given another one:",
      ),
    ).toEqual([
      "B: sort them by their names first",
      "B: Instead of sorting, filter the list",
      "B: Like all other functions that take a list, it may be given another one",
    ]);
    const page = "# A\n\n## B\n\nEdit it:\n\n```json\n// a.json\n{}\n```\n\nEdit it:\n\n```js\n// b.js\nb();\n```\n";
    expect(examplesOf(extract("a.md", page)).map(({ title }) => title)).toEqual(["B: Edit it", "B: b.js"]);
  });

  it("is what the code's first comment says, where no words lead to it", () => {
    const page =
      "# A\n\n## B\n\nTwo of them:\n\n```js\n// simple one\na(1);\n```\n\n```js\n// one that waits\nb(2);\n```\n";
    expect(examplesOf(extract("a.md", page)).map(({ title }) => title)).toEqual([
      "B: Two of them",
      "B: one that waits",
    ]);
  });
});

describe("the title of a page", () => {
  const titleOf = (page: string): string | undefined => {
    const result = extract("x/some-page.md", page);
    return result.outcome === "indexed" ? result.title : undefined;
  };

  it("is what front matter says in capitals, too", () => {
    expect(titleOf("---\nTitle: The real one\n---\n\nThese are some more words about the thing.\n")).toBe(
      "The real one",
    );
  });

  it("is a deeper heading that it begins with and that all others stand below", () => {
    const text = "These are some more words about the thing.";
    expect(titleOf(`### Queues\n\n${text}\n\n#### Workers\n\n${text}\n`)).toBe("Queues");
    expect(titleOf(`### Queues\n\n${text}\n\n### Workers\n\n${text}\n`)).toBe("Some page");
  });

  it("has no headings below it that are nothing but a rule", () => {
    const page = "# A\n\n## ---\n\n### B\n\n```js\nrun();\n```\n";
    expect(examplesOf(extract("a.md", page))[0]?.breadcrumb).toEqual(["A", "B"]);
  });
});

describe("a language", () => {
  it.each([
    [">>> a()", "python"],
    ["iex(1)> a()", "elixir"],
    ["redis> GET a", "redis"],
    ["mysql> select 1;", "sql"],
  ])("is told by the prompt of %s", (code, language) => {
    expect(codesOf(extract("a.md", `# A\n\n\`\`\`\n${code}\n\`\`\`\n`))[0]?.language).toBe(language);
  });
});

describe("text", () => {
  it("that is a table of data, or a list of words, is none to read", () => {
    const rows = Array.from({ length: 40 }, (_, index) => `00${index};LETTER NUMBER ${index};Lu;0`).join("\n");
    expect(extract("data.txt", `# The letters.\n${rows}\n`)).toMatchObject({ outcome: "skipped", code: "no_snippets" });
    const words = Array.from({ length: 80 }, (_, index) => `word${index}`).join("\n");
    expect(extract("words.txt", words)).toMatchObject({ outcome: "skipped", code: "no_snippets" });
    const metrics = Array.from({ length: 60 }, (_, index) => `# type: "counter"\nhttp_total{code="${index}"} 1e+06`);
    expect(extract("m.txt", metrics.join("\n"))).toMatchObject({ outcome: "skipped", code: "no_snippets" });
  });
});
