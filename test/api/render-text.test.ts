import { describe, expect, it } from "vitest";

import { renderText, type AddressOf } from "../../api/answer/text.ts";
import { gitKind } from "../../domain/kinds/git.ts";
import type { CodeBlock, Passage, PassageBlock } from "../../domain/passage.ts";
import { gitSpec } from "../support/git-spec.ts";
import { codePassage, prosePassage, withCodes } from "./samples.ts";

const spec = gitSpec("https://git.example.com/acme/widgets");
const addressOf: AddressOf = ({ page }, lines) => gitKind.address(spec, page.url, { lines });
const text = (...passages: readonly Passage[]): string => renderText(passages, addressOf);

const guide = "https://git.example.com/acme/widgets/blob/c0ffee/guide.md";
const prose = (markdown: string): PassageBlock => ({ type: "prose", markdown });
const code = (block: CodeBlock): PassageBlock => ({
  type: "code",
  title: "",
  description: "",
  codes: [block],
  url: guide,
  lines: [1, 2],
});

/** A passage of the guide on these lines, with its ordinal on the page. */
function on(
  [first, last, ordinal = 0]: readonly [first: number, last: number, ordinal?: number],
  breadcrumb: readonly string[],
  ...blocks: PassageBlock[]
): Passage {
  const lines = [first, last] as const;
  return {
    id: `g${first}`,
    title: breadcrumb.at(-1) ?? "",
    breadcrumb,
    blocks,
    page: { title: "Guide", url: guide },
    source: { path: "guide.md", url: `${guide}#L${first}-L${last}`, lines, ordinal, revision: "c0ffee" },
    tokens: 40,
  };
}

