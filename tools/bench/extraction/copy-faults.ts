import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CollectedLibrary } from "./collect.ts";
import { textOf } from "./blocks.ts";
import { whereOf } from "./fault-kinds.ts";
import type { Fault } from "./fault-kinds.ts";

/** A folder that is named like a date. */
export const date = /(?:^|\/)(20\d\d-\d\d(?:-\d\d)?)\//;
const generated = /DO NOT EDIT|do not edit|auto-?generated|automatically generated/;

/** Whether a page says at its head that it was made of others. */
export function saysGenerated(bytes: Uint8Array): boolean {
  return generated.test(textOf(bytes).slice(0, 500));
}

const poor =
  /(?:^|\/)(?:_[^/]*|partials?|fragments?|includes?|snippets|reusables?|legacy|old|archived?|deprecated|versioned_docs|v\d+(?:\.\w+)*)(?:\/|$)/i;

/** Passages that are folded into those of a page that a reader would rather not get, though their own page is not one. */
export function copyFaults({ manifest: { folds = [] }, pages, folder }: CollectedLibrary): readonly Fault[] {
  const listed = navigationOf(folder);
  const passages = pages.flatMap(({ input, passages: own }) => own.map((passage) => ({ passage, input })));
  const badness = ({ path, bytes }: { readonly path: string; readonly bytes: Uint8Array }): number => {
    const isListed = listed === undefined || listed.some((name) => path.replace(/\.mdx?$/, "").endsWith(name));
    const isPoor = poor.test(path) || saysGenerated(bytes);
    return (isPoor ? 2 : 0) + (isListed ? 0 : 1);
  };
  return folds.flatMap(({ line, into }): Fault[] => {
    const [copy, kept] = [passages[line], passages[into]];
    if (copy === undefined || kept === undefined) return [];
    const [of, at] = [copy, kept].map(({ input }) => date.exec(input.path)?.[1] ?? "");
    const isOlder = of !== "" && at !== "" && (at ?? "") < (of ?? "");
    if (!isOlder && badness(kept.input) <= badness(copy.input)) return [];
    const text = `${copy.passage.title}, kept in ${kept.input.path}`;
    return [{ kind: "copy", where: whereOf(copy.passage), text }];
  });
}

/** Pages that a table of contents or a configuration names, without their endings; undefined where none of them is data. */
function navigationOf(folder: string): readonly string[] | undefined {
  const files = [
    "SUMMARY.md",
    "src/SUMMARY.md",
    "docs.json",
    "mint.json",
    "docs/docs.json",
    "docs/mint.json",
    "mkdocs.yml",
  ];
  const found = files.map((name) => join(folder, name)).filter((path) => existsSync(path));
  if (found.length === 0) return undefined;
  const names = found.flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(/\(\.?\/?([^()\s#]+)\.mdx?\)|"\/?([\w./-]+)"|: ([\w./-]+)\.md$/gm)].map(
      ([, linked, quoted, plain]) => linked ?? quoted ?? plain ?? "",
    ),
  );
  return [...new Set(names)].filter((name) => name.length > 1);
}
