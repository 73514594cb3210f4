import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../domain/tokens.ts";
import type { ExtractedPassage } from "../../extract/page.ts";
import { runs } from "../support/endurance.ts";
import { extract, passagesOf } from "./extract.ts";

const fence = (code: string, language = ""): string => `\`\`\`${language}\n${code}\n\`\`\``;
const indented = (text: string, by: string): string => text.replaceAll("\n", `\n${by}`);
const sentence = "This sentence says something that readers of documentation want to know about.";
/** Code of about this many tokens. */
const codeOf = (tokens: number, name = "value"): string =>
  Array.from({ length: Math.ceil(tokens / 6) }, (_, at) => `${name}(${at});`).join("\n");

/** The blocks of a passage: prose as text, code as a list of its code blocks. */
const blocksOf = ({ blocks }: ExtractedPassage) =>
  blocks.map((block) => (block.type === "prose" ? block.markdown : block.codes.map(({ code }) => code)));

const passages = (page: string, path = "a.md") => passagesOf(extract(path, page)).map(blocksOf);

describe("a passage", () => {
  it("has prose, code, lists, tables and notes in the order of the page", () => {
    const page = `# A\n\nFirst words.\n\n${fence("one")}\n\nSecond words.\n\n- an item\n- another\n\n${fence("two")}\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n${fence("three")}\n\n> [!NOTE]\n> Mind it.\n\nLast words.\n`;
    expect(passages(page)).toEqual([
      [
        "First words.",
        ["one"],
        "Second words.\n\n- an item\n- another",
        ["two"],
        "| a | b |\n| --- | --- |\n| 1 | 2 |",
        ["three"],
        "**Note:** Mind it.\n\nLast words.",
      ],
    ]);
  });

  it("has the lines of all of it, and each example its own", () => {
    const page = `# A\n\n## B\n\nWords.\n\n${fence("one")}\n\n${fence("two")}\n\nMore.\n`;
    const [passage] = passagesOf(extract("a.md", page));
    expect(passage?.lines).toEqual([5, 15]);
    expect(passage?.blocks.map((block) => (block.type === "code" ? block.lines : undefined))).toEqual([
      undefined,
      [7, 9],
      [11, 13],
      undefined,
    ]);
  });

  it("has the footnotes that its prose refers to, at its end", () => {
    const page = `# A\n\nSee[^1] this:\n\n${fence("one")}\n\n[^1]: It is a note.\n\n[^2]: It is none of this page.\n`;
    expect(passages(page)).toEqual([["See[^1] this:", ["one"], "[^1]: It is a note."]]);
  });

  it("that has prose alone is left out where that says next to nothing; code never is", () => {
    expect(passages("# A\n\nNo words.\n")).toEqual([]);
    expect(passages(`# A\n\n${fence("one")}\n`)).toEqual([[["one"]]]);
  });
});

