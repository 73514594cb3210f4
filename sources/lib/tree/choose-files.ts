import type { FileSelection } from "../../../domain/source.ts";
import { omissionNotes, type Omitted } from "./omissions.ts";
import { descriptionEndings, type DescriptionChoice } from "../descriptions/in-tree.ts";
import { isTreeOfDocuments, isDocumentation, folderOf, nameOf } from "./paths.ts";
import { isHtmlPage } from "./html-pages.ts";
import { createFileSelector, createDocumentTest, type SelectOptions } from "./select-files.ts";
import { chooseSources } from "./source-files.ts";
import { formatNotes, formatsOf, unreadAmong } from "./unread-documentation.ts";
import { Failure } from "../../../domain/failures.ts";

/** Maximum number of files that are searched for descriptions. */
const maxFiles = 500;

/** Whether a file has the ending of an API description. */
export const mayBeDescription = createDocumentTest(descriptionEndings);

/**
 * The files of a tree that may be API descriptions, sorted. If the selection names files, these. Else the selected files in folders for
 * documentation or with a typical name; then, up to the maximum, others whose paths suggest an API.
 * @throws Failure library_too_large for too many files
 */
function chooseDescriptions(
  paths: readonly string[],
  selection: FileSelection,
  options: Omit<SelectOptions, "extensions">,
): DescriptionChoice {
  const { openapi = null, folders } = selection;
  if (openapi === null) return { paths: [], named: new Set() };
  if (openapi !== true) return { paths: [...new Set(openapi)].toSorted(), named: new Set(openapi) };
  const hasFolders = folders.some((folder) => folder.trim() !== "");
  const select = createFileSelector(selection, { ...options, extensions: descriptionEndings });
  const files = select(paths);
  const isLikely = (path: string): boolean =>
    hasFolders || isDocumentation(folderOf(path), options.within) || typicalName.test(nameOf(path));
  const chosen = files.filter(isLikely);
  if (chosen.length > maxFiles)
    throw new Failure(
      "library_too_large",
      `${chosen.length} files may be API descriptions, more than the ${maxFiles} that are looked into. Choose some with folders, or name them in context7.json.`,
    );
  const others = files.filter((path) => !isLikely(path) && suggestsApi(path)).toSorted();
  return { paths: [...chosen, ...others.slice(0, maxFiles - chosen.length)].toSorted(), named: new Set() };
}

const typicalName = /openapi|swagger/i;
/** Names that only descriptions have. */
const clearName = /(?:^|[-_.])(?:openapi|swagger)(?:[-_.]|$)/i;
/** Maximum number of files that a note names, and length of each path in characters. */
const maxNamed = 3;
const maxPath = 150;

/** Words in paths that suggest an API. */
const apiWord = /(?:^|[-_./])(?:apis?|rest|http|specs?|schemas?|reference|contracts?|endpoints)(?:[-_./]|$)/i;
/** Configuration files of tools, which may be in any folder. */
const toolConfiguration =
  /^(?:\..*|package(?:-lock)?|[jt]sconfig.*|composer|_?meta|_?category_|sidebars?|navigation|nav|mkdocs|docs|mint|_config|manifest|pnpm-.*|(?:docker-)?compose(?:[.-].*)?)\.(?:json|ya?ml)$/i;
/** Maximum number of files whose beginnings are searched for descriptions that nobody requested. */
const maxBeginnings = 40;

/** Whether the path of a file suggests an API description, whatever its name. */
function suggestsApi(path: string): boolean {
  return apiWord.test(path) && !toolConfiguration.test(nameOf(path));
}

/** API descriptions that are not read, as nobody requested them. */
interface UnreadDescriptions {
  /** Files with a clear name. */
  readonly certain: readonly string[];
  /** Other files whose beginnings decide whether they are descriptions. */
  readonly candidates: readonly string[];
}

