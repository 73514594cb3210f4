import type { FileSelection } from "../../../domain/source.ts";
import { parseText } from "../threads/parse-text.ts";
import type { Threads } from "../threads/parse-text.ts";
import { chooseDescriptions, unaskedDescriptions } from "./description-files.ts";
import type { UnaskedDescriptions } from "./description-files.ts";
import { omissionNotes } from "./omissions.ts";
import type { Omitted } from "./omissions.ts";
import type { DescriptionChoice } from "../descriptions/in-tree.ts";
import { isTreeOfDocuments } from "./folder-roles.ts";
import { createFileSelector } from "./select-files.ts";
import type { SelectOptions } from "./select-files.ts";
import { formatNotes, formatsOf, unreadAmong } from "./unread-formats.ts";

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