describe("code in a container", () => {
  it("stands between the items of the list around it", () => {
    const page = `# A\n\n1. First:\n\n   ${indented(fence("one"), "   ")}\n\n   More of it.\n\n2. Second:\n\n   ${indented(fence("two"), "   ")}\n\n   ${indented(fence("three"), "   ")}\n\n3. Third.\n`;
    expect(passages(page)).toEqual([
      ["1. First:", ["one"], "More of it.\n\n2. Second:", ["two"], ["three"], "3. Third."],
    ]);
  });

  it.each([
    [
      "callout of MkDocs",
      `!!! note "Mind it"\n\n    Do this:\n\n    ${indented(fence("one"), "    ")}\n\n    Then this:\n\n    ${indented(fence("two"), "    ")}\n\n    It is done.`,
      ["**Note: Mind it** Do this:", ["one"], "Then this:", ["two"], "It is done.\n\nAfter."],
    ],
    [
      "callout of VitePress",
      `::: tip\nDo this:\n\n${fence("one")}\n\nThen this:\n\n${fence("two")}\n:::`,
      ["**Tip:** Do this:", ["one"], "Then this:", ["two"], "After."],
    ],
    [
      "quote",
      `> Do this:\n>\n> ${indented(fence("one"), "> ")}\n>\n> Then this:\n>\n> ${indented(fence("two"), "> ")}`,
      ["> Do this:", ["one"], "> Then this:", ["two"], "After."],
    ],
    [
      "definition",
      `Term\n:   Do this:\n\n    ${indented(fence("one"), "    ")}\n\n    Then this:\n\n    ${indented(fence("two"), "    ")}`,
      ["- **Term**: Do this:", ["one"], "Then this:", ["two"], "After."],
    ],
    [
      "tab of MkDocs",
      `=== "npm"\n\n    Do this:\n\n    ${indented(fence("one"), "    ")}\n\n    Then this:\n\n    ${indented(fence("two"), "    ")}`,
      ["**npm:** Do this:", ["one"], "Then this:", ["two"], "After."],
    ],
  ])("stands in its place, however much of it there is: %s", (_, container, blocks) => {
    expect(passages(`# A\n\n${container}\n\nAfter.\n`)).toEqual([blocks]);
  });

  it("keeps its place where a page has the characters that mark it, or code in a comment", () => {
    const marked = `# A\n\n- Before \u0001\n\u00010\n  ${indented(fence("one"), "  ")}\n  between\n  ${indented(fence("two"), "  ")}\n- after\n`;
    expect(passages(marked)).toEqual([["- Before \u0001\n  \u00010", ["one"], "between", ["two"], "- after"]]);
    const commented = `# A\n\n- One.\n\n  {/*\n\n  ${indented(fence("none"), "  ")}\n\n  */}\n\n- Two:\n\n  ${indented(fence("two"), "  ")}\n\n- Three.\n`;
    expect(passages(commented, "a.mdx")).toEqual([["- One.\n- Two:", ["two"], "- Three."]]);
  });

  it("has the labels of tabs that are one example, and its page has them no more", () => {
    const tab = (name: string, code: string): string => `:::tabs-item{label="${name}"}\n\n${fence(code)}\n\n:::\n`;
    const page = `# A\n\nInstall it:\n\n::tabs\n\n${tab("npm", "one")}\n${tab("yarn", "two")}\n::\n`;
    const [passage] = passagesOf(extract("a.md", page));
    expect(passage?.blocks).toMatchObject([
      { type: "prose", markdown: "Install it:" },
      {
        type: "code",
        codes: [
          { code: "one", label: "npm" },
          { code: "two", label: "yarn" },
        ],
      },
    ]);
  });

  it("of tabs with words between is parted by these", () => {
    const tab = (name: string, inside: string): string => `:::tabs-item{label="${name}"}\n\n${inside}\n\n:::\n`;
    const page = `# A\n\n::tabs\n\n${tab("npm", fence("one"))}\n${tab("yarn", `Mind the version:\n\n${fence("two")}`)}\n::\n`;
    expect(passages(page)).toEqual([[["one"], "**yarn:** Mind the version:", ["two"]]]);
  });
});

describe("the label of a callout", () => {
  it.each([
    ["VitePress", `::: warning\n${fence("one")}\n:::`, "**Warning:**"],
    ["MkDocs", `!!! failure "Not so"\n\n    ${indented(fence("one"), "    ")}`, "**Danger: Not so**"],
    ["GitHub", `> [!WARNING]\n> ${indented(fence("one"), "> ")}`, "**Warning:**"],
    ["bold words", `**Example usage**\n\n${fence("one")}`, "**Example usage**"],
  ])("stands before code that it has under it and nothing else: %s", (_, callout, label) => {
    expect(passages(`# A\n\nWords of it.\n\n${callout}\n`)).toEqual([[`Words of it.\n\n${label}`, ["one"]]]);
  });

  it("that says no more than its kind is no part of a title", () => {
    const page = `# A\n\n${fence("one")}\n\n::: tip\n${fence("two")}\n:::\n`;
    const [passage] = passagesOf(extract("a.md", page));
    expect(passage?.blocks.map((block) => (block.type === "code" ? block.title : block.markdown))).toEqual([
      "A",
      "**Tip:**",
      "A (2)",
    ]);
  });
});

