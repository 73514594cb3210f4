import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { analyse } from "scslre";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..");

/** A regular expression as it is written somewhere. */
interface Expression {
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

/** The regular expressions that a file is written with. Those that are made of others are checked as they run, in steps.test.ts. */
function expressionsIn(file: string, text: string): Expression[] {
  const found: Expression[] = [];
  const { program } = parseSync(file, text);
  new Visitor({
    Literal(node) {
      if (!("regex" in node)) return;
      const { pattern, flags } = node.regex;
      found.push({ place: `${file}:${text.slice(0, node.start).split("\n").length}`, source: pattern, flags });
    },
  }).visit(program);
  return found;
}

/**
 * How an expression can take more than time in proportion to its text: two of its loops that may share what they match
 * ("Trade"), one loop inside of another ("Self"), or a loop that begins anew at each character ("Move").
 */
function problemsOf({ source, flags }: Expression): readonly string[] {
  return analyse({ source, flags: flags.replace("v", "u") }).reports.map(({ type }) => type);
}

describe("regular expressions", () => {
  it("of the program are all linear", () => {
    const files = globSync(
      ["*.ts", "{activities,api,blobs,catalog,cli,config,domain,extract,ranking,search,workers,workflows}/**/*.ts"],
      { cwd: root },
    );
    const expressions = files.flatMap((file) => expressionsIn(file, readFileSync(join(root, file), "utf8")));
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
