import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseBlocks } from "../../tools/bench/answers/blocks.ts";
import type { JudgedAnswer } from "../../tools/bench/answers/collect.ts";
import { drawQuestions, writeDrawn } from "../../tools/bench/answers/draw.ts";
import { judgeJson, judgeText } from "../../tools/bench/answers/figures.ts";
import { readPage } from "../../tools/bench/answers/page.ts";
import { readAnswers, saveAnswers } from "../../tools/bench/answers/saved.ts";
import { sumTexts } from "../../tools/bench/answers/sums.ts";
import { parseTextAnswer } from "../../tools/bench/answers/text-form.ts";
import { temporaryFolder } from "../support/lectern-process.ts";

const url = "file:///docs/guide.md";
const dashes = "-".repeat(32);
const fenced = (code: string, language = "ts"): string => `\`\`\`${language}\n${code}\n\`\`\``;

/** The page that the answers below are from. */
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

/** Passages of the present form: each with a title and a source of its own. */
const snippets = (...all: readonly string[]): string => all.join(`\n\n${dashes}\n\n`);
const snippet = (title: string, lines: string, body: string): string =>
  `### ${title}\n\nSource: ${url}#${lines}\n\n${body}`;

/** Passages: one group a page, sections in page order, what is left out in brackets. */
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
  it("is taken apart where snippets stand one by one, neighbours of a page together", () => {
    const answer = parseTextAnswer(
      snippets(
        snippet("One", "L1-L4", "Prose."),
        snippet("Two", "L6-L9", fenced("code();")),
        `Source: file:///docs/other.md#L1\n\nProse.`,
      ),
    );
    expect(answer.groups.map((group) => group.url)).toEqual([url, "file:///docs/other.md"]);
    expect(answer.passages).toBe(3);
    expect(answer.groups[0]?.blocks.map(({ kind }) => kind)).toEqual(
      "title provenance prose title provenance code".split(" "),
    );
  });

  it("is taken apart where one group has all of a page", () => {
    const answer = parseTextAnswer(passages);
    expect(answer.groups.map((group) => group.url)).toEqual([url, "file:///docs/other.md"]);
    expect(answer.passages).toBe(3);
    expect(answer.groups[0]?.blocks.map(({ kind }) => kind)).toEqual(
      "title provenance prose code prose leftOut heading prose list list leftOut".split(" "),
    );
  });

  it("is one group without a page where nothing was found", () => {
    expect(judge("No snippet of /docs/x answers this question; try other words.")).toMatchObject({
      groups: 1,
      codeBlocks: 0,
      leadIns: { counted: 0, notFound: 0, atEnd: 0 },
    });
  });

  it("keeps a line of dashes of a page's own", () => {
    const answer = parseTextAnswer(snippet("One", "L1-L9", fenced(`a\n\n${dashes}\n\nb`, "txt")));
    expect(answer.groups).toHaveLength(1);
    expect(answer.groups[0]?.blocks.at(-1)?.text).toContain(dashes);
  });

  it("has tokens in headings and sources, and an estimate of all", () => {
    const { tokens, headingTokens, estimate } = judge(passages);
    expect(headingTokens).toBeGreaterThan(20);
    expect(headingTokens).toBeLessThan(tokens / 2);
    expect(Math.abs(estimate / tokens - 1)).toBeLessThan(0.3);
  });
});