describe("sections", () => {
  it("of up to 600 tokens stay whole, each by itself", () => {
    const part = (name: string): string => `## ${name}\n\n${`${sentence}\n\n`.repeat(30)}`;
    const passages = passagesOf(extract("a.md", `# A\n\n${part("B")}${part("C")}`));
    expect(passages.map(({ title, breadcrumb }) => [title, breadcrumb])).toEqual([
      ["B", ["A", "B"]],
      ["C", ["A", "C"]],
    ]);
  });

  it("below 120 tokens are joined, under headings of their own depth below the one they share", () => {
    const page = `# A\n\n## B\n\n### C\n\n#### D\n\nWords of d.\n\n${fence("one")}\n\n#### E\n\n${fence("two")}\n`;
    const [passage, ...others] = passagesOf(extract("a.md", page));
    expect(others).toEqual([]);
    expect(passage).toMatchObject({ title: "C: D, E", breadcrumb: ["A", "B", "C"] });
    expect(blocksOf(passage as ExtractedPassage)).toEqual(["#### D\n\nWords of d.", ["one"], "#### E", ["two"]]);
  });

  it("that are joined are named by the heading above them where they are many, or long", () => {
    const joined = (...names: readonly string[]): unknown[] =>
      passagesOf(
        extract("a.md", `# A\n\n## B\n\n${names.map((name) => `### ${name}\n\nWords of it.\n\n`).join("")}`),
      ).map(({ title }) => title);
    expect(joined("C", "D")).toEqual(["B: C, D"]);
    expect(joined("C", "D", "E")).toEqual(["B"]);
    expect(joined("C ".repeat(40), "D ".repeat(40))).toEqual(["B"]);
  });

  it("that are small stay with the large one that they have more in common with", () => {
    const large = `${sentence}\n\n`.repeat(20);
    const page = `# A\n\n## B\n\n### C\n\n${large}### D\n\nWords of d.\n\n## E\n\n${large}`;
    expect(passagesOf(extract("a.md", page)).map(({ title }) => title)).toEqual(["B: C, D", "E"]);
  });

  it("above 600 tokens are cut between units into parts of about 40  0", () => {
    const unit = (at: number): string => `Step ${at}. ${sentence}\n\n${fence(codeOf(60, `run${at}`))}\n`;
    const page = `# A\n\n${Array.from({ length: 20 }, (_, at) => unit(at)).join("\n")}`;
    const result = passages(page);
    expect(result.length).toBeGreaterThan(2);
    for (const blocks of result) {
      const tokens = blocks.reduce((sum, block) => sum + estimateTokens(String(block)), 0);
      expect(tokens).toBeGreaterThan(200);
      expect(tokens).toBeLessThanOrEqual(600);
      expect(blocks[0]).toMatch(/^Step \d+\./);
      expect(blocks.length % 2).toBe(0);
    }
    expect(result.flat()).toHaveLength(40);
  });
});

describe("long code", () => {
  it("is never cut, and stays with what leads to it", () => {
    const code = codeOf(3000);
    const page = `# A\n\n${`${sentence}\n\n`.repeat(40)}It is long:\n\n${fence(code)}\n\nThat was all.\n`;
    const [blocks] = passages(page).filter((one) => one.some((block) => Array.isArray(block)));
    expect(blocks).toEqual(["It is long:", [code], "That was all."]);
  });

  it("leaves no words beside it that are too few to stand alone", () => {
    const code = codeOf(3000);
    expect(passages(`# A\n\nSo.\n\nLook:\n\n${fence(code)}\n\nDone.\n`)).toEqual([["So.\n\nLook:", [code], "Done."]]);
  });
});

describe("a lead-in", () => {
  it.each([
    ["a list", "- one item\n- another one"],
    ["a table", "| a | b |\n| --- | --- |\n| 1 | 2 |"],
    ["code", fence(codeOf(590))],
    ["a label and code", `**Example**\n\n${fence(codeOf(590))}`],
    ["another one and code", `Like this:\n\n${fence(codeOf(590))}`],
  ])("stands in one passage with %s behind it", (_, behind) => {
    for (let before = 0; before < 40; before++) {
      const page = `# A\n\n${`${sentence}\n\n`.repeat(before)}There are some of them:\n\n${behind}\n\n${sentence}\n`;
      const texts = passages(page).map((blocks) => blocks.flat().join("\n\n"));
      const begins = `There are some of them:\n\n${behind.replace(/```\n?/g, "")}`.trim();
      expect(texts.filter((text) => text.includes(begins))).toHaveLength(1);
    }
  });

  it("never ends a passage where its section has something behind it, and is never parted from its code", () => {
    const block = fc.oneof(
      fc.integer({ min: 1, max: 12 }).map((times) => `${sentence} `.repeat(times).trim()),
      fc.integer({ min: 1, max: 300 }).map((tokens) => fence(codeOf(tokens))),
      fc.constantFrom("It is done so:", "**Example**", "And *so*:*", "- an item\n- another", "| a |\n|---|\n| 1 |"),
    );
    fc.assert(
      fc.property(fc.array(block, { maxLength: 60 }), (blocks) => {
        const result = passages(`# A\n\n${[...blocks, sentence].join("\n\n")}\n`);
        expect(result.filter((one) => /(?::\*?|\*\*Example\*\*)$/.test(String(one.at(-1))))).toEqual([]);
        // Code begins a passage only after other code on the page.
        const parted = result.filter((one, at) => Array.isArray(one[0]) && typeof result[at - 1]?.at(-1) === "string");
        expect(parted).toEqual([]);
      }),
      { numRuns: runs({ short: 100, long: 3000 }) },
    );
  });

  it("is prose like any other where nothing but lead-ins follow each other", () => {
    const result = passages(`# A\n\n${"It is done like this:\n\n".repeat(2000)}`);
    expect(result.length).toBeGreaterThan(15);
    for (const blocks of result) expect(estimateTokens(blocks.join("\n\n"))).toBeLessThanOrEqual(800);
  });
});
