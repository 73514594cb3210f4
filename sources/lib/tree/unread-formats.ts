import type { Unread } from "../../../domain/generation.ts";
import type { FileSelection } from "../../../domain/source.ts";
import { isCodeFile, isDocumentation } from "./folder-roles.ts";
import { folderOf, nameOf } from "./paths.ts";
import { createDocumentTest, createFileSelector } from "./select-files.ts";
import type { SelectOptions } from "./select-files.ts";
import { isWebsite } from "./website.ts";

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
/** Formats of documentation that is kept beside code. */
const besideCode = /\.(?:pod|rdoc)$/i;

/** Maximum number of files that are kept. */
const maxPaths = 200_000;

/** The files of a tree that may be documentation in a format that is not read. */
export interface UnreadFiles {
  readonly paths: readonly string[];
  /** Adds a file if it may be one. */
  add(path: string): void;
  /** Number of files of code among all that were added. */
  codeFiles(): number;
}

/** Creates the collection for one tree. */
export function createUnreadFiles(): UnreadFiles {
  const paths: string[] = [];
  let code = 0;
  return {
    paths,
    codeFiles: () => code,
    add(path) {
      if (isCodeFile(path)) code++;
      if (paths.length < maxPaths && isUnread(path)) paths.push(path);
    },
  };
}

/** The files that are documentation, and that the selection would include. */
export function unreadAmong(
  paths: readonly string[],
  selection: FileSelection,
  options: Omit<SelectOptions, "extensions">,
): readonly string[] {
  const isAsked = selection.folders.some((folder) => folder.trim() !== "");
  const select = createFileSelector(selection, { ...options, extensions: Object.keys(formats) });
  return select(paths).filter((path) => isAsked || isDocumentationFile(path, options.within));
}

/** The formats of files with the number of each, such as `78 .rst files (reStructuredText), 2 .adoc files (AsciiDoc)`. */
export function formatsOf(paths: readonly string[]): string {
  return countFormats(paths).map(describe).join(", ");
}

/** Validates what an import says is not read: only formats and a website that this program could have written; undefined without any. */
export function plainUnread({ formats: text, website, isMost }: Unread): Unread | undefined {
  const known = [...text.matchAll(/(?:^|, )(\d{1,6}) (\.[a-z]{1,12}) files? \(/g)].flatMap(
    ([, count = "", ending = ""]) =>
      Object.hasOwn(formats, ending) ? [describe({ ending, count: Number(count) })] : [],
  );
  if (known.length === 0) return undefined;
  return {
    formats: known.join(", "),
    ...(website !== undefined && isWebsite(website) && { website }),
    ...(isMost === true && { isMost }),
  };
}

function isDocumentationFile(path: string, within: string): boolean {
  const folder = folderOf(path);
  if (/^readme\./i.test(nameOf(path)) || besideCode.test(path)) return true;
  return isDocumentation(folder, within) || (examples.test(folder) && /\.(?:ipynb|qmd|rmd)$/i.test(path));
}

/** Sentences about files in formats that are not read. `read`: number of documents that are read. */
export function formatNotes(paths: readonly string[], read: number): string[] {
  if (paths.length === 0) return [];
  if (paths.length > read) {
    const rest =
      read === 0 ? "Nothing else was found" : `Only ${read} ${read === 1 ? "document is" : "documents are"} read`;
    return [`Most of this documentation is in formats that Lectern does not read: ${formatsOf(paths)}. ${rest}.`];
  }
  return countFormats(paths).map((one) => `${describe(one)} ${one.count === 1 ? "is" : "are"} not read.`);
}

interface FormatCount {
  readonly ending: string;
  readonly count: number;
}

/** The number of files of each format, the most frequent first. */
function countFormats(paths: readonly string[]): readonly FormatCount[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const ending = path.slice(path.lastIndexOf(".")).toLowerCase();
    counts.set(ending, (counts.get(ending) ?? 0) + 1);
  }
  return [...counts].map(([ending, count]) => ({ ending, count })).toSorted((one, other) => other.count - one.count);
}

function describe({ ending, count }: FormatCount): string {
  return `${count} ${ending} ${count === 1 ? "file" : "files"} (${formats[ending] ?? ""})`;
}
