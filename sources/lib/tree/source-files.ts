import type { FileSelection } from "../../../domain/source.ts";
import { mediaTypeOf, sourceFileType, sourceTypeOf } from "../../../extract/formats.ts";
import { holdsKey, whyRefused } from "../../../extract/includes/includable-files.ts";
import { folderOf, nameOf } from "./paths.ts";
import { createFileSelector, type SelectOptions } from "./select-files.ts";

/** Number of written documents from which sources are not read, unless they are requested. */
const enoughDocuments = 5;
/** Maximum number of sources that are read, of those that a tree may list, and of examples. */
const maxSources = 1000;
const maxListed = 50_000;
const maxExamples = 100;
/** Maximum number of lines of an example: a longer file is a program. */
const maxLines = 150;
/** Maximum size of a source in bytes, and mean length of its lines: larger ones are generated. */
const maxBytes = 300_000;
const maxLineLength = 200;
/** Maximum size of all sources that are read, in bytes. */
export const maxSourceBytes = 30_000_000;

const exampleFolders = /(?:^|\/)_?(?:examples?|samples?|demos?)\//i;
/** Files in the folders of examples that are not examples. */
const noExamples =
  /(?:^|\/)(?:tests?|__tests__|node_modules|vendor|build|dist|snapshots|\.[^/]*)\/|(?:_test\.go|[._]test\.[cm]?[jt]sx?|(?:__init__|setup|conftest)\.py|build\.rs|\.(?:config|setup)\.[cm]?[jt]s)$/;

/** Whether a file is an example, by its path. */
export function isExample(path: string): boolean {
  return exampleFolders.test(path) && isCode(path) && !noExamples.test(path);
}

/** Files of programs: a language's sources, and those that its headers go with; declarations are none. */
function isCode(path: string): boolean {
  return !/\.d\.[cm]?ts$/.test(path) && (sourceTypeOf(path) !== undefined || /\.(?:c|cc|cpp|cxx)$/.test(path));
}

/** The examples among paths, sorted. */
export function examplesOf(paths: readonly string[]): readonly string[] {
  return paths.filter(isExample).toSorted().slice(0, maxExamples);
}

/** Whether an example is short enough to be read. */
export function isShort(bytes: Uint8Array): boolean {
  return countLines(bytes) <= maxLines;
}

function countLines(bytes: Uint8Array): number {
  let lines = 1;
  for (const byte of bytes) if (byte === 10) lines += 1;
  return lines;
}

/** Folders of what is not for users of a library, and of copies of other libraries. */
const otherFolders =
  /(?:^|\/)(?:[._][^/]*|(?:unit|integration|functional)?[-_]?tests?|[^/]*[-_.]tests?|[^/]*Tests|testing|test[-_]?(?:data|utils?|helpers?|support|suite|fixtures)|specs?|fixtures?|mocks?|stubs|__\w+__|e2e|cypress|snapshots|goldens?|bench(?:es|marks?)?|fuzz\w*|vendor(?:ed)?|third[-_]?party|3rdparty|externals?|extern|deps|node_modules|bower_components|dist|obj|coverage|internals?|private|impl|detail|docs?|documentation|website|migrations?|gen|generated|autogen|pb|proto|protos|locales?|i18n|public|assets|static|templates?|playgrounds?|sandbox|legacy|archived?|deprecated)\/|^(?:build|out|target|bin|scripts?|tools?|tasks|ci|contrib|site|www)\//i;
const otherFiles =
  /^(?:[._].*|(?:setup|conftest|noxfile|tasks|fabfile|build|test_.*|.*_tests?)\.py|(?:build|tests?)\.rs|(?:gulp|grunt|rake|cake)file\..*|package-info\.java|module-info\.java|AssemblyInfo\.cs|.*_(?:test|spec)\.(?:go|rb)|.*\.(?:designer|g|generated)\.cs|.*[._-](?:pb|pb2|pb2_grpc|grpc|gen|generated|min|bundle|umd|esm|cjs|test|tests|spec|stories|config|setup|bench|test-d|fixture)\.\w*|.*_generated\..*)$/i;
/** Tests by the names of their classes. */
const testClasses = /(?:Tests?|TestCase|IT)\.(?:java|cs|php)$/;
/** Examples of Go are in its tests. */
const goExamples = /(?:^|\/|_)examples?(?:_[^/]*)?_test\.go$/;

/** Files of a tree that may be sources to read. */
export interface SourceNames {
  readonly paths: readonly string[];
  /** Adds a file if its path is that of a source, and returns whether it is. */
  add(path: string): boolean;
}

