import { Failure } from "../../domain/failures.ts";
import type { FileSelection } from "../../domain/source.ts";
import { folderOf, isDocumentation, nameOf } from "./places.ts";
import { descriptionEndings } from "../descriptions/in-tree.ts";
import type { DescriptionChoice } from "../descriptions/in-tree.ts";
import { createDocumentTest, createFileSelector } from "./select-files.ts";
import type { SelectOptions } from "./select-files.ts";

/** So many files are looked into for descriptions. */
const maxFiles = 500;

/** Whether a file is named as descriptions are. */
export const mayBeDescription = createDocumentTest(descriptionEndings);

/**
 * The files of a tree that may be API descriptions, in the order of their paths: those that are named, or else those that the selection
 * has in folders for documentation, or under a name of descriptions.
 * @throws Failure library_too_large where they are too many to look into
 */
export function chooseDescriptions(
  paths: readonly string[],
  selection: FileSelection,
  options: Omit<SelectOptions, "extensions">,
): DescriptionChoice {
  const { openapi = null, folders } = selection;
  if (openapi === null) return { paths: [], named: new Set() };
  if (openapi !== true) return { paths: [...new Set(openapi)].toSorted(), named: new Set(openapi) };
  const isAsked = folders.some((folder) => folder.trim() !== "");
  const select = createFileSelector(selection, { ...options, extensions: descriptionEndings });
  const chosen = select(paths).filter(
    (path) => isAsked || isDocumentation(folderOf(path), options.within) || named.test(nameOf(path)),
  );
  if (chosen.length > maxFiles)
    throw new Failure(
      "library_too_large",
      `${chosen.length} files may be API descriptions, more than the ${maxFiles} that are looked into. Choose some with folders, or name them in context7.json.`,
    );
  return { paths: chosen.toSorted(), named: new Set() };
}

const named = /openapi|swagger/i;
/** What is surely called after what it is. */
const calledSo = /(?:^|[-_.])(?:openapi|swagger)(?:[-_.]|$)/i;
/** Files that a note names, and most that it says of a path, in characters. */
const maxNamed = 3;
const maxPath = 150;

/** The API descriptions that a tree has by the names of its files, where none were asked for: a sentence that says how they are read; none without. */
export function descriptionNotes(
  paths: readonly string[],
  selection: FileSelection,
  options: Omit<SelectOptions, "extensions">,
): string[] {
  if ((selection.openapi ?? null) !== null) return [];
  const select = createFileSelector(selection, { ...options, extensions: descriptionEndings });
  const found = select(paths)
    .filter((path) => calledSo.test(nameOf(path)))
    .toSorted();
  if (found.length === 0) return [];
  const shown = found.slice(0, maxNamed).map((path) => path.slice(0, maxPath));
  const more = found.length > maxNamed ? ` and ${found.length - maxNamed} more` : "";
  const them = found.length === 1 ? "it is" : "they are";
  return [`API descriptions are not read: ${shown.join(", ")}${more}. With \`openapi: true\` ${them} read.`];
}
