import type { FileSelection } from "../../../domain/source.ts";
import { parseText } from "../threads/thread-pool.ts";
import type { Threads } from "../threads/thread-pool.ts";
import { omissionNotes } from "./omissions.ts";
import type { Omitted } from "./omissions.ts";
import { descriptionEndings } from "../descriptions/in-tree.ts";
import type { DescriptionChoice } from "../descriptions/in-tree.ts";
import { isTreeOfDocuments, isDocumentation, folderOf, nameOf } from "./paths.ts";
import { createFileSelector, createDocumentTest } from "./select-files.ts";
import type { SelectOptions } from "./select-files.ts";
import { formatNotes, formatsOf, unreadAmong } from "./unread-documentation.ts";
import { Failure } from "../../../domain/failures.ts";

/** Maximum number of files that are searched for descriptions. */
const maxFiles = 500;

/** Whether a file is named as descriptions are. */
export const mayBeDescription = createDocumentTest(descriptionEndings);

/**
 * The files of a tree that may be API descriptions, sorted: those that are named; or else the selected ones in folders for documentation
 * or with a name of descriptions, and up to the maximum others whose paths suggest an API.
 * @throws Failure library_too_large where they are too many
 */
function chooseDescriptions(
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
  const others = files.filter((path) => !isNear(path) && suggestsApi(path)).toSorted();
  return { paths: [...chosen, ...others.slice(0, maxFiles - chosen.length)].toSorted(), named: new Set() };
}

const named = /openapi|swagger/i;
/** A name that is certainly that of a description. */
const clearlyNamed = /(?:^|[-_.])(?:openapi|swagger)(?:[-_.]|$)/i;
/** Maximum number of files that a note names, and of characters of their paths. */
const maxNamed = 3;
const maxPath = 150;

/** Words in paths that suggest an API. */
const ofApi = /(?:^|[-_./])(?:apis?|rest|http|specs?|schemas?|reference|contracts?|endpoints)(?:[-_./]|$)/i;
/** Files of tools, which may be in any folder. */
const ofTools =
  /^(?:\..*|package(?:-lock)?|[jt]sconfig.*|composer|_?meta|_?category_|sidebars?|navigation|nav|mkdocs|docs|mint|_config|manifest|pnpm-.*|docker-compose.*)\.(?:json|ya?ml)$/i;
/** Maximum number of files whose beginnings are read without having been asked for. */
const maxBeginnings = 40;

/** Whether a path suggests that a file is an API description, whatever its name. */
function suggestsApi(path: string): boolean {
  return ofApi.test(path) && !ofTools.test(nameOf(path));
}

/** API descriptions that were not asked for. */
interface UnaskedDescriptions {
  /** Files with a clear name. */
  readonly named: readonly string[];
  /** Files that may be descriptions too, which their beginnings tell. */
  readonly perhaps: readonly string[];
}

/** The API descriptions that a tree may have, if the selection does not say whether they are read. */
function unaskedDescriptions(
  paths: readonly string[],
  selection: FileSelection,
  options: Omit<SelectOptions, "extensions">,
): UnaskedDescriptions {
  if ((selection.openapi ?? null) !== null) return { named: [], perhaps: [] };
  const select = createFileSelector(selection, { ...options, extensions: descriptionEndings });
  const files = select(paths);
  const isClearlyNamed = (path: string): boolean => clearlyNamed.test(nameOf(path));
  const mayBe = (path: string): boolean =>
    !isClearlyNamed(path) &&
    (suggestsApi(path) || (isDocumentation(folderOf(path), options.within) && !ofTools.test(nameOf(path))));
  // Paths that suggest an API come first.
  const perhaps = files.filter(mayBe).toSorted((one, other) => {
    const difference = Number(suggestsApi(other)) - Number(suggestsApi(one));
    return difference !== 0 ? difference : one < other ? -1 : 1;
  });
  return { named: files.filter(isClearlyNamed), perhaps: perhaps.slice(0, maxBeginnings) };
}

