import type { FileSelection } from "../../domain/source.ts";
import { omissionNotes } from "./omissions.ts";
import type { Omitted } from "./omissions.ts";
import { folderOf, isDocumentation, nameOf } from "./places.ts";
import { createDocumentTest, createFileSelector } from "./select-files.ts";
import type { SelectOptions } from "./select-files.ts";

/** Formats of documentation that are not read, by their lower-case ending. */
const formats: Readonly<Record<string, string>> = {
  ".rst": "reStructuredText",
  ".rest": "reStructuredText",
  ".adoc": "AsciiDoc",
  ".asciidoc": "AsciiDoc",
  ".ipynb": "Jupyter notebooks",
  ".org": "Org mode",
  ".rdoc": "RDoc",
  ".pod": "Perl's POD",
  ".texi": "Texinfo",
  ".texinfo": "Texinfo",
  ".textile": "Textile",
  ".mediawiki": "MediaWiki",
  ".wiki": "wiki markup",
  ".creole": "Creole",
  ".qmd": "Quarto",
  ".rmd": "R Markdown",
  ".dita": "DITA",
  ".docbook": "DocBook",
  ".pdf": "PDF",
  ".docx": "Word",
};

const isUnread = createDocumentTest(Object.keys(formats));

/** Folders whose notebooks are documentation. */
const examples = /(?:^|\/)(?:examples?|tutorials?|notebooks?|samples?|demos?|cookbook|courses?|lessons?)(?:\/|$)/i;
/** What documentation of code is kept in besides the code. */
const beside = /\.(?:pod|rdoc)$/i;

/** So many paths are looked at of a tree. */
const maxPaths = 200_000;

/** The files of a tree that are documentation in a format that is not read. */
export interface UnreadFiles {
  /** Remembers a file of the tree if it may be one. */
  add(path: string): void;
  /**
   * What of a library is not read, in sentences: these files, as far as the selection would have them, and `omitted`.
   * `read` is how many documents are read.
   */
  notes(selection: FileSelection, options: Omit<SelectOptions, "extensions">, read: number, omitted: Omitted): string[];
}

/** Creates the collection for one tree. */
export function createUnreadFiles(): UnreadFiles {
  const paths: string[] = [];
  return {
    add(path) {
      if (paths.length < maxPaths && isUnread(path)) paths.push(path);
    },
    notes(selection, options, read, omitted) {
      const isAsked = selection.folders.some((folder) => folder.trim() !== "");
      const select = createFileSelector(selection, { ...options, extensions: Object.keys(formats) });
      const found = select(paths).filter((path) => isAsked || isWhereDocumentationIs(path, options.within));
      return [...formatNotes(found, read), ...omissionNotes(omitted)];
    },
  };
}

function isWhereDocumentationIs(path: string, within: string): boolean {
  const folder = folderOf(path);
  if (/^readme\./i.test(nameOf(path)) || beside.test(path)) return true;
  return isDocumentation(folder, within) || (examples.test(folder) && /\.(?:ipynb|qmd|rmd)$/i.test(path));
}

function formatNotes(paths: readonly string[], read: number): string[] {
  if (paths.length === 0) return [];
  const counts = new Map<string, number>();
  for (const path of paths) {
    const ending = path.slice(path.lastIndexOf(".")).toLowerCase();
    counts.set(ending, (counts.get(ending) ?? 0) + 1);
  }
  const most = [...counts].toSorted(([, one], [, other]) => other - one);
  if (paths.length > read) {
    const all = most.map(([ending, count]) => `${files(count, ending)} (${formats[ending] ?? ""})`).join(", ");
    const rest =
      read === 0 ? "Nothing else was found" : `Only ${read} ${read === 1 ? "document is" : "documents are"} read`;
    return [`Most of this documentation is in formats that Lectern does not read: ${all}. ${rest}.`];
  }
  return most.map(
    ([ending, count]) => `${files(count, ending)} (${formats[ending] ?? ""}) ${count === 1 ? "is" : "are"} not read.`,
  );
}

function files(count: number, ending: string): string {
  return `${count} ${ending} ${count === 1 ? "file" : "files"}`;
}
