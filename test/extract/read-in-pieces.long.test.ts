import { describe, expect, it } from "vitest";
import { codesOf, examplesOf, extract, passagesOf, proseOf } from "./extract.ts";

const sentence = "This sentence says something that readers of documentation want to know about.";

/** Parts with a block of code each, and this much text between them. */
function longPage(parts: number, between: string): string {
  const sections = Array.from({ length: parts }, (_, index) => [
    `## Part ${index}`,
    "",
    sentence,
    "",
    "```sh",
    `# Part of a script, no heading`,
    `run ${index}`,
    "```",
    "",
    between,
  ]);
  return ["# Long", "", "It is long.", "", ...sections.flat()].join("\n");
}

describe("a page that is too long to be read at once is cut at its headings, with the lines of the file", () => {
  it.each([
    ["of more than 400,000 lines", 9, "\n".repeat(50_000)],
    ["of more than ten million bytes", 60, `<!-- ${"x".repeat(200_000)} -->`],
    ["of more blocks than are kept at once", 15, "- - - a\n".repeat(4500)],
  ])("%s", (_, parts, between) => {
    const page = longPage(parts, between);
    const lines = page.split("\n");
    const result = extract("long.md", page);
    const codes = codesOf(result);
    const expected = Array.from({ length: parts }, (__, index) => `# Part of a script, no heading\nrun ${index}`);
    expect(result).toMatchObject({ outcome: "indexed", title: "Long" });
    expect(codes.map(({ code }) => code)).toEqual(expected);
    expect(codes.map((code) => lines.slice(code.lines[0], code.lines[1] - 1).join("\n"))).toEqual(expected);
    expect(examplesOf(result).map(({ title }) => title)).toEqual(expected.map((__, index) => `Part ${index}`));
  });

  it("with line ends of other systems", () => {
    const page = `# A\r\n\r\n${"\r\n".repeat(410_000)}## B\r\n\r\n\`\`\`sh\r\nrun it\r\n\`\`\`\r\n`;
    expect(codesOf(extract("a.md", page))).toMatchObject([{ code: "run it", lines: [410_005, 410_007] }]);
  });

  it("as text", () => {
    const part = (name: string): string => `${name}\n=====\n\n${sentence} ${name}.\n`;
    const page = `${part("First")}${"\n".repeat(410_000)}${part("Other")}`;
    expect(passagesOf(extract("a.txt", page))).toMatchObject([
      {
        breadcrumb: ["First"],
        blocks: [{ markdown: expect.stringContaining(`# Other\n\n${sentence} Other.`) as unknown }],
        lines: [4, 410_008],
      },
    ]);
  });
});

describe("of a page with a part that cannot be read", () => {
  const deep = `## Deep\n\n${">".repeat(60)} a\n`;

  it("the others are read, and the missing one is reported", () => {
    const result = extract("a.md", `# A\n\n${sentence} One.\n\n${deep}\n## B\n\n${sentence} Two.\n`);
    const prose = proseOf(result).join("\n");
    expect(prose).toContain("One.");
    expect(prose).toContain("Two.");
    expect(result.notes).toEqual([expect.stringMatching(/^Lines 5 to \d+ are left out: .*nested/)]);
  });

  it("a page of only such parts is skipped", () => {
    expect(extract("a.md", `${deep}\n${deep}`)).toMatchObject({ outcome: "skipped", code: "too_large" });
  });

  it("no code is cut in two", () => {
    const code = Array.from({ length: 6000 }, (_, index) => `# line ${index}\n`).join("\n");
    const page = `# A\n\n${sentence}\n\n${deep}\n## B\n\n~~~~py\n${code}\n~~~~\n\n<pre>\n# one\n\n# two\n</pre>\n`;
    expect(codesOf(extract("a.md", page)).map((block) => block.code)).toEqual([code, "# one\n\n# two"]);
  });
});

it("a page beyond the bounds is skipped", () => {
  expect(extract("a.md", "\n".repeat(2_000_001))).toMatchObject({ outcome: "skipped", code: "too_large" });
});