/** Creates the collection for one tree. */
export function createSourceNames(): SourceNames {
  const paths: string[] = [];
  return {
    paths,
    add(path) {
      if (
        paths.length >= maxListed ||
        whyRefused(path) !== undefined ||
        !(isExample(path) || (sourceTypeOf(path) !== undefined && isSource(path)))
      )
        return false;
      paths.push(path);
      return true;
    },
  };
}

function isSource(path: string): boolean {
  if (otherFolders.test(path) || testClasses.test(path)) return false;
  // Whether modules of Python that begin so are private depends on the others.
  const name = nameOf(path).replace(/^_{1,2}(?=[a-z]\w{0,100}\.pyi?$)/, "");
  return !otherFiles.test(name) || goExamples.test(path);
}

/** The media type of a page in a tree: of a document, an example or a source; "" for other files. */
export function pageTypeOf(path: string): string {
  return mediaTypeOf(path) || (isExample(path) ? sourceFileType : (sourceTypeOf(path) ?? ""));
}

/** First words of the names of documents about the project, which say nothing about its use. */
const projectWords = new Set(
  (
    "changes changelog history news release releases releasing contribute contributing contributors security support governance " +
    "maintainers authors credits owners codeowners roadmap todo notice patents backers sponsors upgrade upgrading migration " +
    "requirements version pull issue copying license licence code"
  ).split(" "),
);

/** Whether a document is about the use of a library, by its path. */
function isWritten(path: string): boolean {
  const [word = ""] = nameOf(path)
    .toLowerCase()
    .split(/[-_. ]/, 1);
  return !projectWords.has(word) && !`/${path}`.includes("/.");
}

/**
 * The sources and examples to read, those near the root first, if they are requested, or if few documents are written. `documents`:
 * those that are read.
 */
export function chooseSources(
  paths: readonly string[],
  documents: readonly string[],
  selection: FileSelection,
  options: SelectOptions,
): readonly string[] {
  const written = documents.filter(isWritten).length;
  const wanted = selection.generateDocs ?? written < enoughDocuments;
  if (!wanted || paths.length === 0) return [];
  const extensions = [...new Set(paths.map((path) => path.slice(path.lastIndexOf(".")).toLowerCase()))];
  const selected = createFileSelector(selection, { ...options, extensions })(paths);
  const examples = examplesOf(selected);
  const sources = withoutTwins(selected.filter((path) => !isExample(path)));
  return [...withoutPrivate(sources).toSorted(byDepth).slice(0, maxSources), ...examples];
}

/** Sources without those that have a declaration beside them, and stubs of modules that are there. */
function withoutTwins(paths: readonly string[]): readonly string[] {
  const all = new Set(paths);
  return paths.filter((path) => {
    const stem = path.replace(/\.(?:d\.[cm]?ts|[cm]?[jt]sx?|pyi)$/, "");
    if (path.endsWith(".pyi")) return !all.has(`${stem}.py`);
    if (/\.d\.[cm]?ts$/.test(path)) return ![".ts", ".tsx", ".mts"].some((ending) => all.has(stem + ending));
    if (!/\.[cm]?jsx?$/.test(path)) return true;
    return ![".ts", ".tsx", ".mts", ".d.ts", ".d.mts"].some((ending) => all.has(stem + ending));
  });
}

/** Python's modules named `_x` are private, unless a folder has hardly any others: then these are its API. */
function withoutPrivate(paths: readonly string[]): readonly string[] {
  const isModule = (path: string): boolean => /\.pyi?$/.test(path) && !nameOf(path).startsWith("__");
  const folders = Map.groupBy(paths.filter(isModule), folderOf);
  const isPrivate = (path: string): boolean => nameOf(path).startsWith("_");
  return paths.filter((path) => {
    if (!isModule(path) || !isPrivate(path)) return true;
    const own = folders.get(folderOf(path)) ?? [];
    return own.filter(isPrivate).length * 2 > own.length;
  });
}

function byDepth(one: string, other: string): number {
  return one.split("/").length - other.split("/").length || (one < other ? -1 : 1);
}

const generated = /\bDO NOT EDIT\b|@generated\b|\bauto-?generated\b|\bautomatically generated\b|\bcode generated\b/i;

/** Whether a chosen source may be read: it is neither generated, minified nor, as an example, long, and has no private key. */
export function isWantedSource(mediaType: string, bytes: Uint8Array): boolean {
  if (mediaType === sourceFileType && !isShort(bytes)) return false;
  if (bytes.length > maxBytes || bytes.length > maxLineLength * countLines(bytes)) return false;
  const text = Buffer.from(bytes).toString("latin1");
  return !generated.test(text.slice(0, 1500)) && !holdsKey(text);
}
