import { describe, expect, it } from "vitest";

import { withOnly } from "../../api/answer/fitting.ts";
import { renderJson } from "../../api/answer/json.ts";
import type { Passage, PassageBlock } from "../../domain/passage.ts";
import { codePassage, prosePassage, withCodes } from "./samples.ts";

const long = Array.from({ length: 21 }, (_, at) => `line(${at});`).join("\n");
const readme = "https://git.example.com/acme/widgets/blob/c0ffee/README.md";
const longPassage = withCodes(codePassage, [{ language: "js", code: long }]);
const elsewhere = (passage: Passage): Passage => ({ ...passage, page: { title: "Other", url: "https://x.example/" } });

const text = (markdown: string): PassageBlock => ({ type: "prose", markdown });
const example = (code: string, description = ""): PassageBlock => ({
  type: "code",
  title: "Example",
  description,
  codes: [{ language: "js", code }],
  url: `${readme}#L5-L9`,
});
const passage = (...blocks: readonly PassageBlock[]): Passage => ({ ...prosePassage, blocks });

describe("the JSON form", () => {
  it("has code with its explanation in codeSnippets, and no infoSnippets without other prose", () => {
    expect(renderJson([codePassage])).toEqual({
      codeSnippets: [
        {
          codeTitle: "Create a widget",
          codeDescription: "Pass the size.",
          codeLanguage: "js",
          codeTokens: expect.any(Number) as unknown,
          codeId: `${readme}#L5-L9`,
          pageTitle: "Widgets",
          codeList: [
            { language: "js", code: 'createWidget("big");\n' },
            { language: "", code: "```\nnested fence\n```" },
          ],
        },
      ],
      infoSnippets: [],
    });
  });

  it("has all other prose in infoSnippets, without code", () => {
    const words = `${"A widget has a size. ".repeat(6)}End.`;
    const { codeSnippets, infoSnippets } = renderJson([
      passage(text(`${words}\n\n- One.\n- Two.\n\nPass it:`), example("a();"), text("It is there at once.")),
    ]);
    expect(codeSnippets).toMatchObject([{ codeDescription: "Pass it:", codeList: [{ code: "a();" }] }]);
    expect(infoSnippets).toMatchObject([
      { breadcrumb: "Widgets > Why widgets", content: `${words}\n\n- One.\n- Two.\n\nIt is there at once.` },
    ]);
  });

  it("describes code by the paragraph above it, and the one before if that is short", () => {
    const described = (...blocks: readonly PassageBlock[]): readonly string[] =>
      renderJson([passage(...blocks)]).codeSnippets.map(({ codeDescription }) => codeDescription);
    const sentence = `${"A widget has a size. ".repeat(6)}End.`;
    expect(described(text(`${sentence}\n\nFor example:`), example("a();"))).toEqual([`${sentence}\n\nFor example:`]);
    expect(described(text(`First.\n\n${sentence}`), example("a();"))).toEqual([sentence]);
    expect(described(text("- Pass it:"), example("a();"), text("Or:"), example("b();"))).toEqual(["- Pass it:", "Or:"]);
    expect(described(example("a();", "What the section says."))).toEqual(["What the section says."]);
    for (const other of ["| a |\n|---|", "- One\n- Two", "> Mind it.", "## Use", "~~~\nx\n~~~"])
      expect(described(text(other), example("a();", "Found."))).toEqual(["Found."]);
  });

  it("omits a heading with only code below it", () => {
    const blocks = [text("Words.\n\n## Use\n\n### With npm"), example("a();"), text("### With yarn"), example("b();")];
    expect(renderJson([passage(...blocks)]).infoSnippets).toMatchObject([{ content: "Words." }]);
    const more = [...blocks, text("### Sizes\n\nMany.\n\n## Empty")];
    expect(renderJson([passage(...more)]).infoSnippets).toMatchObject([
      { content: "Words.\n\n## Use\n\n### Sizes\n\nMany.\n\n## Empty" },
    ]);
  });

  it("keeps the order of the passages, the best first, in both", () => {
    const behind = { ...prosePassage, source: { ...prosePassage.source, ordinal: 7 } };
    const before = { ...prosePassage, id: "s0", source: { ...prosePassage.source, url: `${readme}#L1`, ordinal: 0 } };
    expect(renderJson([behind, codePassage, before]).infoSnippets.map(({ pageId }) => pageId)).toEqual([
      prosePassage.source.url,
      `${readme}#L1`,
    ]);
    expect(renderJson([elsewhere(longPassage), codePassage]).codeSnippets.map(({ pageTitle }) => pageTitle)).toEqual([
      "Other",
      "Widgets",
    ]);
  });

  it("has the file, tab, includes, origin and line notes of code", () => {
    const url = "https://x.example/acme/blob/1/src/app.ts#L3-L4";
    const block = { language: "ts", code: long, file: "src/`app`.ts", label: "npm", madeFrom: "x#/a" };
    const codes = [
      { ...block, marks: ["Line 1 is new."], sources: [{ path: "src/app.ts", url, lines: [3, 4] as const }] },
    ];
    expect(renderJson([withCodes(codePassage, codes)]).codeSnippets).toMatchObject([
      {
        codeDescription: "Pass the size.\n\nLine 1 is new.",
        codeList: [{ ...block, sources: [url] }],
        isDynamic: true,
        sourceFile: "src/app.ts",
      },
    ]);
  });

  it("has the page's title once in the breadcrumb, and not as a heading", () => {
    const twice = { ...passage(text("# Widgets\n\nWords.")), breadcrumb: ["Widgets", "widgets", "Why"] };
    expect(renderJson([twice]).infoSnippets).toMatchObject([{ breadcrumb: "Widgets > Why", content: "Words." }]);
  });
});

describe("a single kind", () => {
  it("is all code, of every page, with title and description", () => {
    const all = withOnly([prosePassage, codePassage, elsewhere(longPassage)], "code", "json");
    expect(renderJson(all)).toMatchObject({
      codeSnippets: [
        { codeTitle: "Create a widget", codeDescription: "Pass the size.", codeList: [{}, {}] },
        { codeList: [{ code: long }] },
      ],
      infoSnippets: [],
    });
  });

  it("is all prose, without code or references to it", () => {
    const all = withOnly([longPassage, prosePassage], "info", "json");
    expect(renderJson(all)).toMatchObject({
      codeSnippets: [],
      infoSnippets: [{ content: "Pass the size." }, { content: "A widget saves time." }],
    });
  });

  it("has the description of code above it in the text form", () => {
    const [, example] = codePassage.blocks;
    expect(withOnly([prosePassage, codePassage], "code", "txt")).toEqual([
      { ...codePassage, blocks: [{ type: "prose", markdown: "Pass the size." }, example] },
    ]);
    expect(withOnly([codePassage], "info", "txt")).toEqual([
      { ...codePassage, blocks: codePassage.blocks.slice(0, 1) },
    ]);
    expect(withOnly([codePassage], undefined, "txt")).toEqual([codePassage]);
  });
});