describe("lead-ins", () => {
  it("lead to nothing where the code is elsewhere, or behind other prose", () => {
    const text = snippets(
      snippet(
        "Guide",
        "L5-L14",
        "Read the options from a *file* and start the\nserver with them:\n\nThen stop it. For example:",
      ),
      snippet("Options", "L20-L22", "## Options\n\nThese can be set:\n\n### Limits"),
    );
    expect(judge(text).leadIns).toEqual({
      counted: 3,
      toNothing: 3,
      toOther: 0,
      nothingThere: 0,
      notFound: 0,
      atEnd: 0,
    });
  });

  it("lead to code, lists, and lines that say what was left out", () => {
    const { leadIns, leftOut } = judge(passages);
    expect(leadIns).toEqual({ counted: 3, toNothing: 0, toOther: 0, nothingThere: 0, notFound: 1, atEnd: 1 });
    expect(leftOut).toBe(2);
  });

  it("lead to code across a title of the form, but not across a heading of the page", () => {
    const lead = "Then stop it. For example:";
    const code = fenced("await stop();\nawait cleanUp();");
    expect(judge(snippets(snippet("A", "L1-L2", lead), snippet("B", "L3-L4", code))).leadIns.toNothing).toBe(0);
    expect(judge(snippet("A", "L1-L4", `${lead}\n\n#### B\n\n${code}`)).leadIns.toNothing).toBe(1);
  });

  it("are told from those that lead to something else, to nothing in the page, or are not in it", () => {
    const other = "Then stop it. For example:\n\n```\nlimit();\n```";
    expect(judge(snippet("A", "L1", other)).leadIns).toMatchObject({ counted: 1, toNothing: 0, toOther: 1 });
    const callout = "Then stop it. For example:\n\n**Note:**\nStopping is slow.";
    expect(judge(snippet("A", "L1", callout)).leadIns).toMatchObject({ counted: 1, toNothing: 0, toOther: 1 });
    const none = "There are a few limits, in this order:\n\nFirst comes the memory.";
    expect(judge(snippet("A", "L1", none)).leadIns).toMatchObject({ counted: 0, nothingThere: 1 });
    expect(judge(snippet("A", "L1", "Words of another page:")).leadIns).toMatchObject({ counted: 0, notFound: 1 });
  });

  it("are found by their last sentence, and pass over the name of a file", () => {
    const text = "For example:\n\n`stop.ts`:\n\n```ts\nawait stop();\nawait cleanUp();\n```";
    expect(judge(snippet("A", "L1", text)).leadIns).toMatchObject({ counted: 1, toNothing: 0, toOther: 0 });
  });
});

describe("code in its place", () => {
  const start = fenced('const options = await readOptions("server.json", { strict: true });\nawait start(options);');
  const stop = fenced("await stop();\nawait cleanUp();");
  const places = (...parts: readonly string[]) => judge(snippet("Guide", "L1-L9", parts.join("\n\n"))).places;
  const counts = { inPlace: 0, elsewhere: 0, codeNotFound: 0, beforeNotFound: 0 };

  it("follows the prose, the heading or the code that it follows in the page", () => {
    expect(places("Read the options from a file and start the server with them:", start)).toEqual({
      ...counts,
      inPlace: 1,
    });
    expect(places("Then stop it.  For example:", stop)).toEqual({ ...counts, inPlace: 1 });
    expect(places(start, stop)).toEqual({ ...counts, inPlace: 2 });
    expect(places("## Limits", fenced("limit();"))).toEqual({ ...counts, inPlace: 1 });
  });

  it("is elsewhere behind what other code or a heading follows, or what comes later in the page", () => {
    expect(places("Read the options from a file and start the server with them:", stop).elsewhere).toBe(1);
    expect(places("These can be set:", fenced("limit();")).elsewhere).toBe(1);
    expect(places("First comes the memory.", stop).elsewhere).toBe(1);
  });

  it("may follow what the answer says that it left out", () => {
    const lead = "Read the options from a file and start the server with them:";
    expect(places(lead, `[2 lines of TypeScript: ${url}#L9-L10]`, stop)).toEqual({ ...counts, inPlace: 1 });
  });

  it("cannot be told of code and prose that the page does not have", () => {
    expect(places("These can be set:", fenced("included();")).codeNotFound).toBe(1);
    expect(places("Words of another page.", stop).beforeNotFound).toBe(1);
    expect(judgeText(snippet("A", "L1", stop), () => undefined).places.codeNotFound).toBe(1);
  });
});