/** The API descriptions that a tree may have, if the selection leaves open whether they are read. */
function findUnread(
  paths: readonly string[],
  selection: FileSelection,
  options: Omit<SelectOptions, "extensions">,
): UnreadDescriptions {
  if ((selection.openapi ?? null) !== null) return { certain: [], candidates: [] };
  const select = createFileSelector(selection, { ...options, extensions: descriptionEndings });
  const files = select(paths);
  const isClear = (path: string): boolean => clearName.test(nameOf(path));
  const isCandidate = (path: string): boolean =>
    !isClear(path) &&
    (suggestsApi(path) || (isDocumentation(folderOf(path), options.within) && !toolConfiguration.test(nameOf(path))));
  // Paths that suggest an API come first.
  const candidates = files.filter(isCandidate).toSorted((one, other) => {
    const difference = Number(suggestsApi(other)) - Number(suggestsApi(one));
    return difference !== 0 ? difference : one < other ? -1 : 1;
  });
  return { certain: files.filter(isClear), candidates: candidates.slice(0, maxBeginnings) };
}

/** The key that names a description's format version, near the beginning of a file. */
const beginning =
  /(?:^|[{,]\s{0,40})["']?(?:openapi["']?[ \t]{0,9}:[ \t]{0,9}["']?3\.\d|swagger["']?[ \t]{0,9}:[ \t]{0,9}["']?2\.0)/m;
/** Size of the beginning that is read, in bytes. */
export const maxBeginning = 8192;

/** Whether a file begins as API descriptions do. */
export function beginsAsDescription(bytes: Uint8Array): boolean {
  return beginning.test(Buffer.from(bytes.subarray(0, maxBeginning)).toString("latin1"));
}

/** A sentence that names descriptions that are not read, and how to include them; empty without any. */
export function descriptionNotes(paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  const shown = paths.toSorted().slice(0, maxNamed);
  const more = paths.length > maxNamed ? ` and ${paths.length - maxNamed} more` : "";
  const them = paths.length === 1 ? "it is" : "they are";
  const names = shown.map((path) => path.slice(0, maxPath)).join(", ");
  return [`API descriptions are not read: ${names}${more}. With \`openapi: true\` ${them} read.`];
}

/** The paths of a tree's files, and the rules for choosing among them. */
export interface TreeFileNames {
  /** Files named like documents. */
  readonly documents: readonly string[];
  /** Number of documents that cannot be read, and are reported. */
  readonly unreadable: number;
  /** Folders whose content is in another repository. They are chosen if documents in them would be. */
  readonly elsewhere: readonly string[];
  /** Documentation in formats that are not read. */
  readonly unread: readonly string[];
  /** Sources and examples. */
  readonly sources: readonly string[];
  /** Number of code files. */
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
  /** Documents that only the chosen folders leave out. */
  readonly outside: readonly string[];
  readonly elsewhere: readonly string[];
  /** Sources and examples that are read as documentation. */
  readonly sources: readonly string[];
  readonly descriptions: DescriptionChoice;
  /** Descriptions that a note mentions. */
  readonly unreadDescriptions: UnreadDescriptions;
  /** Sentences about files that are not read. */
  readonly notes: readonly string[];
  /** Documentation formats that are not read, with the number of files of each; "" if all are read. */
  readonly unreadFormats: string;
  /** More documents are in these formats than are read. */
  readonly isMostUnread: boolean;
}

/**
 * Chooses files of a tree.
 * @throws Failure validation_error for a pattern that would take too long to match, library_too_large for too many descriptions
 */
export function chosenFiles({ documents, elsewhere, selection, ...names }: TreeFileNames): ChosenFiles {
  const options = {
    ...names.options,
    isDocumentation: isTreeOfDocuments(
      documents.filter((path) => !isHtmlPage(path)),
      names.codeFiles,
    ),
  };
  const select = createFileSelector(selection, options);
  const omitted: Omitted = new Map();
  const chosen = select(documents, omitted);
  const chosenElsewhere = elsewhere.filter((path) => select([`${path}/index.md`]).length > 0);
  const unread = unreadAmong(names.unread, selection, options);
  const read = chosen.length + chosenElsewhere.length + names.unreadable;
  const kept = new Set(chosen);
  const everywhere = createFileSelector({ ...selection, folders: [] }, options);
  return {
    documents: chosen,
    outside: selection.folders.length === 0 ? [] : everywhere(documents).filter((path) => !kept.has(path)),
    elsewhere: chosenElsewhere,
    sources: chooseSources(names.sources, chosen, selection, options),
    descriptions: chooseDescriptions(names.descriptions, selection, options),
    unreadDescriptions: findUnread(names.descriptions, selection, options),
    notes: [...formatNotes(unread, read), ...omissionNotes(omitted)],
    unreadFormats: formatsOf(unread),
    isMostUnread: unread.length > read,
  };
}
