import type { FileSelection } from "../../domain/source.ts";
import { parseText } from "../../threads/parse-text.ts";
import type { Threads } from "../../threads/parse-text.ts";
import { chooseDescriptions, unaskedDescriptions } from "./description-files.ts";
import type { UnaskedDescriptions } from "./description-files.ts";
import type { Omitted } from "./omissions.ts";
import type { DescriptionChoice } from "../descriptions/in-tree.ts";
import { isTreeOfDocuments } from "./places.ts";
import { createFileSelector } from "./select-files.ts";
import type { SelectOptions } from "./select-files.ts";
import { formatsOf, unreadAmong, unreadNotes } from "./unread-formats.ts";

/** The files of a tree, by path, and what says which of them are read. */
export interface TreeFileNames {
  /** Files named like documents. */
  readonly documents: readonly string[];
  /** Documents that are told of, and not read. */
  readonly unreadable: number;
  /** Folders that are elsewhere: wanted where a document in them would be. */
  readonly elsewhere: readonly string[];
  /** Documentation in formats that are not read. */
  readonly unread: readonly string[];
  /** How many other files are code. */
  readonly codeFiles: number;
  /** Files named like API descriptions. */
  readonly descriptions: readonly string[];
  readonly selection: FileSelection;
  readonly options: SelectOptions;
}

/** What is read of a tree. */
export interface ChosenFiles {
  /** In the order given. */
  readonly documents: readonly string[];
  readonly elsewhere: readonly string[];
  readonly descriptions: DescriptionChoice;
  /** Descriptions beside those: they are named, and not read. */
  readonly unasked: UnaskedDescriptions;
  /** What of it is not read, in sentences. */
  readonly notes: readonly string[];
  /** Formats of documentation that are not read, with the number of files of each; "" where there are none. */
  readonly unreadFormats: string;
  /** More documents are in these than are read. */
  readonly isMostUnread: boolean;
}

const choosing = { module: new URL(import.meta.url), name: "chosenFiles" };

/**
 * Chooses files of a tree on a thread: it may have hundreds of thousands. `name` is what the tree is called in an error.
 * @throws Failure validation_error for a pattern that would take too long to match, library_too_large for too many descriptions
 */
export function chooseFiles(threads: Threads, names: TreeFileNames, name: string): Promise<ChosenFiles> {
  return parseText(threads, choosing, names, name);
}

/** Chooses files of a tree. */
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
    notes: unreadNotes(unread, { read, omitted }),
    unreadFormats: formatsOf(unread),
    isMostUnread: unread.length > read,
  };
}
