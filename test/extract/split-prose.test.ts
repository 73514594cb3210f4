import fc from "fast-check";
import { expect, it } from "vitest";
import { estimateTokens } from "../../domain/tokens.ts";
import { splitProse } from "../../extract/split-prose.ts";
import { proseIn } from "./extract.ts";

const sentence = (of: string): string => `This is one of the sentences that are about ${of}.`;

it("prose is cut between items, not within one that goes on for lines", () => {
  const items = Array.from(
    { length: 60 },
    (_, at) => `- Item ${at} begins\n  and goes on here, with some more words\n  and ends.`,
  );
  const parts = splitProse(items.join("\n"), 300);
  expect(parts.length).toBeGreaterThan(2);
  expect(parts.join("\n")).toBe(items.join("\n"));
  for (const part of parts) expect(part).toMatch(/^- Item[^]*and ends\.$/);
});

it("an item that is too long is cut between sentences, wherever its lines end", () => {
  const text = Array.from({ length: 80 }, (_, at) => sentence(`thing${at}`)).join(" ");
  const wrapped = `- ${text.replace(/(.{60}\S*) /g, "$1\n  ")}`;
  const parts = splitProse(wrapped, 200);
  expect(parts.length).toBeGreaterThan(2);
  for (const part of parts) expect(part).toMatch(/\.$/);
});

it("a part that begins within a table has its head, and none ends with it", () => {
  const rows = Array.from({ length: 90 }, (_, at) => `| name${at} | ${sentence(String(at))} |`);
  const page = `# A\n\nWords before the table that say what it is.\n\n| Name | Text |\n|---|---|\n${rows.join("\n")}\n`;
  const parts = splitProse(page, 300);
  expect(parts.length).toBeGreaterThan(3);
  for (const part of parts.slice(1)) expect(part).toMatch(/^\| Name \| Text \|\n\|---\|---\|\n\| name\d/);
  for (const at of rows.keys()) expect(proseIn(page)).toContain(rows[at]);
});

it("every part fits, and nothing is lost, whatever the text", () => {
  const line = fc.oneof(
    fc.constantFrom(
      "",
      "- a",
      "  b c",
      "| a | b |",
      "|---|---|",
      "> q",
      "1. x",
      "# h",
      "A sentence. And more! Or not?",
      "漢字".repeat(40),
      "x".repeat(300),
    ),
    fc.string({ maxLength: 80 }),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 60 }), fc.integer({ min: 20, max: 200 }), (lines, max) => {
      const text = lines.join("\n");
      const parts = splitProse(text, max);
      for (const part of parts) expect(estimateTokens(part)).toBeLessThanOrEqual(max + 1);
      const bare = (all: string): string => all.replace(/\s+/g, "");
      expect(bare(parts.join("")).length).toBeGreaterThanOrEqual(bare(text).length);
    }),
    { numRuns: 300 },
  );
});

it("a drawing is not cut, however long it is", () => {
  const tree = Array.from({ length: 200 }, (_, at) => `├── folder/with/a/long/name/of/its/own/${at}.txt`).join("\n");
  const page = `# A\n\nWords before it that say what it is.\n\n\`\`\`\n.\n${tree}\n\`\`\`\n\nWords behind it.\n`;
  expect(proseIn(page)).toContain(`.\n${tree}\n\`\`\``);
});