describe("repeated lines", () => {
  const long = "const options = await readOptions(path, { strict: true });";

  it("count once a line, apart in prose and in code, and not where they name a source", () => {
    const prose = "A sentence that is a little longer than forty characters.";
    const text = snippets(
      snippet("A", "L1-L9", `${prose}\n\n${fenced(`${long}\n}`)}`),
      snippet("A", "L1-L9", `${prose}\n\n${fenced(`  ${long}\n}`)}`),
      snippet("A", "L1-L9", `${prose}\n\n${fenced("}")}`),
    );
    expect(judge(text).repeated).toEqual({ prose: 1, code: 1 });
  });

  it("are counted of the JSON form, with the code that both lists have", () => {
    const figures = judgeJson({
      codeSnippets: [
        { codeTitle: "A", codeDescription: "B", codeTokens: 20, codeList: [{ code: long }, { code: "}" }] },
      ],
      infoSnippets: [{ content: `Prose.\n\n${fenced(long)}\n\n${fenced("own();")}`, contentTokens: 30 }],
    });
    expect(figures).toMatchObject({ repeated: { prose: 0, code: 1 }, repeatedCode: 1, estimate: 50, codeSnippets: 1 });
    expect(figures.ownTokens).toBeLessThan(figures.tokens);
  });
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

describe("answers of several questions", () => {
  const questions = ["a", "b", "c"].flatMap((library) => ["1", "2", "3"].map((id) => ({ library, id })));
  const answer = (library: string, text: string): JudgedAnswer => {
    const json = { codeSnippets: [], infoSnippets: [] };
    const figures = { text: judge(text), json: judgeJson(json) };
    return { library, id: "1", half: "aside", question: "How?", text, json, figures };
  };

  it("are drawn from as many libraries as there are, the same ones for the same seed", () => {
    const drawn = drawQuestions(questions, 4, "1");
    expect(new Set(drawn.slice(0, 3).map(({ library }) => library)).size).toBe(3);
    expect(drawQuestions(questions.toReversed(), 4, "1")).toEqual(drawn);
    expect(drawQuestions(questions, 100, "1")).toHaveLength(9);
  });

  it("are written one a file, and which version they are of apart from them", async () => {
    await using folder = await temporaryFolder();
    const out = join(folder.path, "drawn");
    await writeDrawn(out, "1", [answer("a", "New text"), answer("b", "New text")], [answer("a", "Old text")]);
    const key = JSON.parse(await readFile(`${out}-key/key.json`, "utf8")) as Record<string, { version: string }>;
    expect(Object.keys(key)).toEqual(["01.md", "02.md", "03.md"]);
    for (const [file, { version }] of Object.entries(key)) {
      const text = await readFile(join(out, file), "utf8");
      expect(text).toMatch(
        version === "now" ? /^Question to [ab]: How\?\n\nNew text\n$/ : /^Question to a: How\?\n\nOld text\n$/,
      );
    }
    await expect(writeDrawn(out, "1", [])).rejects.toThrow("has files already");
  });

  it("are saved and read again by their questions", async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, "answers.json");
    await saveAnswers(file, "sqlite", [answer("a", passages)]);
    expect((await readAnswers(file)).get("a/1")).toEqual(answer("a", passages));
    await saveAnswers(file, "sqlite", []);
    await expect(readAnswers(file)).rejects.toThrow("holds no answers");
  });

  it("are summed up, shares over all of them", () => {
    const rows = sumTexts([judge(passages), judge(snippet("A", "L1", "Then stop it. For example:"))]);
    const value = (figure: string) => rows.find((row) => row.figure === figure)?.value;
    expect(value("answers")).toBe(2);
    expect(value("lead-ins to nothing")).toBe(25);
    expect(value("answers that end with a lead-in")).toBe(2);
    expect(value("answers over 5,000 tokens")).toBe(0);
  });
});
