import type { FileSelection } from "../../../domain/source.ts";
import { omit, type Omission, type Omitted } from "./omissions.ts";
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
import { withoutOtherHtml } from "./html-pages.ts";
import { dropOldVersions } from "./old-versions.ts";
import { dropTranslations } from "./translations.ts";

/** Names of files that are left out by default: the defaults of context7.json, files for agents, text files that are not documents. */
const files: readonly string[] = (
  "CHANGELOG.*,LICENSE.*,CODE_OF_CONDUCT.*,code_of_conduct.*,PULL_REQUEST_TEMPLATE.md," +
  "pull_request_template.md,ISSUE_TEMPLATE.md,AGENTS.md,CLAUDE.md,GEMINI.md,copilot-instructions.md," +
  "CMakeLists.txt,output.txt,requirements*.txt,constraints*.txt,robots.txt,*wordlist*.txt,LICENSE*.txt," +
  "COPYING.txt,NOTICE.txt"
).split(",");

/** Left out except in documentation, where they may describe a command or feature of that name. */
const filesElsewhere: readonly string[] = ["changelog.*", "license.*"];

const tools: readonly string[] = ["node_modules", "./dist", "./archetypes"];
/** Left out except in documentation, where they may be a subject. */
const toolsOfCode: readonly string[] = ["./scripts", "./playground", "./playgrounds"];
/** Left out except in documentation, as above. */
const testsOfCode: readonly string[] = ["./e2e", "./cypress"];
const tests: readonly string[] =
  "__tests__,__e2e__,__mocks__,__fixtures__,__snapshots__,**/test/fixtures,**/tests/fixtures,test-data,testdata".split(
    ",",
  );
const changes = /^(?:changelogs?|release-notes|release_notes|releasenotes|LICENSES)$/;

/** Hidden folders have settings of tools and instructions for agents; .github at times has a README. */
const hidden = /^\.(?!github$)/;

/** Folders of tests and fixtures, outside of documentation. */
const testNames = /^(?:tests?|fixtures?|snapshots|goldens?|evals)$/;

const old = /^(?:archive|archives|archived|deprecated|legacy|previous|outdated|superseded)$/;
/** Words that may accompany these in the name of an old folder: `archived-docs`, `deprecated-api`, `v1-legacy`. */
const documentWords =
  /^(?:docs?|documents?|documentation|apis?|references?|guides?|tutorials?|versions?|releases?|pages?|contents?|website|site|wiki|manual|posts?|articles?|blog|files|my|the|of|and|\d+|v\d+|x)$/;

/** The name of a tree, and whether it consists of documentation by its content. */
interface TreeKind {
  readonly within: string;
  readonly isDocumentation: boolean;
}

/** Why a folder's documents are left out, by its path; undefined if they are kept. */
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
  if (others.length === words.length || !others.every((word) => documentWords.test(word.toLowerCase())))
    return undefined;
  // In a reference `archive` is an operation of an API.
  return /^archives?$/.test(name) && isReference(parent) ? undefined : "old";
}

/** Returns why a document is left out by default; undefined if it is kept. */
type DefaultExclusions = (path: string) => Omission | undefined;

/** Creates the function that decides which documents are left out by default. Folders that are `requested` by name are exempt. */
function createDefaultExclusions(requested: (folder: string) => boolean, tree: TreeKind): DefaultExclusions {
  const { within } = tree;
  const isWhole = tree.isDocumentation || isDocumentation("", within);
  const isFile = createMatcher(files);
  const isFileElsewhere = createMatcher(filesElsewhere);
  const isForTools = createFolderMatcher(isWhole ? tools : [...tools, ...toolsOfCode], requested);
  const isForTests = createFolderMatcher(isWhole ? tests : [...tests, ...testsOfCode], requested);
  const reasons = new Map<string, Omission | undefined>();
  /** Why the folder or one of its parents is left out. */
  const whyInside = (folder: string): Omission | undefined => {
    if (folder === "" || requested(folder)) return undefined;
    if (reasons.has(folder)) return reasons.get(folder);
    const why =
      whyInside(folderOf(folder)) ??
      whyFolder(folder, tree) ??
      (isForTools(folder) ? "tools" : isForTests(folder) ? "tests" : undefined);
    reasons.set(folder, why);
    return why;
  };
  return (path) => {
    const name = nameOf(path);
    const folder = folderOf(path);
    if (isFile(name) || (isFileElsewhere(name) && (folder === "" || !isDocumentation(folder, within)))) return "names";
    return whyInside(folder);
  };
}

