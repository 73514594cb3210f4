import { Failure } from "../../domain/failures.ts";
import type { FileSelection } from "../../domain/source.ts";
import { folderOf, isDocumentation, nameOf } from "./places.ts";
import { descriptionEndings } from "./openapi/in-tree.ts";
import type { DescriptionChoice } from "./openapi/in-tree.ts";
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
