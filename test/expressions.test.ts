import { analyse } from "scslre";
import { describe, expect, it } from "vitest";
import { expressionsIn, expressionsOfProgram, type Expression } from "./support/expressions.ts";

/**
 * How an expression can take more than linear time: two loops that can match the same text ("Trade"), nested loops
 * ("Self"), or a loop that restarts at each character ("Move").
 */
function problemsOf({ source, flags }: Expression): readonly string[] {
  return analyse({ source, flags: flags.replace("v", "u") }).reports.map(({ type }) => type);
}

describe("regular expressions", () => {
  it("of the program are all linear", () => {
    const expressions = expressionsOfProgram();
    expect(expressions.length).toBeGreaterThan(500);
    const slow = expressions.flatMap((expression) =>
      problemsOf(expression).map((problem) => `${expression.place} ${problem} /${expression.source}/`),
    );
    expect(slow).toEqual([]);
  });

  it.each([
    [String.raw`/^(a+)+$/`, "Self"],
    [String.raw`/^!!![ \t]*([a-z][\w -]*?)?[ \t]*$/`, "Trade"],
    [String.raw`/\s+$/`, "Move"],
  ])("that are not linear are found: %s", (literal, problem) => {
    expect(expressionsIn("a.ts", `text.replace(${literal}, "");`).flatMap(problemsOf)).toContain(problem);
  });
});
