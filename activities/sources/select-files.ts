import type { FileSelection } from "../../domain/source.ts";
import { dropNews } from "./news.ts";
import { createFileMatcher, createFolderMatcher, createMatcher, createNamedTest } from "./patterns.ts";
import { dropOldVersions } from "./sibling-folders.ts";
import { dropTranslations } from "./translations.ts";

/** What selecting files depends on beside the patterns. */
export interface SelectOptions {
  /** Keep folders that document older versions. */
  readonly skipVersionFiltering: boolean;
  /** Endings of document names in lower case, with the dot. */
  readonly extensions: readonly string[];
  /** What the tree is called, a folder or a repository: in one for documentation `test` is a subject. */
  readonly within: string;
}

/**
 * The names of files that are left out unless the selection says otherwise: those of context7.json, and behind them
 * what is written for those who work on a repository, people and agents.
 */
const defaultExcludedFiles: readonly string[] = [
  "CHANGELOG.md",
  "changelog.md",
  "CHANGELOG.mdx",
  "changelog.mdx",
  "LICENSE.md",
  "license.md",
  "CODE_OF_CONDUCT.md",
  "code_of_conduct.md",
  "PULL_REQUEST_TEMPLATE.md",
  "pull_request_template.md",
  "ISSUE_TEMPLATE.md",
  "AGENTS.md",
  "CLAUDE.md",
  "GEMINI.md",
  "copilot-instructions.md",
  // Text that is not for reading.
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

const translations = [
  "zh",
  "es",
  "fr",
  "de",
  "ja",
  "ko",
  "ru",
  "pt",
  "it",
  "ar",
  "hi",
  "tr",
  "nl",
  "pl",
  "sv",
  "vi",
  "th",
];

/**
 * The folders that are left out unless the selection says otherwise: those of context7.json, and behind them what it
 * misses: translations in other places, tests and what they use, installed packages.
 */
const defaultExcludedFolders: readonly string[] = [
  "*archive*",
  "*archived*",
  "old",
  "docs/old",
  "*deprecated*",
  "*legacy*",
  "*previous*",
  "*outdated*",
  "*superseded*",
  ...translations.map((language) => `i18n/${language}*`),
  "zh-cn",
  "zh-tw",
  "zh-hk",
  "zh-mo",
  "zh-sg",
  ...translations.map((language) => `**/i18n/${language}*`),
  "translated_docs",
  "./e2e",
  "__tests__",
  "__e2e__",
  "__mocks__",
  "__fixtures__",
  "**/test/fixtures",
  "**/tests/fixtures",
  "./cypress",
  "./playground",
  "./playgrounds",
  "test-data",
  "testdata",
  "node_modules",
  "changelog",
  "changelogs",
  "release-notes",
  "release_notes",
  "releasenotes",
  "LICENSES",
  "./dist",
  "./archetypes",
  "./scripts",
];

/**
 * Makes the function that chooses the documents among a tree's paths, in the order given.
 *
 * `excludeFolders` wins over `folders`; Markdown at the root is in whatever `folders` says. A pattern that is a bare
 * name stands for folders of that name at any depth, `./x` for one at the root, `a/b` for a path from the root;
 * `*`, `?`, `[...]` and `**` are globs; upper and lower case differ. A pattern with a folder and the ending of a
 * document stands for files. Names of `excludeFiles` are whole file names.
 *
 * The defaults apply where neither exclusion is given; old versions and translations are left out unless an exclusion
 * is given as an empty list and none has an entry. None of the three touches folders that `folders` names word for word.
 * @throws Failure validation_error for a pattern that would take too long to match
 */
export function createFileSelector(
  selection: FileSelection,
  { skipVersionFiltering, extensions, within }: SelectOptions,
): (paths: readonly string[]) => string[] {
  const { folders, excludeFolders, excludeFiles } = selection;
  const usesDefaults = excludeFolders === null && excludeFiles === null;
  const wantsTranslations = !usesDefaults && [...(excludeFolders ?? []), ...(excludeFiles ?? [])].length === 0;
  const isDocument = createDocumentTest(extensions);
  const isNamed = createNamedTest(folders);
  const isExcludedFolder = usesDefaults
    ? createFolderMatcher(defaultExcludedFolders, isNamed)
    : createFolderMatcher(excludeFolders ?? []);
  const isExcludedPath = createFileMatcher(excludeFolders ?? [], isDocument);
  const isExcludedFile = createMatcher(excludeFiles ?? (usesDefaults ? defaultExcludedFiles : []));
  const isWhole = folders.every((folder) => folder.trim() === "");
  const isWanted = isWhole ? () => true : createFolderMatcher(folders);
  const isWantedPath = createFileMatcher(folders, isDocument);

  return (paths) => {
    const chosen = paths.filter((path) => {
      const slash = path.lastIndexOf("/");
      if (!isDocument(path) || isExcludedFile(path.slice(slash + 1)) || isExcludedPath(path)) return false;
      if (slash < 0) return isWhole || isMarkdown(path);
      const folder = path.slice(0, slash);
      if (usesDefaults && (hidden.test(folder) || isTests(folder, within)) && !isNamed(folder)) return false;
      return (isWanted(folder) || isWantedPath(path)) && !isExcludedFolder(folder);
    });
    const lasting = usesDefaults ? dropNews(chosen, isNamed) : chosen;
    const current = skipVersionFiltering ? lasting : dropOldVersions(lasting, isNamed);
    return wantsTranslations ? current : dropTranslations(current, isNamed);
  };
}

/** Settings of tools, and instructions for agents. Of these folders only .github has documents for people, a README at times. */
const hidden = /(?:^|\/)\.(?!github$)/;

/** Names of folders for documentation, and of repositories that are documentation as a whole. */
const documentation = /docs?\b|documentation|content|guide|manual|handbook|book|wiki|site/i;
const documentationAsAWhole =
  /(?:^|[-_.])(?:docs?|documentation|guides?|manual|handbook|book|wiki|website|site)(?:$|[-_.])/i;

/** True below `test` or `tests`, unless that stands in a place for documentation, where it is a subject of it. */
function isTests(folder: string, within: string): boolean {
  const at = folder.search(/(?:^|\/)tests?(?:\/|$)/);
  return at >= 0 && !documentation.test(folder.slice(0, at)) && !documentationAsAWhole.test(within);
}

/** Makes the test whether a path is named like a document; `extensions` are in lower case, with the dot. */
export function createDocumentTest(extensions: readonly string[]): (path: string) => boolean {
  const known = new Set(extensions);
  return (path) => {
    const dot = path.lastIndexOf(".");
    return dot >= 0 && known.has(path.slice(dot).toLowerCase());
  };
}

const isMarkdown = createDocumentTest([".md", ".mdx", ".markdown"]);
