import { Failure } from "../../domain/failures.ts";
import type { FileSelection } from "../../domain/source.ts";
import { folderOf, isDocumentation, nameOf } from "./places.ts";
import { descriptionEndings } from "../descriptions/in-tree.ts";
import type { DescriptionChoice } from "../descriptions/in-tree.ts";
import { createDocumentTest, createFileSelector } from "./select-files.ts";
import type { SelectOptions } from "./select-files.ts";

/** Maximum number of files that are looked into for descriptions. */
const maxFiles = 500;

/** Whether a file is named as descriptions are. */
export const mayBeDescription = createDocumentTest(descriptionEndings);

/**
 * The files of a tree that may be API descriptions, in the order of their paths: those that are named, or else those that the selection
 * has in folders for documentation, or under a name of descriptions; of others, whose paths say of an API, as many as there is room for.
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
  const files = select(paths);
  const isNear = (path: string): boolean =>
    isAsked || isDocumentation(folderOf(path), options.within) || named.test(nameOf(path));
  const chosen = files.filter(isNear);
  if (chosen.length > maxFiles)
    throw new Failure(
      "library_too_large",
      `${chosen.length} files may be API descriptions, more than the ${maxFiles} that are looked into. Choose some with folders, or name them in context7.json.`,
    );
  const others = files.filter((path) => !isNear(path) && tellsOfApi(path)).toSorted();
  return { paths: [...chosen, ...others.slice(0, maxFiles - chosen.length)].toSorted(), named: new Set() };
}

const named = /openapi|swagger/i;
/** What is surely called after what it is. */
const calledSo = /(?:^|[-_.])(?:openapi|swagger)(?:[-_.]|$)/i;
/** Files that a note names, and most that it says of a path, in characters. */
const maxNamed = 3;
const maxPath = 150;

/** Steps of paths to descriptions of APIs that are called otherwise. */
const ofApi = /(?:^|[-_./])(?:apis?|rest|http|specs?|schemas?|reference|contracts?|endpoints)(?:[-_./]|$)/i;
/** Files that tools have in any folder. */
const ofTools =
  /^(?:\..*|package(?:-lock)?|[jt]sconfig.*|composer|_?meta|_?category_|sidebars?|navigation|nav|mkdocs|docs|mint|_config|manifest|pnpm-.*|docker-compose.*)\.(?:json|ya?ml)$/i;
/** Files that are looked into unasked. */
const maxLookedInto = 40;

/** True for a path that says of an API: it may be a description whatever its file is called. */
function tellsOfApi(path: string): boolean {
  return ofApi.test(path) && !ofTools.test(nameOf(path));
}

/** API descriptions that nobody asked for. */
export interface UnaskedDescriptions {
  /** Those that are called so. */
  readonly named: readonly string[];
  /** Files that may be others: their beginnings tell. */
  readonly perhaps: readonly string[];
}

/** The API descriptions that a tree may have, where none were asked for. */
export function unaskedDescriptions(
  paths: readonly string[],
  selection: FileSelection,
  options: Omit<SelectOptions, "extensions">,
): UnaskedDescriptions {
  if ((selection.openapi ?? null) !== null) return { named: [], perhaps: [] };
  const select = createFileSelector(selection, { ...options, extensions: descriptionEndings });
  const files = select(paths);
  const isCalledSo = (path: string): boolean => calledSo.test(nameOf(path));
  const mayBe = (path: string): boolean =>
    !isCalledSo(path) &&
    (tellsOfApi(path) || (isDocumentation(folderOf(path), options.within) && !ofTools.test(nameOf(path))));
  // Whose path says of an API comes first.
  const perhaps = files.filter(mayBe).toSorted((one, other) => {
    const difference = Number(tellsOfApi(other)) - Number(tellsOfApi(one));
    return difference !== 0 ? difference : one < other ? -1 : 1;
  });
  return { named: files.filter(isCalledSo), perhaps: perhaps.slice(0, maxLookedInto) };
}

/** A key at the beginning of a file by which descriptions say their version. */
const beginning =
  /(?:^|[{,]\s{0,40})["']?(?:openapi["']?[ \t]{0,9}:[ \t]{0,9}["']?3\.\d|swagger["']?[ \t]{0,9}:[ \t]{0,9}["']?2\.0)/m;
/** How much of a file is looked into, in bytes. */
export const maxBeginning = 8192;

/** Whether a file begins as API descriptions do. */
export function beginsAsDescription(bytes: Uint8Array): boolean {
  return beginning.test(Buffer.from(bytes.subarray(0, maxBeginning)).toString("latin1"));
}

/** API descriptions that are there and were not asked for, in a sentence that says how they are read; none without. */
export function descriptionNotes(paths: readonly string[]): string[] {
  const found = paths.toSorted();
  if (found.length === 0) return [];
  const shown = found.slice(0, maxNamed).map((path) => path.slice(0, maxPath));
  const more = found.length > maxNamed ? ` and ${found.length - maxNamed} more` : "";
  const them = found.length === 1 ? "it is" : "they are";
  return [`API descriptions are not read: ${shown.join(", ")}${more}. With \`openapi: true\` ${them} read.`];
}
