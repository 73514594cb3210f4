import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { fit, type Rendering } from "../../api/answer/fitting.ts";
import { renderJson } from "../../api/answer/json.ts";
import { renderText } from "../../api/answer/text.ts";
import type { Passage, PassageBlock } from "../../domain/passage.ts";
import { estimateTokens, roomWithin } from "../../domain/tokens.ts";
import { prosePassage } from "./samples.ts";

const url = "https://git.example.com/acme/widgets/blob/c0ffee/why.md#L9-L999";
const prose = (markdown: string): PassageBlock => ({ type: "prose", markdown });
const code = (lines: number, text = "createWidget('big');"): PassageBlock => ({
  type: "code",
  title: "",
  description: "",
  codes: [{ language: "js", code: `${text}\n`.repeat(lines) }],
  url,
});
const words = (count: number): string => `${"word ".repeat(count - 1)}end.`;
const rest = "[the rest of this section is left out]";

const passage = (...blocks: readonly PassageBlock[]): Passage => ({ ...prosePassage, blocks, tokens: 600 });
const asText: Rendering<string> = {
  render: (passages) => renderText(passages, ({ page }) => page.url),
  sent: (text) => text,
};
const asJson: Rendering<string> = {
  render: (passages) => JSON.stringify(renderJson(passages)),
  sent: (text) => text,
};

/** The smallest budget that fits a text. */
function budgetFor(text: string): number {
  let budget = estimateTokens(text);
  while (roomWithin(budget) < estimateTokens(text)) budget += 1;
  return budget;
}

describe("an answer within its budget", () => {
  it("has as many passages as fit, the best first", () => {
    const passages = ["a", "b", "c"].map((id) => ({ ...passage(prose(`${id} ${words(60)}`)), id }));
    const [two = 0, three = 0] = [2, 3].map((count) => budgetFor(asText.render(passages.slice(0, count))));
    expect(fit(passages, three, asText)).toBe(asText.render(passages));
    expect(fit(passages, three - 1, asText)).toBe(asText.render(passages.slice(0, 2)));
    expect(fit(passages, two, asText)).toBe(asText.render(passages.slice(0, 2)));
    expect(fit([], 10, asText)).toBe("");
  });

  it("has the best needed passage in place of a better one if both do not fit", () => {
    const passages = [passage(prose(words(40))), passage(prose(words(41))), passage(code(3)), passage(code(4))];
    const needs = ({ type }: PassageBlock): boolean => type === "code";
    const [first, second, example] = passages;
    if (!first || !second || !example) throw new Error("There are four passages.");
    const two = asText.render([first, example]);
    expect(estimateTokens(two)).toBeLessThan(estimateTokens(asText.render([first, second, example])));
    expect(fit(passages, budgetFor(two), { ...asText, needs })).toBe(two);
    expect(fit(passages, budgetFor(two), asText)).not.toContain("createWidget");
    expect(fit([first, second], budgetFor(two), { ...asText, needs })).toBe(fit(passages, budgetFor(two), asText));
    expect(fit(passages, budgetFor(asText.render([example])), { ...asText, needs })).toBe(asText.render([example]));
  });

  it("has only the first needed block if no passage with one fits", () => {
    const needs = ({ type }: PassageBlock): boolean => type === "code";
    const all = [passage(prose(words(400)), code(500), code(3))];
    expect(fit(all, 200, asText)).not.toContain("createWidget");
    expect(fit(all, 200, { ...asText, needs })).toContain(`createWidget('big');\n\`\`\`\n\n${rest}`);
  });

  it("replaces a huge block of code by a reference, and continues after it", () => {
    const answer = fit([passage(prose("Before it."), code(500), prose("Behind it."))], 200, asText);
    expect(answer).toMatch(/Before it\.\n\n\[500 lines of js: \S+#L9-L999\]\n\nBehind it\.$/);
    expect(estimateTokens(answer)).toBeLessThanOrEqual(200);
    expect(fit([passage(code(5000))], 200, asJson)).toContain("[5000 lines of js: ");
  });

  it("keeps small code beside the huge block", () => {
    const answer = fit([passage(code(2), code(500), code(1, "last();"))], 250, asText);
    expect(answer).toContain("```js\ncreateWidget('big');\ncreateWidget('big');\n```");
    expect(answer).toMatch(/\[500 lines of js: .*\]\n\n```js\nlast\(\);\n```$/);
  });

  it("says that the rest is left out if not even all references fit", () => {
    const answer = fit([passage(...Array.from({ length: 60 }, (_, at) => code(9, `call${at}(a, b);`)))], 200, asText);
    expect(estimateTokens(answer)).toBeLessThanOrEqual(200);
    expect(answer.endsWith(rest)).toBe(true);
  });

  it("cuts prose after a paragraph, and says so", () => {
    const answer = fit([passage(prose([words(40), words(50), words(200)].join("\n\n")))], 200, asText);
    expect(answer.endsWith(`${words(40)}\n\n${words(50)}\n\n${rest}`)).toBe(true);
  });

  it.each([
    ["a lead-in", "Pass the **size:**"],
    ["a heading", "## Sizes"],
    ["a heading with a lead-in below it", "## Sizes\n\nThese are there:"],
  ])("never ends with %s", (_, lead) => {
    const blocks = [prose(`${words(40)}\n\n${lead}`), prose(words(400))];
    expect(fit([passage(...blocks)], 200, asText).endsWith(`${words(40)}\n\n${rest}`)).toBe(true);
  });

  it("keeps the lead-in of a code reference", () => {
    const answer = fit([passage(prose("Pass it:"), code(500))], 200, asText);
    expect(answer).toMatch(/Pass it:\n\n\[500 lines of js: \S+\]$/);
  });

  it("cuts a single long paragraph: a table between rows, others between words", () => {
    const table = ["| a | b |", "|---|---|", ...Array.from({ length: 200 }, (_, at) => `| ${at} | some words |`)];
    const rows = fit([passage(prose(table.join("\n")))], 200, asText).split("\n\n");
    expect(rows.at(-1)).toBe(rest);
    expect(rows.at(-2)).toMatch(/^\| a \| b \|\n\|---\|---\|\n(?:\| \d+ \| some words \|\n?){5,}$/);
    const cut = fit([passage(prose(words(900)))], 200, asText).split("\n\n");
    expect(cut.at(-2)).toMatch(/^(?:word ){50,}word$/);
  });

  it("neither cuts a fence in prose nor leaves one open", () => {
    const fenced = `\`\`\`js\n${"fenced();\n\n".repeat(80)}\`\`\``;
    const answer = fit([passage(prose(`Before it.\n\n${fenced}\n\nBehind it.`))], 200, asText);
    expect(answer.endsWith(`Before it.\n\n${rest}`)).toBe(true);
  });

  it("never exceeds it with any passages, in either form", () => {
    const block = fc.oneof(
      fc
        .array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 5 })
        .map((all) => prose(all.map((count) => words(count)).join("\n\n"))),
      fc.integer({ min: 1, max: 900 }).map((lines) => code(lines, 'say("\\"quoted\\"");')),
      fc.constantFrom(prose("Such as:"), prose("## A heading"), prose("a".repeat(9000)), prose("数据库".repeat(900))),
    );
    const all = fc.array(fc.array(block, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(all, fc.integer({ min: 200, max: 2000 }), (passages, budget) => {
        const chosen = passages.map((blocks, at) => ({ ...passage(...blocks), id: String(at) }));
        for (const form of [asText, asJson])
          expect(estimateTokens(fit(chosen, budget, form))).toBeLessThanOrEqual(budget);
      }),
      { numRuns: 100 },
    );
  });
});
