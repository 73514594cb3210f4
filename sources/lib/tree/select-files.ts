import type { FileSelection } from "../../../domain/source.ts";
import { omit } from "./omissions.ts";
import type { Omission, Omitted } from "./omissions.ts";
import { createFileMatcher, createFolderMatcher, createMatcher, createNamedTest } from "./patterns.ts";
import {
  folderOf,
  nameOf,
  contentsOf,
  join,
  toFolders,
  withoutFolders,
  isAmongPackages,
  isCode,
  isDocumentation,
  isReference,
} from "./paths.ts";
import { dropOldVersions } from "./old-versions.ts";
import { dropTranslations } from "./translations.ts";

/**
 * Names of files that are left out by default: first those that context7.json leaves out, then those for contributors and agents, and
 * text files that are not documents.
 */
const files: readonly string[] = [
  "CHANGELOG.md",
  "CHANGELOG.mdx",
  "LICENSE.md",
  "CODE_OF_CONDUCT.md",
  "code_of_conduct.md",
  "PULL_REQUEST_TEMPLATE.md",
  "pull_request_template.md",
  "ISSUE_TEMPLATE.md",
  "AGENTS.md",
  "CLAUDE.md",
  "GEMINI.md",
  "copilot-instructions.md",
  "CMakeLists.txt",
  "output.txt",
  "requirements*.txt",
  "constraints*.txt",
  "robots.txt",
  "*wordlist*.txt",
  "LICENSE*.txt",
  "COPYING.txt",
  "NOTICE.txt",
];

/** Left out except in documentation, where they may be about a command or feature of that name. */
const filesElsewhere: readonly string[] = ["changelog.md", "changelog.mdx", "license.md"];

const tools: readonly string[] = ["node_modules", "./dist", "./archetypes"];
/** Left out except in documentation, where they may be a subject. */
const toolsOfCode: readonly string[] = ["./scripts", "./playground", "./playgrounds"];
const testsOfCode: readonly string[] = ["./e2e", "./cypress"];
const tests: readonly string[] = [
  "__tests__",
  "__e2e__",
  "__mocks__",
  "__fixtures__",
  "__snapshots__",
  "**/test/fixtures",
  "**/tests/fixtures",
  "test-data",
  "testdata",
];
const changes = /^(?:changelogs?|release-notes|release_notes|releasenotes|LICENSES)$/;

/** Hidden folders have settings of tools and instructions for agents; .github at times has a README. */
const hidden = /^\.(?!github$)/;

/** Folders of tests and fixtures, outside of documentation. */
const testNames = /^(?:tests?|fixtures?|snapshots|goldens?|evals)$/;

const old = /^(?:archive|archives|archived|deprecated|legacy|previous|outdated|superseded)$/;
/** Words that make a folder old together with one of those: `archived-docs`, `deprecated-api`, `v1-legacy`. */
const ofDocuments =
  /^(?:docs?|documents?|documentation|apis?|references?|guides?|tutorials?|versions?|releases?|pages?|contents?|website|site|wiki|manual|posts?|articles?|blog|files|my|the|of|and|\d+|v\d+|x)$/;

/** The name of a tree, and whether it consists of documentation by its content. */
interface TreeKind {
  readonly within: string;
  readonly isDocumentation: boolean;
}

/** Why a folder's documents are left out, by its path; undefined where they are not. */
function whyFolder(folder: string, { within, isDocumentation: isWhole }: TreeKind): Omission | undefined {
  const name = nameOf(folder);
  const parent = folderOf(folder);
  if (hidden.test(name) || nameOf(parent) === ".github") return "tools";
  if (isAmongPackages(parent)) return undefined;
  if (changes.test(name)) return "changes";
  const isSubject = isWhole && /^tests?$/.test(name);
  if (testNames.test(name) && !isSubject && !isDocumentation(parent, within)) return "tests";
  if (name === "prompts" && isCode(parent) && !isDocumentation(parent, within)) return "tests";
  if (name === "old") return "old";
  const words = name.split(/[-_. ]/);
  const others = words.filter((word) => !old.test(word));
  if (others.length === words.length || !others.every((word) => ofDocuments.test(word.toLowerCase()))) return undefined;
  // In a reference `archive` is an operation of an API.
  return /^archives?$/.test(name) && isReference(parent) ? undefined : "old";
}

