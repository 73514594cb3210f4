import { analyse } from "scslre";
import { describe, expect, it } from "vitest";
import { expressionsIn, expressionsOfProgram, type Expression } from "./support/expressions.ts";

/**
 * How an expression can take more than time in proportion to its text: two of its loops that may share what they match
 * ("Trade"), one loop inside of another ("Self"), or a loop that begins anew at each character ("Move").
 */
function problemsOf({ source, flags }: Expression): readonly string[] {
  return analyse({ source, flags: flags.replace("v", "u") }).reports.map(({ type }) => type);
}

describe("regular expressions", () => {
  it("of the program are all linear", () => {
    const expressions = expressionsOfProgram();
    expect(expressions.length).toBeGreaterThan(500);
    const slow = expressions.flatMap((one) =>
      problemsOf(one).map((problem) => `${one.place} ${problem} /${one.source}/`),
    );
    expect(slow).toEqual([]);
  });

  it.each([
    [String.raw`/^(a+)+$/`, "Self"],
    [String.raw`/^!!![ \t]*([a-z][\w -]*?)?[ \t]*$/`, "Trade"],
    [String.raw`/\s+$/`, "Move"],
  ])("that are not are found: %s", (literal, problem) => {
    expect(expressionsIn("a.ts", `text.replace(${literal}, "");`).flatMap(problemsOf)).toContain(problem);
  });
});
