import { describe, expect, it } from "vitest";

import { createRepeats } from "../../api/render-text.ts";
import type { PassageBlock } from "../../domain/passage.ts";

const said =
  "A paragraph of more than a hundred characters is remembered, as a word on it takes less room than to say it again.";
const other = `Nothing that was said before: ${said}`;
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

/** The parts of passages, rendered one after the other. */
const rendered = (...passages: readonly (readonly PassageBlock[])[]): readonly string[] => {
  const repeats = createRepeats();
  return passages.flatMap((blocks) => repeats.render(blocks, false));
};

describe("a paragraph that was there before", () => {
  it("is named in its place, and what stands beside it is there", () => {
    expect(rendered([prose("One.", said, "Two.")])).toEqual(["One.", said, "Two."]);
    expect(rendered([prose(said)], [prose("Three.", said, other)])).toEqual([said, "Three.", asAbove, other]);
    expect(rendered([prose(said, `${said} More.`)], [prose(said, `${said} More.`, other)]).slice(2)).toEqual([
      "[2 paragraphs as above: A paragraph of more than a…]",
      other,
    ]);
  });

  it.each(["**Type**", "Default:", "`timeout` (number)", "- `timeout`", "Parameters"])(
    "is said again where the term %s has it",
    (term) => {
      expect(rendered([prose(term, said)], [prose("Another page.", term, said, "More.")]).slice(2)).toEqual([
        "Another page.",
        term,
        said,
        "More.",
      ]);
    },
  );

  it("is said again where it is all that a heading has, also that of the passage", () => {
    expect(rendered([prose(said)], [prose("One.", "## Options", said, "## More", "Words.")]).slice(1)).toEqual([
      "One.",
      "## Options",
      said,
      "## More",
      "Words.",
    ]);
    expect(rendered([prose(said)], [prose(said)])).toEqual([said, said]);
  });

  it("is said again where it is the first that a heading has, also that of the passage", () => {
    expect(rendered([prose(said)], [prose("## Parameters", said, `${said} More.`)]).slice(1)).toEqual([
      "## Parameters",
      said,
      `${said} More.`,
    ]);
    const repeats = createRepeats();
    expect(repeats.render([prose(said)], true)).toEqual([said]);
    expect(repeats.render([prose(said, `${said} More.`)], true)).toEqual([said, `${said} More.`]);
    expect(repeats.render([prose(said, `${said} Else.`)], false)).toEqual([asAbove, `${said} Else.`]);
  });

  it("is said again where nothing else of some length is below its heading", () => {
    const fields = "- Default: false\n- Type: Boolean";
    expect(rendered([prose(said)], [prose("## global", fields, said, "## other", "Words.")]).slice(1)).toEqual([
      "## global",
      fields,
      said,
      "## other",
      "Words.",
    ]);
  });

  it("is named where a sentence leads to it or stands before it", () => {
    for (const lead of ["These options are there for you:", "It does this."])
      expect(rendered([prose(said)], [prose(lead, said, other)])).toEqual([said, lead, asAbove, other]);
  });

  it("is said again where it is short", () => {
    const note = "Only on Linux, and only where the kernel is new enough for it.";
    expect(rendered([prose(note)], [prose(other, note)])).toEqual([note, other, note]);
    const linked = `Returns [a widget](https://x.example/${"w".repeat(100)}).`;
    expect(rendered([prose(linked)], [prose(other, linked)])).toEqual([linked, other, linked]);
  });
});

describe("code", () => {
  it("that was there before is named in its place, whatever stands beside it", () => {
    const fenced = `\`\`\`js\n${script}\n\`\`\``;
    expect(rendered([prose("Run it:"), code(script)], [prose("Again:"), code(script), prose(other)])).toEqual([
      "Run it:",
      fenced,
      "Again:",
      "[1 line of js, as above]",
      other,
    ]);
  });

  it("is there again where it is all that a heading has", () => {
    const fenced = `\`\`\`js\n${script}\n\`\`\``;
    expect(rendered([code(script)], [prose("One.", "## Bun"), code(script)])).toEqual([
      fenced,
      "One.",
      "## Bun",
      fenced,
    ]);
  });
});

it("takes no fence apart, but names one that was there before as a whole", () => {
  const fenced = `\`\`\`sh\n${said}\n\n\n${said}\n\`\`\``;
  expect(rendered([prose(said, fenced)], [prose("It is this.", fenced, other)])).toEqual([
    said,
    fenced,
    "It is this.",
    "[as above: sh A paragraph of more than…]",
    other,
  ]);
});
