import { describe, expect, it } from "vitest";

import { markingRepeats } from "../../api/answer/text.ts";
import { piecesOf } from "../../domain/markdown.ts";
import type { PassageBlock } from "../../domain/passage.ts";

const paragraph =
  "A paragraph of more than a hundred characters is remembered, as a word on it takes less room than to say it again.";
const other = `Nothing that was said before: ${paragraph}`;
const asAbove = "[as above: A paragraph of more than a…]";
const prose = (...paragraphs: readonly string[]): PassageBlock => ({
  type: "prose",
  markdown: paragraphs.join("\n\n"),
});
const code = (text: string): PassageBlock => ({
  type: "code",
  title: "",
  description: "",
  codes: [{ language: "js", code: text }],
  url: "https://x.example/",
});
const script =
  "createWidget({ size: 'big', colour: 'red', name: 'the first one', isOpen: true, onClose: () => close() });";

/** The rendered parts of passages. */
const rendered = (...passages: readonly (readonly PassageBlock[])[]): readonly string[] => {
  const render = markingRepeats();
  return passages.flatMap((blocks) => render(piecesOf(blocks), false));
};

describe("a repeated paragraph", () => {
  it("is replaced by a reference, and its neighbours are kept", () => {
    expect(rendered([prose("One.", paragraph, "Two.")])).toEqual(["One.", paragraph, "Two."]);
    expect(rendered([prose(paragraph)], [prose("Three.", paragraph, other)])).toEqual([
      paragraph,
      "Three.",
      asAbove,
      other,
    ]);
    expect(
      rendered([prose(paragraph, `${paragraph} More.`)], [prose(paragraph, `${paragraph} More.`, other)]).slice(2),
    ).toEqual(["[2 paragraphs as above: A paragraph of more than a…]", other]);
  });

  it.each(["**Type**", "Default:", "`timeout` (number)", "- `timeout`", "Parameters"])(
    "is kept after the term %s",
    (term) => {
      expect(rendered([prose(term, paragraph)], [prose("Another page.", term, paragraph, "More.")]).slice(2)).toEqual([
        "Another page.",
        term,
        paragraph,
        "More.",
      ]);
    },
  );

  it("is kept if it is the only text below a heading, also the passage's heading", () => {
    expect(
      rendered([prose(paragraph)], [prose("One.", "## Options", paragraph, "## More", "Words.")]).slice(1),
    ).toEqual(["One.", "## Options", paragraph, "## More", "Words."]);
    expect(rendered([prose(paragraph)], [prose(paragraph)])).toEqual([paragraph, paragraph]);
  });

  it("is kept if it is the first text below a heading, also the passage's heading", () => {
    expect(rendered([prose(paragraph)], [prose("## Parameters", paragraph, `${paragraph} More.`)]).slice(1)).toEqual([
      "## Parameters",
      paragraph,
      `${paragraph} More.`,
    ]);
    const render = markingRepeats();
    expect(render(piecesOf([prose(paragraph)]), true)).toEqual([paragraph]);
    expect(render(piecesOf([prose(paragraph, `${paragraph} More.`)]), true)).toEqual([paragraph, `${paragraph} More.`]);
    expect(render(piecesOf([prose(paragraph, `${paragraph} Else.`)]), false)).toEqual([asAbove, `${paragraph} Else.`]);
  });

  it("is kept if there is no other longer text below its heading", () => {
    const fields = "- Default: false\n- Type: Boolean";
    expect(
      rendered([prose(paragraph)], [prose("## global", fields, paragraph, "## other", "Words.")]).slice(1),
    ).toEqual(["## global", fields, paragraph, "## other", "Words."]);
  });

  it("is replaced after a lead-in or another sentence", () => {
    for (const lead of ["These options are there for you:", "It does this."])
      expect(rendered([prose(paragraph)], [prose(lead, paragraph, other)])).toEqual([paragraph, lead, asAbove, other]);
  });

  it("is kept if it is short", () => {
    const note = "Only on Linux, and only where the kernel is new enough for it.";
    expect(rendered([prose(note)], [prose(other, note)])).toEqual([note, other, note]);
    const linked = `Returns [a widget](https://x.example/${"w".repeat(100)}).`;
    expect(rendered([prose(linked)], [prose(other, linked)])).toEqual([linked, other, linked]);
  });
});

describe("code", () => {
  it("is replaced by a reference if repeated", () => {
    const fenced = `\`\`\`js\n${script}\n\`\`\``;
    expect(rendered([prose("Run it:"), code(script)], [prose("Again:"), code(script), prose(other)])).toEqual([
      "Run it:",
      fenced,
      "Again:",
      "[1 line of js, as above]",
      other,
    ]);
  });

  it("is kept if it is the only content below a heading", () => {
    const fenced = `\`\`\`js\n${script}\n\`\`\``;
    expect(rendered([code(script)], [prose("One.", "## Bun"), code(script)])).toEqual([
      fenced,
      "One.",
      "## Bun",
      fenced,
    ]);
  });
});

it("does not cut a fence, but replaces a repeated one", () => {
  const fenced = `\`\`\`sh\n${paragraph}\n\n\n${paragraph}\n\`\`\``;
  expect(rendered([prose(paragraph, fenced)], [prose("It is this.", fenced, other)])).toEqual([
    paragraph,
    fenced,
    "It is this.",
    "[as above: sh A paragraph of more than…]",
    other,
  ]);
});
