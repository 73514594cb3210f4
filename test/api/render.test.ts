import { describe, expect, it } from "vitest";

import { ofKind } from "../../api/of-kind.ts";
import { renderJson } from "../../api/render.ts";
import type { Passage } from "../../domain/passage.ts";
import { codePassage, prosePassage, withCodes } from "./samples.ts";

const long = Array.from({ length: 21 }, (_, at) => `line(${at});`).join("\n");
const readme = "https://git.example.com/acme/widgets/blob/c0ffee/README.md";
const longPassage = withCodes(codePassage, [{ language: "js", code: long }]);
const elsewhere = (passage: Passage): Passage => ({ ...passage, page: { title: "Other", url: "https://x.example/" } });

describe("the JSON form", () => {
  it("has short code in its place in the prose", () => {
    expect(renderJson([codePassage])).toEqual({
      codeSnippets: [],
      infoSnippets: [
        {
          pageId: `${readme}#L3-L9`,
          breadcrumb: "Widgets > Create a widget",
          content: 'Pass the size.\n\n```js\ncreateWidget("big");\n```\n\n````\n```\nnested fence\n```\n````',
          contentTokens: expect.any(Number) as unknown,
        },
      ],
    });
  });

  it("has long code of the first page by itself, and its name in its place", () => {
    expect(renderJson([longPassage])).toMatchObject({
      codeSnippets: [
        {
          codeTitle: "Create a widget",
          codeDescription: "Pass the size.",
          codeLanguage: "js",
          codeId: `${readme}#L5-L9`,
          pageTitle: "Widgets",
          codeList: [{ language: "js", code: long }],
        },
      ],
      infoSnippets: [{ content: `Pass the size.\n\n[21 lines of js: ${readme}#L5-L9]` }],
    });
    const wide = withCodes(codePassage, [{ language: "js", code: `f(${"a, b, ".repeat(300)})` }]);
    expect(renderJson([wide]).codeSnippets).toHaveLength(1);
  });

  it("has long code of other pages in its place: clients print code before all prose", () => {
    const { codeSnippets, infoSnippets } = renderJson([prosePassage, longPassage]);
    expect(codeSnippets).toEqual([]);
    expect(infoSnippets[1]?.content).toBe(`Pass the size.\n\n\`\`\`js\n${long}\n\`\`\``);
  });

  it("has code without prose as a code snippet of the first page, else as an info snippet", () => {
    const bare = { ...codePassage, blocks: codePassage.blocks.slice(1) };
    expect(renderJson([bare])).toMatchObject({ codeSnippets: [{ codeList: [{}, {}] }], infoSnippets: [] });
    expect(renderJson([prosePassage, elsewhere(bare)])).toMatchObject({ codeSnippets: [], infoSnippets: [{}, {}] });
  });

  it("keeps the order of the passages", () => {
    const { infoSnippets } = renderJson([codePassage, prosePassage]);
    expect(infoSnippets.map(({ breadcrumb }) => breadcrumb)).toEqual([
      "Widgets > Create a widget",
      "Widgets > Why widgets",
    ]);
  });

  it("says of code which file it is, what it includes and was made from, and what the page says of its lines", () => {
    const url = "https://x.example/acme/blob/1/src/app.ts#L3-L4";
    const block = { language: "ts", code: long, file: "src/`app`.ts", madeFrom: "x#/a" };
    const codes = [
      { ...block, marks: ["Line 1 is new."], sources: [{ path: "src/app.ts", url, lines: [3, 4] as const }] },
    ];
    expect(renderJson([withCodes(codePassage, codes)]).codeSnippets).toMatchObject([
      { codeDescription: "Pass the size. Line 1 is new.", codeList: [{ ...block, sources: [url] }] },
    ]);
    const short = codes.map((one) => ({ ...one, code: "a();" }));
    expect(renderJson([withCodes(codePassage, short)]).infoSnippets[0]?.content).toContain(
      `\`src/'app'.ts\`:\n\nIncluded from ${url}\n\nMade from x#/a\n\n\`\`\`ts\na();\n\`\`\`\n\nLine 1 is new.`,
    );
  });
});

describe("one kind alone", () => {
  it("is all code, of every page, with title and description", () => {
    const all = ofKind([prosePassage, codePassage, elsewhere(longPassage)], "code", "json");
    expect(renderJson(all, "code")).toMatchObject({
      codeSnippets: [
        { codeTitle: "Create a widget", codeDescription: "Pass the size.", codeList: [{}, {}] },
        { codeList: [{ code: long }] },
      ],
      infoSnippets: [],
    });
  });

  it("is all prose, without code or the names of it", () => {
    const all = ofKind([longPassage, prosePassage], "info", "json");
    expect(renderJson(all, "info")).toMatchObject({
      codeSnippets: [],
      infoSnippets: [{ content: "Pass the size." }, { content: "A widget saves time." }],
    });
  });

  it("has in the text form the description of code above it", () => {
    const [, example] = codePassage.blocks;
    expect(ofKind([prosePassage, codePassage], "code", "txt")).toEqual([
      { ...codePassage, blocks: [{ type: "prose", markdown: "Pass the size." }, example] },
    ]);
    expect(ofKind([codePassage], "info", "txt")).toEqual([{ ...codePassage, blocks: codePassage.blocks.slice(0, 1) }]);
    expect(ofKind([codePassage], undefined, "txt")).toEqual([codePassage]);
  });
});