const newsNames = new Set(["blog", "_posts", "posts", "news", "announcements"]);
/** A document with the day or month in its name, or in a folder named by the year. */
const dated = /(?:^|\/)(?:19|20)\d\d(?:[-_.]\d\d|\/)/;
const minDated = 3;

/** Guides to upgrades are kept even among news. */
const guide = /(?:^|[-_./])(?:upgrad|migrat)/i;
/** A blog next to one of these folders is that of a site, even without dates. */
const documentation = new Set(["docs", "doc", "documentation"]);
/** Folders of example sites, whose blogs show how to write one. */
const examples = /(?:^|\/)(?:examples?|templates?|starters?|demos?|samples?)(?:\/|$)/i;

/**
 * Drops folders of news: folders named like a blog if at least half of their documents have a date in their paths, or if the
 * documentation of a site is next to them. Keeps guides to upgrades, folders that are `requested` by name, and everything if only files
 * at the root would be left.
 */
function dropNews(paths: readonly string[], requested: (folder: string) => boolean): string[] {
  /** Folders named like a blog, and whether they belong to a site. */
  const blogs = new Map<string, boolean>();
  for (const [parent, names] of toFolders(paths)) {
    const isSite =
      [...names].some((name) => documentation.has(name)) && !examples.test(parent) && !isAmongPackages(parent);
    for (const name of names) if (newsNames.has(name.toLowerCase())) blogs.set(join(parent, name), isSite);
  }
  if (blogs.size === 0) return [...paths];
  const dropped = new Set<string>();
  for (const [folder, inside] of contentsOf(blogs.keys(), paths)) {
    const days = inside.filter((path) => dated.test(path)).length;
    const isDated = days >= minDated && days * 2 >= inside.length;
    if ((isDated || blogs.get(folder)) && !requested(folder)) dropped.add(folder);
  }
  const kept = new Set(withoutFolders(paths, dropped));
  if (![...kept].some((path) => path.includes("/"))) return [...paths];
  return paths.filter((path) => kept.has(path) || guide.test(nameOf(path)));
}

/** Options for selecting files, besides the patterns. */
export interface SelectOptions {
  /** Keep folders that document older versions. */
  readonly skipVersionFiltering: boolean;
  /** Endings of document names in lower case, with the dot. */
  readonly extensions: readonly string[];
  /** The name of the tree. If it suggests documentation, `test` is a subject. */
  readonly within: string;
  /** The version of the latest release, if the tree names one. */
  readonly latest?: string;
  /** The tree consists of documentation by its content, whatever its name. */
  readonly isDocumentation?: boolean;
}

/** Chooses the documents among paths, in their order; counts documents that are left out by default in `omitted`. */
export type FileSelector = (paths: readonly string[], omitted?: Omitted) => string[];

/**
 * Creates the function that chooses the documents among a tree's paths.
 *
 * `excludeFolders` wins over `folders`; Markdown at the root is always included. A bare name is a folder at any depth, `./x` a folder at
 * the root, `a/b` a path from the root; `*`, `?`, `[...]` and `**` are globs; case matters. A pattern with a folder and the ending of a
 * document is for files. `excludeFiles` has whole file names.
 *
 * The default exclusions apply if both lists are null. Translations are left out unless exclusions are given and all are empty; old
 * versions, unless `skipVersionFiltering`. Folders that `folders` names literally are exempt from all three.
 * @throws Failure validation_error for a pattern that would take too long to match
 */
export function createFileSelector(
  selection: FileSelection,
  { skipVersionFiltering, extensions, within, latest, isDocumentation = false }: SelectOptions,
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
    const wantsHtml = isDocumentation || !isWhole;
    const wanted = withoutOtherHtml(paths, within, wantsHtml).filter((path) => {
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
    const without = (why: Omission, before: readonly string[], kept: readonly string[]): readonly string[] => {
      omit(omitted, why, before.length - kept.length);
      return kept;
    };
    const lasting = usesDefaults ? without("news", chosen, dropNews(chosen, isNamed)) : chosen;
    const current = skipVersionFiltering
      ? lasting
      : without("versions", lasting, dropOldVersions(lasting, isNamed, latest));
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

const isMarkdown = createDocumentTest([".md", ".mdx", ".markdown", ".rst"]);
