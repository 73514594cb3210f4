import { describe, expect, it } from "vitest";
import { parseBlocks } from "../../tools/bench/answers/blocks.ts";
import { judgeText, parseTextAnswer } from "../../tools/bench/answers/judge.ts";
import { readPage } from "../../tools/bench/answers/page.ts";

const url = "file:///docs/guide.md";
const dashes = "-".repeat(32);
const fenced = (code: string, language = "ts"): string => `\`\`\`${language}\n${code}\n\`\`\``;

/** The page of the answers below. */
const source = `---
title: Guide
---

# Guide

Read the options from a file and start the server with them:

${fenced('const options = await readOptions("server.json", { strict: true });\nawait start(options);')}

Then stop it. For example:

${fenced("await stop();\nawait cleanUp();")}

## Options

These can be set:

- \`port\`, the port
- \`host\`, the host

## Limits

There are a few limits, in this order:

First comes the memory.

${fenced("limit();")}
`;
const page = readPage(source);
const pageAt = (address: string) => (address === url ? page : undefined);
const judge = (text: string) => judgeText(text, pageAt);

/** The older text form: each snippet has a title and a source. */
const snippets = (...all: readonly string[]): string => all.join(`\n\n${dashes}\n\n`);
const snippet = (title: string, lines: string, body: string): string =>
  `### ${title}\n\nSource: ${url}#${lines}\n\n${body}`;

/** The text form with one group per page, sections in page order, and omissions in brackets. */
const passages = `### Guide
Source: ${url}#L5-L14, L20-L33

Read the options from a file and start the server with them:

${fenced('const options = await readOptions("server.json", { strict: true });\nawait start(options);')}

Then stop it. For example:

[2 lines of TypeScript: ${url}#L16-L19]

#### Options

These can be set:

- \`port\`, the port
- \`host\`, the host

[lines 27-33 left out]

${dashes}

### Other > Page
Source: file:///docs/other.md#L1-L9

Nothing else:`;

describe("an answer in the text form", () => {
  it("is split at its sources, with neighbours of one page in one group", () => {
    const groups = parseTextAnswer(
      snippets(
        snippet("One", "L1-L4", "Prose."),
        snippet("Two", "L6-L9", fenced("code();")),
        `Source: file:///docs/other.md#L1\n\nProse.`,
      ),
    );
    expect(groups.map((group) => group.url)).toEqual([url, "file:///docs/other.md"]);
    expect(groups[0]?.blocks.map(({ kind }) => kind)).toEqual(
      "title provenance prose title provenance code".split(" "),
    );
  });

  it("is split into one group per page", () => {
    const groups = parseTextAnswer(passages);
    expect(groups.map((group) => group.url)).toEqual([url, "file:///docs/other.md"]);
    expect(groups[0]?.blocks.map(({ kind }) => kind)).toEqual(
      "title provenance prose code prose leftOut heading prose list list leftOut".split(" "),
    );
  });

  it("is one group without a page if nothing was found", () => {
    const text = "No snippet of /docs/x answers this question; try other words.";
    expect(parseTextAnswer(text)).toHaveLength(1);
    expect(judge(text)).toMatchObject({ leadIns: { counted: 0, toNothing: 0 }, places: { judged: 0, inPlace: 0 } });
  });

  it("keeps a line of dashes within a page", () => {
    const groups = parseTextAnswer(snippet("One", "L1-L9", fenced(`a\n\n${dashes}\n\nb`, "txt")));
    expect(groups).toHaveLength(1);
    expect(groups[0]?.blocks.at(-1)?.text).toContain(dashes);
  });

  it("counts tokens of headings and sources", () => {
    const { tokens, headingTokens } = judge(passages);
    expect(headingTokens).toBeGreaterThan(20);
    expect(headingTokens).toBeLessThan(tokens / 2);
  });
});