/** Why a document is left out by default; undefined where it is not. */
type DefaultExclusions = (path: string) => Omission | undefined;

/**
 * Creates the function that says which documents are left out by default; those in folders that are `asked` for by name are not.
 */
function createDefaultExclusions(asked: (folder: string) => boolean, tree: TreeKind): DefaultExclusions {
  const { within } = tree;
  const isWhole = tree.isDocumentation || isDocumentation("", within);
  const isFile = createMatcher(files);
  const isFileElsewhere = createMatcher(filesElsewhere);
  const isForTools = createFolderMatcher(isWhole ? tools : [...tools, ...toolsOfCode], asked);
  const isForTests = createFolderMatcher(isWhole ? tests : [...tests, ...testsOfCode], asked);
  const known = new Map<string, Omission | undefined>();
  const whyBelow = (folder: string): Omission | undefined => {
    if (folder === "" || asked(folder)) return undefined;
    if (known.has(folder)) return known.get(folder);
    const why =
      whyBelow(folderOf(folder)) ??
      whyFolder(folder, tree) ??
      (isForTools(folder) ? "tools" : isForTests(folder) ? "tests" : undefined);
    known.set(folder, why);
    return why;
  };
  return (path) => {
    const name = nameOf(path);
    const folder = folderOf(path);
    if (isFile(name) || (isFileElsewhere(name) && (folder === "" || !isDocumentation(folder, within)))) return "names";
    return whyBelow(folder);
  };
}

/** Folders that sites keep news in. */
const names = new Set(["blog", "_posts", "posts", "news", "announcements"]);
/** A document named after the day or month it was written on, or in a folder named after the year. */
const dated = /(?:^|\/)(?:19|20)\d\d(?:[-_.]\d\d|\/)/;
const minDated = 3;

/** Guides to upgrades are kept even among news. */
const guide = /(?:^|[-_./])(?:upgrad|migrat)/i;
/** Beside one of these folders a blog is that of a site, even without dates. */
const documentation = new Set(["docs", "doc", "documentation"]);
/** Folders of example sites, whose blogs show how to make one. */
const examples = /(?:^|\/)(?:examples?|templates?|starters?|demos?|samples?)(?:\/|$)/i;

/**
 * Leaves out folders of news: those named like a blog where at least half of the documents have a date in their paths, or that are
 * beside the documentation of a site. Kept are guides to upgrades, folders that are `asked` for by name, and everything if only files
 * at the root would be left.
 */
function dropNews(paths: readonly string[], asked: (folder: string) => boolean = () => false): string[] {
  const besides = new Set<string>();
  const found = [...toFolders(paths)].flatMap(([parent, inside]) => {
    const isSite =
      [...inside].some((name) => documentation.has(name)) && !examples.test(parent) && !isAmongPackages(parent);
    return [...inside]
      .filter((name) => names.has(name.toLowerCase()))
      .map((name) => {
        const folder = join(parent, name);
        if (isSite) besides.add(folder);
        return folder;
      });
  });
  if (found.length === 0) return [...paths];
  const dropped = new Set<string>();
  for (const [folder, inside] of contentsOf(found, paths)) {
    const days = inside.filter((path) => dated.test(path)).length;
    if (((days >= minDated && days * 2 >= inside.length) || besides.has(folder)) && !asked(folder)) dropped.add(folder);
  }
  const left = new Set(withoutFolders(paths, dropped));
  if (![...left].some((path) => path.includes("/"))) return [...paths];
  return paths.filter((path) => left.has(path) || guide.test(nameOf(path)));
}

