import type { Unread } from "../../../domain/generation.ts";
import type { FileSelection } from "../../../domain/source.ts";
import { isCodeFile, isDocumentation, folderOf, nameOf } from "./paths.ts";
import { createDocumentTest, createFileSelector, type SelectOptions } from "./select-files.ts";
import { screenText } from "../../../extract/screen/index.ts";

/** Reads a file of a tree; null if it is too large, undefined if it doesn't exist. */
type ReadFile = (path: string) => Promise<Uint8Array | null | undefined>;

const homepage = /^[ \t]{0,8}"homepage":[ \t]{0,9}"(https?:[^\s"]{1,200})"/m;

/** Files at the root of a tree that may name its website, the likeliest first, each with the function that finds addresses in it. */
const files: readonly (readonly [path: string, addresses: (text: string) => readonly (string | undefined)[]])[] = [
  ["mkdocs.yml", (text) => [/^site_url:[ \t]{0,9}["']?(https?:[^\s"'#]{1,200})/m.exec(text)?.[1]]],
  ["pyproject.toml", (text) => fieldsOf(text, ["documentation", "docs", "homepage"])],
  ["Cargo.toml", (text) => fieldsOf(text, ["documentation", "homepage"])],
  ["package.json", (text) => [homepage.exec(text)?.[1]]],
  ["composer.json", (text) => [homepage.exec(text)?.[1]]],
];

/** The files that may name a website. */
export const websiteFiles: readonly string[] = files.map(([path]) => path);

/** Maximum size of these files, in bytes. */
const maxBytes = 200_000;

/** Hosts of repositories and packages, which are not the website of a library. */
const otherHosts = /(?:^|\.)(?:github|gitlab|bitbucket|npmjs|packagist|crates|pypi|codeberg)\.(?:com|org|io)$/;

/** The website that a tree names; undefined without one. */
export async function websiteOf(read: ReadFile): Promise<string | undefined> {
  for (const [path, addresses] of files) {
    const bytes = await read(path);
    if (!bytes || bytes.length > maxBytes) continue;
    const website = addresses(new TextDecoder().decode(bytes)).find((address = "") => isWebsite(address));
    if (website !== undefined) return website;
  }
  return undefined;
}

/** The addresses in these fields of a TOML text. */
function fieldsOf(text: string, names: readonly string[]): readonly (string | undefined)[] {
  const fields = [
    ...text.matchAll(/^"?(documentation|docs|homepage)"?[ \t]{0,9}=[ \t]{0,9}"(https?:[^\s"]{1,200})"/gim),
  ];
  return names.map((name) => fields.find(([, field = ""]) => field.toLowerCase() === name)?.[2]);
}

/** Whether an address may be shown as a library's website: it has no repository host, no credentials and no instructions to agents. */
function isWebsite(address: string): boolean {
  if (!/^https?:\/\/\S{1,200}$/.test(address) || !URL.canParse(address) || screenText(address).length > 0) return false;
  const { hostname, username, password } = new URL(address);
  return !otherHosts.test(hostname) && username === "" && password === "";
}

/** Endings of man pages by section, in a folder for them; elsewhere they are versions. */
const manSections = [".1", ".2", ".3", ".4", ".5", ".6", ".7", ".8"];
const manFolder = /(?:^|\/)(?:man\d?|man-?pages)\/[^/]*$/i;

/** Formats of documentation that are not read, by their lower-case ending. */
const formats: Readonly<Record<string, string>> = {
  ".org": "Org mode",
  ".man": "man pages",
  ...Object.fromEntries(manSections.map((ending) => [ending, "man pages"])),
  ".rdoc": "RDoc",
  ".pod": "Perl's POD",
  ".texi": "Texinfo",
  ".texinfo": "Texinfo",
  ".textile": "Textile",
  ".mediawiki": "MediaWiki",
  ".wiki": "wiki markup",
  ".creole": "Creole",
  ".dita": "DITA",
  ".docbook": "DocBook",
  ".pdf": "PDF",
  ".docx": "Word",
  ".pptx": "PowerPoint",
};

const isNamedUnread = createDocumentTest(Object.keys(formats));
const isUnread = (path: string): boolean => isNamedUnread(path) && (!/\.\d$/.test(path) || manFolder.test(path));

/** Formats of documentation that is kept next to code. */
const besideCode = /\.(?:pod|rdoc)$/i;

/** Maximum number of files that are kept. */
const maxPaths = 200_000;

/** The files of a tree that may be documentation in a format that is not read. */
export interface UnreadFiles {
  readonly paths: readonly string[];
  /** Adds a file if it may be unread documentation. */
  add(path: string): void;
  /** Number of code files among all files passed to `add`. */
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

/** The files that are documentation and that the selection includes. */
export function unreadAmong(
  paths: readonly string[],
  selection: FileSelection,
  options: Omit<SelectOptions, "extensions">,
): readonly string[] {
  const hasFolders = selection.folders.some((folder) => folder.trim() !== "");
  const select = createFileSelector(selection, { ...options, extensions: Object.keys(formats) });
  return select(paths).filter((path) => hasFolders || isDocumentationFile(path, options.within));
}

/** The formats of files with their numbers, such as `78 .textile files (Textile), 2 .adoc files (AsciiDoc)`. */
export function formatsOf(paths: readonly string[]): string {
  return countFormats(paths).map(describe).join(", ");
}

/** The unread documentation in an import, reduced to formats and a website that Lectern could have written; undefined without any. */
export function plainUnread({ formats: text, website, isMost }: Unread): Unread | undefined {
  const known = [...text.matchAll(/(?:^|, )(\d{1,6}) (\.[a-z\d]{1,12}) files? \(/g)].flatMap(
    ([, count = "", ending = ""]) => (Object.hasOwn(formats, ending) ? [describe([ending, Number(count)])] : []),
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
  return isDocumentation(folder, within);
}

/** Sentences about files in formats that are not read. `read`: number of documents that are read. */
export function formatNotes(paths: readonly string[], read: number): string[] {
  if (paths.length === 0) return [];
  if (paths.length > read) {
    const rest =
      read === 0 ? "Nothing else was found" : `Only ${read} ${read === 1 ? "document is" : "documents are"} read`;
    return [`Most of this documentation is in formats that Lectern does not read: ${formatsOf(paths)}. ${rest}.`];
  }
  return countFormats(paths).map((format) => `${describe(format)} ${format[1] === 1 ? "is" : "are"} not read.`);
}

type FormatCount = readonly [ending: string, count: number];

/** The number of files of each format, the most frequent first. */
function countFormats(paths: readonly string[]): readonly FormatCount[] {
  const groups = Map.groupBy(paths, (path) => path.slice(path.lastIndexOf(".")).toLowerCase());
  const counts = Array.from(groups, ([ending, { length }]): FormatCount => [ending, length]);
  return counts.toSorted(([name, one], [ending, other]) => other - one || (name < ending ? -1 : 1));
}

function describe([ending, count]: FormatCount): string {
  return `${count} ${ending} ${count === 1 ? "file" : "files"} (${formats[ending] ?? ""})`;
}