describe("lead-ins", () => {
  it("lead to nothing if the code is elsewhere, or after other prose", () => {
    const text = snippets(
      snippet(
        "Guide",
        "L5-L14",
        "Read the options from a *file* and start the\nserver with them:\n\nThen stop it. For example:",
      ),
      snippet("Options", "L20-L22", "## Options\n\nThese can be set:\n\n### Limits"),
    );
    expect(judge(text).leadIns).toEqual({ counted: 3, toNothing: 3 });
  });

  it("lead to code, lists, and lines that say what was left out", () => {
    expect(judge(passages).leadIns).toEqual({ counted: 3, toNothing: 0 });
  });

  it("lead to code across a title of the form, but not across a heading of the page", () => {
    const lead = "Then stop it. For example:";
    const code = fenced("await stop();\nawait cleanUp();");
    expect(judge(snippets(snippet("A", "L1-L2", lead), snippet("B", "L3-L4", code))).leadIns.toNothing).toBe(0);
    expect(judge(snippet("A", "L1-L4", `${lead}\n\n#### B\n\n${code}`)).leadIns.toNothing).toBe(1);
  });

  it("do not count if they lead to nothing in the page, or are not in it", () => {
    const none = "There are a few limits, in this order:\n\nFirst comes the memory.";
    expect(judge(snippet("A", "L1", none)).leadIns.counted).toBe(0);
    expect(judge(snippet("A", "L1", "Words of another page:")).leadIns.counted).toBe(0);
  });

  it("are found by their last sentence, and skip the name of a file", () => {
    const text = "For example:\n\n`stop.ts`:\n\n```ts\nawait stop();\nawait cleanUp();\n```";
    expect(judge(snippet("A", "L1", text)).leadIns).toEqual({ counted: 1, toNothing: 0 });
  });
});

describe("code in its place", () => {
  const start = fenced('const options = await readOptions("server.json", { strict: true });\nawait start(options);');
  const stop = fenced("await stop();\nawait cleanUp();");
  const places = (...parts: readonly string[]) => judge(snippet("Guide", "L1-L9", parts.join("\n\n"))).places;

  it("follows the prose, the heading or the code that it follows in the page", () => {
    const inPlace = { judged: 1, inPlace: 1 };
    expect(places("Read the options from a file and start the server with them:", start)).toEqual(inPlace);
    expect(places("Then stop it.  For example:", stop)).toEqual(inPlace);
    expect(places(start, stop)).toEqual({ judged: 2, inPlace: 2 });
    expect(places("## Limits", fenced("limit();"))).toEqual(inPlace);
  });

  it("is out of place after text that has other code or a heading after it, or comes later in the page", () => {
    const outOfPlace = { judged: 1, inPlace: 0 };
    expect(places("Read the options from a file and start the server with them:", stop)).toEqual(outOfPlace);
    expect(places("These can be set:", fenced("limit();"))).toEqual(outOfPlace);
    expect(places("First comes the memory.", stop)).toEqual(outOfPlace);
  });

  it("may follow what the answer says that it left out", () => {
    const lead = "Read the options from a file and start the server with them:";
    expect(places(lead, `[2 lines of TypeScript: ${url}#L9-L10]`, stop)).toEqual({ judged: 1, inPlace: 1 });
  });

  it("is not judged if the page lacks it, or the prose before it", () => {
    const unknown = { judged: 0, inPlace: 0 };
    expect(places("These can be set:", fenced("included();"))).toEqual(unknown);
    expect(places("Words of another page.", stop)).toEqual(unknown);
    expect(judgeText(snippet("A", "L1", stop), () => undefined).places).toEqual(unknown);
  });
});

it("finds long lines that repeat, but not short ones and sources", () => {
  const prose = "A sentence that is a little longer than forty characters.";
  expect(judge(snippets(snippet("A", "L1", prose), snippet("A", "L1", `More.\n\n${prose}`))).repeats).toBe(true);
  const short = `${prose}\n\n${fenced("}\n}")}`;
  expect(judge(snippets(snippet("A", "L1", short), snippet("A", "L1", fenced("}")))).repeats).toBe(false);
});

describe("blocks of Markdown", () => {
  const kinds = (markdown: string, indentedCode = true): string =>
    parseBlocks(markdown, { indentedCode })
      .map(({ kind }) => kind)
      .join(" ");

  it("are lists, tables, quotes, callouts and headings of several dialects", () => {
    expect(kinds("Prose\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quote")).toBe(
      "prose list list table quote",
    );
    expect(kinds("Heading\n=======\n\n!!! note\n\n    Text\n\n**Info:** more")).toBe("heading quote prose quote");
    expect(kinds("<Tabs\n  items={x}\n>\n\n~~~js\ncode\n~~~\n\n</Tabs>", false)).toBe("markup code markup");
  });

  it("are code by indentation, deeper inside of an item, and never in MDX", () => {
    expect(kinds("Prose\n\n    code\n\n    more")).toBe("prose code");
    expect(kinds("- item\n\n      code\n\n          code")).toBe("list code");
    expect(kinds("- item\n\n    prose\n\n        code")).toBe("list prose code");
    expect(kinds("Prose\n\n    prose", false)).toBe("prose prose");
  });
});
