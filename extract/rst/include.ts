import { createBudget } from "../includes/selection.ts";
import { createFinder, type IncludableFiles } from "../includes/find-file.ts";
import { placesOf } from "../includes/includable-files.ts";
import { toSelection } from "../includes/scan.ts";
import { lineAt } from "../markdown/lines.ts";
import { dedent, foreignLines, type TextLines } from "./lines.ts";
import { argumentOf, type Directive, type Shown } from "./reader.ts";

/** Candidate paths of a file that a page names: relative to it, or to the folder of the configuration after a slash. */
export function includePlaces(path: string, written: string, root: string): readonly string[] {
  if (!written.startsWith("/")) return placesOf(path, written, "page");
  return [
    ...new Set([
      ...placesOf(root === "" ? "x" : `${root}/x`, written.slice(1), "page"),
      ...placesOf(path, written, "documents"),
    ]),
  ];
}

/** Creates the function that reads the lines of the files that a page includes. */
export function createIncluder(path: string, root: string, files: IncludableFiles, warnings: Set<string>) {
  const notes: string[] = [];
  const find = createFinder(files, notes);
  const choose = createBudget();
  return {
    notes,
    find,
    include(directive: Directive): Shown | undefined {
      const written = argumentOf(directive);
      const { options, lines } = directive;
      const [first] = lines;
      // A path within an included file is relative to that file.
      const from = first?.from?.path ?? path;
      const stack = first?.from === undefined ? [path] : [...first.from.above, first.from.path];
      const refuse = (problem: string): undefined => {
        warnings.add(`Line ${first?.at ?? 1} includes ${written.slice(0, 200)}, which ${problem}.`);
        return undefined;
      };
      if (
        /\.(?:md|markdown|mdx)$/i.test(written) &&
        !/literal/.test(directive.name) &&
        !options.has("literal") &&
        !options.has("code")
      )
        return refuse("is Markdown, and so a page of its own");
      const file = find(includePlaces(from, written, root), stack);
      if (typeof file === "string") return refuse(file);
      const chosen = choose(file.lines, toSelection(options));
      if (typeof chosen === "string") return refuse(chosen);
      const shown: TextLines = chosen.ranges.flatMap(([start, end]) =>
        foreignLines(
          Array.from({ length: end - start }, (_, index) => lineAt(file.lines, start + index)),
          first?.at ?? 1,
          { path: file.path, line: start + 1, above: stack },
        ),
      );
      // A number is removed from each line by the caller.
      return { path: file.path, lines: options.get("dedent") === "" ? dedent(shown) : shown };
    },
  };
}
