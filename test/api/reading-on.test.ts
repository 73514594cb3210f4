import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../domain/tokens.ts";
import { passagesIn, proseOf } from "../support/outlined.ts";
import { passagesOf, reading, texts } from "./page-world.ts";

describe("reading on by what the end says", () => {
  const code = (name: string, lines: number): string =>
    Array.from({ length: lines }, (_, at) => `// line ${at} of ${name}`).join("\n");
  /** A page of sections with prose or code, each with a mark of its own. */
  const pageText = (sizes: readonly number[]): string =>
    `# Page\n\n${sizes
      .map((size, at) =>
        size < 40
          ? `## Section ${at}\n\nMark ${at} begins.\n\n${proseOf(`section ${at}`, size)}`
          : `## Section ${at}\n\nMark ${at} begins.\n\n\`\`\`js\n${code(`section ${at}`, size * 5)}\n\`\`\``,
      )
      .join("\n\n")}\n`;
  /** Everything of a page, by following what the ends of its parts say. */
  async function walk(text: (query: object) => Promise<string>, tokens: number): Promise<string> {
    const parts: string[] = [];
    for (let from: number | undefined = 0, budget = tokens; from !== undefined;) {
      let part = await text({ from: String(from), tokens: String(budget) });
      const [, again, needed] = /read it whole with from=(\d+) and tokens=(\d+)/.exec(part) ?? [];
      if (again !== undefined && needed !== undefined) {
        expect(Number(again)).toBe(from);
        part = await text({ from: again, tokens: needed });
        expect(part).not.toContain("This is shortened");
        expect(estimateTokens(part)).toBeLessThanOrEqual(Number(needed));
      } else expect(estimateTokens(part)).toBeLessThanOrEqual(tokens);
      parts.push(part);
      const [, next] = /goes on with .*read it with from=(\d+)\.\]?/.exec(part) ?? [];
      if (next !== undefined) expect(Number(next)).toBeGreaterThan(from);
      from = next === undefined ? undefined : Number(next);
      budget = tokens;
    }
    return parts.join("\n");
  }

  it("gives every passage of any page once, in its order, at any budget", async () => {
    const { text, refresh } = await reading();
    const size = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 40, max: 300 }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(size, { minLength: 1, maxLength: 9 }),
        fc.array(fc.integer({ min: 200, max: 5000 }), { minLength: 3, maxLength: 3 }),
        async (sizes, budgets) => {
          const passages = passagesIn("docs/guide.md", pageText(sizes));
          await refresh(passages);
          const lines = sizes.flatMap((each, at) => (each < 40 ? [] : [`// line ${each * 5 - 1} of section ${at}`]));
          for (const tokens of budgets) {
            const whole = await walk(text, tokens);
            expect(Array.from(whole.matchAll(/Mark (\d+) begins/g), ([, at]) => Number(at))).toEqual([...sizes.keys()]);
            for (const line of lines) expect(whole.split(line)).toHaveLength(2);
          }
        },
      ),
      { numRuns: 12 },
    );
  });

  it("works with rules that take much of the budget", async () => {
    const { text, send, refresh } = await reading();
    await refresh(passagesIn("docs/guide.md", pageText([60, 3, 60])));
    const rules = Array.from({ length: 20 }, (_, at) => `Rule ${at} says ${"much of what is to be done ".repeat(9)}`);
    await send("PATCH", "/v2/libs", { body: { libraryName: "/acme/widgets", rules } });
    const whole = await walk(text, 2500);
    expect(Array.from(whole.matchAll(/Mark (\d+) begins/g), ([, at]) => at)).toEqual(["0", "1", "2"]);
  });

  it("is not promised for code that exceeds the largest budget", async () => {
    const { text, json, refresh } = await reading();
    await refresh(passagesIn("docs/guide.md", pageText([3000])));
    const shown = await text({ tokens: "100000" });
    expect(shown).toContain("[This is shortened, as it exceeds the largest budget: only its source has all of it.]");
    expect(await json({ tokens: "5000" })).toMatchObject({ passages: [{ shortened: true }], next: null });
    await refresh(passagesOf(texts));
    expect((await json()).passages[0]).not.toHaveProperty("shortened");
  });

  it("in JSON gives every passage once by next", async () => {
    const { json, refresh } = await reading();
    const passages = passagesIn("docs/guide.md", pageText([3, 60, 8, 8, 100, 1, 5]));
    await refresh(passages);
    for (const tokens of ["200", "700", "5000"]) {
      const indexes: number[] = [];
      for (let from: number | null = 0; from !== null;) {
        const part = await json({ from: String(from), tokens });
        indexes.push(...part.passages.map(({ index }) => index));
        from = part.next;
      }
      expect(indexes).toEqual([...passages.keys()]);
    }
  });
});