/** The key with which descriptions say their version, near the beginning of a file. */
const beginning =
  /(?:^|[{,]\s{0,40})["']?(?:openapi["']?[ \t]{0,9}:[ \t]{0,9}["']?3\.\d|swagger["']?[ \t]{0,9}:[ \t]{0,9}["']?2\.0)/m;
/** Size of the beginning that is read, in bytes. */
export const maxBeginning = 8192;

/** Whether a file begins as API descriptions do. */
export function beginsAsDescription(bytes: Uint8Array): boolean {
  return beginning.test(Buffer.from(bytes.subarray(0, maxBeginning)).toString("latin1"));
}

/** A sentence about descriptions that are not read, and how to have them read; none without such files. */
export function descriptionNotes(paths: readonly string[]): string[] {
  const found = paths.toSorted();
  if (found.length === 0) return [];
  const shown = found.slice(0, maxNamed).map((path) => path.slice(0, maxPath));
  const more = found.length > maxNamed ? ` and ${found.length - maxNamed} more` : "";
  const them = found.length === 1 ? "it is" : "they are";
  return [`API descriptions are not read: ${shown.join(", ")}${more}. With \`openapi: true\` ${them} read.`];
}

/** The paths of a tree's files, and the rules by which they are chosen. */
export interface TreeFileNames {
  /** Files named like documents. */
  readonly documents: readonly string[];
  /** Number of documents that are reported, and cannot be read. */
  readonly unreadable: number;
  /** Folders of which the content is in another repository; chosen where a document in them would be. */
  readonly elsewhere: readonly string[];
  /** Documentation in formats that are not read. */
  readonly unread: readonly string[];
  /** Number of other files that are code. */
  readonly codeFiles: number;
  /** Files named like API descriptions. */
  readonly descriptions: readonly string[];
  readonly selection: FileSelection;
  readonly options: SelectOptions;
}

/** The files of a tree that are read. */
export interface ChosenFiles {
  /** In the order given. */
  readonly documents: readonly string[];
  readonly elsewhere: readonly string[];
  readonly descriptions: DescriptionChoice;
  /** Descriptions that are mentioned, and not read. */
  readonly unasked: UnaskedDescriptions;
  /** Sentences about what is not read. */
  readonly notes: readonly string[];
  /** Formats of documentation that are not read, with the number of files of each; "" without such files. */
  readonly unreadFormats: string;
  /** More documents are in these formats than are read. */
  readonly isMostUnread: boolean;
}

const choosing = { module: new URL(import.meta.url), name: "chosenFiles" };

/**
 * Chooses files of a tree on a thread, as it may have hundreds of thousands. `name` is what the tree is called in an error.
 * @throws Failure validation_error for a pattern that would take too long to match, library_too_large for too many descriptions
 */
export function chooseFiles(threads: Threads, names: TreeFileNames, name: string): Promise<ChosenFiles> {
  return parseText(threads, choosing, names, name);
}

/** Chooses files of a tree. @throws as `chooseFiles` */
export function chosenFiles({ documents, elsewhere, selection, ...names }: TreeFileNames): ChosenFiles {
  const options = { ...names.options, isDocumentation: isTreeOfDocuments(documents, names.codeFiles) };
  const select = createFileSelector(selection, options);
  const omitted: Omitted = new Map();
  const chosen = select(documents, omitted);
  const there = elsewhere.filter((path) => select([`${path}/index.md`]).length > 0);
  const unread = unreadAmong(names.unread, selection, options);
  const read = chosen.length + there.length + names.unreadable;
  return {
    documents: chosen,
    elsewhere: there,
    descriptions: chooseDescriptions(names.descriptions, selection, options),
    unasked: unaskedDescriptions(names.descriptions, selection, options),
    notes: [...formatNotes(unread, read), ...omissionNotes(omitted)],
    unreadFormats: formatsOf(unread),
    isMostUnread: unread.length > read,
  };
}