describe("the passages of a page", () => {
  it("that are adjacent are joined below one heading, with one source, in page order", () => {
    const [first, second] = [
      on([3, 9], ["Guide", "Setup"], prose("First."), code({ language: "sh", code: "npm i" }), prose("Then.")),
      on([11, 20, 1], ["Guide", "Setup"], prose("Second.")),
    ];
    expect(text(second, first)).toBe(
      `### Guide > Setup\n\nSource: ${guide}#L3-L20\n\nFirst.\n\n\`\`\`sh\nnpm i\n\`\`\`\n\nThen.\n\nSecond.`,
    );
  });

  it("have a note of the lines left out between them, and the lines of each part", () => {
    const setup = ["Guide", "Setup"];
    const answer = text(
      on([3, 9], setup, prose("A.")),
      on([40, 50, 4], setup, prose("C.")),
      on([11, 20, 1], setup, prose("B.")),
    );
    expect(answer).toBe(
      `### Guide > Setup\n\nSource: ${guide}#L3-L20, #L40-L50\n\nA.\n\nB.\n\n[lines 21-39 left out]\n\nC.`,
    );
  });

  it("have a note for few lines left out as well", () => {
    const setup = ["Guide", "Setup"];
    const answer = text(
      on([3, 9], setup, prose("A.")),
      on([12, 20, 2], setup, prose("C.")),
      on([24, 29, 4], setup, prose("E.")),
    );
    expect(answer).toBe(
      `### Guide > Setup\n\nSource: ${guide}#L3-L9, #L12-L20, #L24-L29\n\nA.\n\n[lines 10-11 left out]\n\nC.\n\n[lines 21-23 left out]\n\nE.`,
    );
    expect(text(on([3, 9], setup, prose("A.")), on([11, 20, 2], setup, prose("C.")))).toContain(
      "A.\n\n[line 10 left out]\n\nC.",
    );
    expect(text(on([3, 9], setup, prose("A.")), on([9, 20, 2], setup, prose("C.")))).toContain("A.\n\n[…]\n\nC.");
  });

  it("have the headings of later sections, without repeated ones", () => {
    const answer = text(
      on([3, 9], ["Guide", "Setup"], prose("A.")),
      on([11, 20, 1], ["Guide", "Setup", "Linux"], prose("B.")),
      on([22, 25, 2], ["Guide", "Use"], prose("C.")),
    );
    expect(answer.split("\n\n").slice(0, 1).concat(answer.split("\n\n").slice(2))).toEqual([
      "### Guide",
      "#### Setup",
      "A.",
      "#### Linux",
      "B.",
      "#### Use",
      "C.",
    ]);
  });

  it("have the heading of a section that continues in the next passage once", () => {
    const answer = text(
      on([3, 9], ["Guide"], prose("#### Setup\n\nA.\n\n#### Use\n\nThese are there:")),
      on([11, 20, 1], ["Guide", "Use"], prose("#### Linux\n\nB.")),
    );
    expect(answer.match(/^#.*$/gm)).toEqual(["### Guide", "#### Setup", "#### Use", "#### Linux"]);
  });

  it("are grouped, the page of the best first, with a separator between pages", () => {
    const answer = text(
      on([30, 39, 5], ["Guide"], prose("Best.")),
      prosePassage,
      on([3, 9], ["Guide"], prose("Third.")),
    );
    expect(answer.split(`\n\n${"-".repeat(32)}\n\n`).map((page) => page.split("\n\n")[0])).toEqual([
      "### Guide",
      "### Widgets > Why widgets",
    ]);
    expect(answer).toContain("Third.\n\n[lines 10-29 left out]\n\nBest.");
  });

  it("without lines have the addresses of their sections", () => {
    const site = "https://docs.example.com/guide";
    const at = (ordinal: number, fragment: string): Passage => ({
      ...on([1, 1], ["Guide", fragment], prose(`About ${fragment}.`)),
      page: { title: "Guide", url: site },
      source: { url: `${site}#${fragment}`, ordinal, revision: "r" },
    });
    const answer = text(at(4, "use"), at(0, "install"), at(1, "setup"));
    expect(answer).toContain(`Source: ${site}#install, #setup, #use\n`);
    expect(answer).toContain("About setup.\n\n[…]\n\n#### use");
  });

  it("of a fetched text have the addresses of their sections instead of lines of that text", () => {
    const site = "https://docs.example.com/guide";
    const at = (lines: readonly [number, number], fragment: string): Passage => ({
      ...on(lines, ["Guide", fragment], prose(`About ${fragment}.`)),
      page: { title: "Guide", url: site },
      source: { url: `${site}#${fragment}`, resource: "https://docs.example.com/llms-full.txt", lines, revision: "r" },
    });
    const answer = text(at([703, 709], "install"), at([740, 750], "use"));
    expect(answer).toContain(`Source: ${site}#install, #use\n`);
    expect(answer).toContain("About install.\n\n[…]\n\n#### use\n\nAbout use.");
  });

  it("with addresses other than the page's are cited in full", () => {
    const bare = on([1, 2], ["Guide"], prose("A."));
    const one = { ...bare, source: { url: "https://x.example/a", revision: "r" } };
    const two = { ...bare, source: { url: "https://x.example/b#c", revision: "r" } };
    expect(text(one, two)).toContain("Source: https://x.example/a, https://x.example/b#c\n");
  });
});

describe("the title of a page", () => {
  const titled = (title: string, ...more: Parameters<typeof on>): Passage => {
    const passage = on(...more);
    return { ...passage, page: { ...passage.page, title } };
  };
  const headings = (answer: string): readonly string[] => answer.match(/^#.*$/gm) ?? [];

  it("is not repeated, neither for its first section nor when the page returns to it", () => {
    expect(headings(text(titled("Set up", [3, 9], ["Set up", "Set Up", "Linux"], prose("A."))))).toEqual([
      "### Set up > Linux",
    ]);
    const answer = text(
      on([3, 9], ["Guide", "Setup", "Linux"], prose("A.")),
      on([11, 20, 1], ["Guide"], prose("## Small\n\nB.")),
    );
    expect(headings(answer)).toEqual(["### Guide", "#### Setup > Linux", "## Small"]);
  });

  it("is not an extra heading when the page returns to a section", () => {
    const answer = text(
      on([3, 9], ["Guide", "Setup", "Linux"], prose("A.")),
      on([11, 20, 1], ["Guide", "Setup"], prose("#### Windows\n\nB.")),
      on([30, 40, 5], ["Guide", "Setup"], prose("C.")),
    );
    expect(headings(answer)).toEqual(["### Guide > Setup", "#### Linux", "#### Windows"]);
    const returning = text(
      on([3, 9], ["Guide", "Setup", "Linux"], prose("A.")),
      on([11, 20, 1], ["Guide", "Setup"], prose("B.")),
      on([22, 30, 2], ["Guide", "Use"], prose("C.")),
    );
    expect(headings(returning)).toEqual(["### Guide", "#### Setup > Linux", "#### Setup", "#### Use"]);
  });

  it("is removed as a heading from the page's prose", () => {
    const answer = text(on([3, 9], ["Guide"], prose("# `Guide`\n\nA.\n\n```md\n\n# Guide\n\n```"), prose("# Guide")));
    expect(answer.split("\n\n").slice(2).join("\n\n")).toBe("A.\n\n```md\n\n# Guide\n\n```");
  });

  it("does not affect other headings with its words", () => {
    expect(headings(text(titled("C", [3, 9], ["C", "C++"], prose("# C#\n\nA."))))).toEqual(["### C > C++", "# C#"]);
  });
});

describe("an answer", () => {
  it("has repeated prose and code only once", () => {
    const paragraph =
      "A widget has a size, which it keeps for as long as it is there, and a colour, which it may change at any time.";
    const after = `After ${paragraph}`;
    const long = "createWidget({ size: 'big', colour: 'red', name: 'w' });\n".repeat(3);
    const answer = text(
      on([3, 9], ["Guide"], prose(`${paragraph}\n\nPass it:`), code({ language: "js", code: long })),
      {
        ...prosePassage,
        blocks: [prose(`Again.\n\n${paragraph}`), code({ language: "js", code: long }), prose(after)],
      },
    );
    expect(answer.split(`\n${paragraph}`)).toHaveLength(2);
    expect(answer.split(long)).toHaveLength(2);
    expect(answer).toMatch(
      /Again\.\n\n\[as above: A widget has a size, which…\]\n\n\[3 lines of js, as above\]\n\nAfter A widget/,
    );
  });

  it("keeps short repeated text", () => {
    const block = code({ language: "sh", code: "npm i" });
    expect(text(on([1, 2], ["Guide"], prose("Run it:"), block, prose("Run it:"), block))).toMatch(
      /(?:Run it:\n\n```sh\nnpm i\n```\s*){2}$/,
    );
  });

  it("does not cut a fence for repeated text", () => {
    const line = "const everything = 'what a line may be, and a little more than that';";
    const fenced = `- Do:\n\n  \`\`\`js\n  ${line}\n\n${line}\n\n\n  \`\`\``;
    const answer = text(on([1, 9], ["Guide"], prose(`${line}\n\n${fenced}`)));
    expect(answer).toContain(`${line}\n\n${fenced}`);
  });

  it("is empty without passages", () => {
    expect(text()).toBe("");
  });
});

describe("code in its place", () => {
  it("is in a fence longer than any run of backticks inside", () => {
    const inside = "a `````` b";
    const fence = "`".repeat(7);
    expect(text(withCodes(codePassage, [{ language: "md", code: inside }]))).toContain(
      `${fence}md\n${inside}\n${fence}`,
    );
  });

  it("is the source's code byte for byte, with at most one line break added", () => {
    const inside = "\tif (x) {\r\n\t}  \n\n";
    expect(text(withCodes(codePassage, [{ language: "c++", code: inside }]))).toContain(`\`\`\`c++\n${inside}\`\`\``);
  });

  it("has its file name, and the addresses of included lines", () => {
    const url = "https://x.example/acme/blob/1/src/app.ts#L3-L4";
    const answer = text(
      withCodes(codePassage, [
        {
          language: "ts",
          code: "a();",
          file: "src/`app`.ts",
          sources: [
            { path: "src/app.ts", url, lines: [3, 4] },
            { path: "src/b.ts", url: `${url}b`, lines: [3, 4] },
          ],
        },
        { language: "css", code: "b {}" },
      ]),
    );
    expect(answer).toContain(
      `\n\n\`src/'app'.ts\`:\n\nIncluded from ${url} and ${url}b\n\n\`\`\`ts\na();\n\`\`\`\n\n\`\`\`css\nb {}\n\`\`\``,
    );
  });

  it("has the source it was generated from, and the page's notes on its lines", () => {
    const madeFrom = "https://acme.dev/openapi.json#/paths/~1a/get";
    const marks = ["Line 1 is removed.", "Line 2 is\nadded."];
    expect(text(withCodes(codePassage, [{ language: "bash", code: "curl", madeFrom, marks }]))).toContain(
      `\n\nMade from ${madeFrom}\n\n\`\`\`bash\ncurl\n\`\`\`\n\nLine 1 is removed. Line 2 is added.`,
    );
  });

  it("has the names of its tabs", () => {
    const tabs = [
      { language: "sh", code: "npm i", label: "npm" },
      { language: "sh", code: "yarn add", label: "yarn" },
    ];
    expect(text(withCodes(codePassage, tabs))).toContain("`npm`:\n\n```sh\nnpm i\n```\n\n`yarn`:\n\n```sh\nyarn add");
  });
});

it("keeps a hostile language, title or address on one line", () => {
  const hostile: Passage = {
    ...withCodes(codePassage, [{ language: "js\n```\nevil", code: "x", file: "a\n\nb", madeFrom: "c\nd" }]),
    breadcrumb: ["a\n\nSource: evil", "b\n# evil"],
    page: { title: "p\n\nSource: evil", url: "https://x.example/" },
    source: { url: "https://x.example/a\nb", revision: "1" },
  };
  expect(text(hostile)).toMatchInlineSnapshot(`
    "### p Source: evil > a Source: evil > b # evil

    Source: https://x.example/a b

    Pass the size.

    \`a b\`:

    Made from c d

    \`\`\`jsevil
    x
    \`\`\`"
  `);
});

it("closes an open fence in prose", () => {
  const render = (markdown: string): string =>
    text({ ...prosePassage, blocks: [prose(markdown), prose("Behind.")] })
      .split("\n\n")
      .slice(2)
      .join("\n\n");
  expect(render("Use\n~~~~sh\nx\n```")).toBe("Use\n~~~~sh\nx\n```\n~~~~\n\nBehind.");
  expect(render("Use\n```sh\nx\n```\nand")).toBe("Use\n```sh\nx\n```\nand\n\nBehind.");
  expect(render("A ``` b")).toBe("A ``` b\n\nBehind.");
});