/** What selecting files depends on besides the patterns. */
export interface SelectOptions {
  /** Keep folders that document older versions. */
  readonly skipVersionFiltering: boolean;
  /** Endings of document names in lower case, with the dot. */
  readonly extensions: readonly string[];
  /** The name of the tree: in one for documentation `test` is a subject. */
  readonly within: string;
  /** The tree consists of documentation by its content, whatever its name. */
  readonly isDocumentation?: boolean;
}

/** Chooses the documents among paths, in their order; those that are left out by default are counted in `omitted`. */
export type FileSelector = (paths: readonly string[], omitted?: Omitted) => string[];

/**
 * Creates the function that chooses the documents among a tree's paths.
 *
 * `excludeFolders` wins over `folders`; Markdown at the root is always included. A bare name is a folder at any depth, `./x` one at the
 * root, `a/b` a path from the root; `*`, `?`, `[...]` and `**` are globs; case matters. A pattern with a folder and the ending of a
 * document is for files. `excludeFiles` has whole file names.
 *
 * The defaults apply without either exclusion. Old versions and translations are left out, unless exclusions are given and all are
 * empty. Folders that `folders` names literally are exempt from all three.
 * @throws Failure validation_error for a pattern that would take too long to match
 */
export function createFileSelector(
  selection: FileSelection,
  { skipVersionFiltering, extensions, within, isDocumentation = false }: SelectOptions,
): FileSelector {
  const { folders, excludeFolders, excludeFiles } = selection;
  const usesDefaults = excludeFolders === null && excludeFiles === null;
  const wantsTranslations = !usesDefaults && [...(excludeFolders ?? []), ...(excludeFiles ?? [])].length === 0;
  const isDocument = createDocumentTest(extensions);
  const isNamed = createNamedTest(folders);
  const whyByDefault: DefaultExclusions = usesDefaults
    ? createDefaultExclusions(isNamed, { within, isDocumentation })
    : () => undefined;
  const isExcludedFolder = createFolderMatcher(excludeFolders ?? []);
  const isExcludedPath = createFileMatcher(excludeFolders ?? [], isDocument);
  const isExcludedFile = createMatcher(excludeFiles ?? []);
  const isWhole = folders.every((folder) => folder.trim() === "");
  const isWanted = isWhole ? () => true : createFolderMatcher(folders);
  const isWantedPath = createFileMatcher(folders, isDocument);

  return (paths, omitted) => {
    const wanted = paths.filter((path) => {
      if (!isDocument(path) || isExcludedFile(nameOf(path)) || isExcludedPath(path)) return false;
      const folder = folderOf(path);
      if (folder === "") return isWhole || isMarkdown(path);
      return (isWanted(folder) || isWantedPath(path)) && !isExcludedFolder(folder);
    });
    const chosen = wanted.filter((path) => {
      const why = whyByDefault(path);
      if (why !== undefined) omit(omitted, why);
      return why === undefined;
    });
    const without = (why: Omission, before: readonly string[], left: readonly string[]): readonly string[] => {
      omit(omitted, why, before.length - left.length);
      return left;
    };
    const lasting = usesDefaults ? without("news", chosen, dropNews(chosen, isNamed)) : chosen;
    const current = skipVersionFiltering ? lasting : without("versions", lasting, dropOldVersions(lasting, isNamed));
    return wantsTranslations ? [...current] : [...without("translations", current, dropTranslations(current, isNamed))];
  };
}

/** Creates the test whether a path has one of the endings, which are in lower case, with the dot. */
export function createDocumentTest(extensions: readonly string[]): (path: string) => boolean {
  const known = new Set(extensions);
  return (path) => {
    const dot = path.lastIndexOf(".");
    return dot >= 0 && known.has(path.slice(dot).toLowerCase());
  };
}

const isMarkdown = createDocumentTest([".md", ".mdx", ".markdown"]);
