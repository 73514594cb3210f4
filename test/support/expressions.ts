import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync, Visitor } from "oxc-parser";

const root = join(import.meta.dirname, "..", "..");
const folders = "{activities,api,cli,domain,extract,search,sources,stores,workers,workflows}";

/** A regular expression literal. */
export interface Expression {
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

/** The regular expression literals of the program. */
export function expressionsOfProgram(): readonly Expression[] {
  const files = globSync(["*.ts", `${folders}/**/*.ts`], { cwd: root });
  return files.flatMap((file) => expressionsIn(file, readFileSync(join(root, file), "utf8")));
}

/** The regular expressions in the text of a file. */
export function expressionsIn(file: string, text: string): readonly Expression[] {
  const expressions: Expression[] = [];
  const { program } = parseSync(file, text);
  new Visitor({
    Literal(node) {
      if (!("regex" in node)) return;
      const { pattern, flags } = node.regex;
      expressions.push({ place: `${file}:${text.slice(0, node.start).split("\n").length}`, source: pattern, flags });
    },
  }).visit(program);
  return expressions;
}
