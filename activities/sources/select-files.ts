import picomatch from "picomatch";
import { Failure } from "../../domain/failures.ts";
import type { FileSelection } from "../../domain/source.ts";
import { dropForeignLanguages, dropOldVersions } from "./sibling-folders.ts";

/** What selecting files depends on beside the patterns. */
export interface SelectOptions {
  /** Keep folders that document older versions. */
  readonly skipVersionFiltering: boolean;
  /** Endings of document names in lower case, with the dot. */
  readonly extensions: readonly string[];
}

/** The names of files that are left out unless the selection says otherwise, as context7.json has it. */
const defaultExcludedFiles: readonly string[] = [
  "CHANGELOG.md",
  "changelog.md",
  "CHANGELOG.mdx",
  "changelog.mdx",
  "LICENSE.md",
  "license.md",
  "CODE_OF_CONDUCT.md",
  "code_of_conduct.md",
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
 * misses: translations in other places, test fixtures, installed packages.
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
  "__fixtures__",
  "**/test/fixtures",
  "**/tests/fixtures",
  "node_modules",
];

/**
 * Makes the function that chooses the documents among a tree's paths, in the order given.
 *
 * `excludeFolders` wins over `folders`; Markdown at the root is in whatever `folders` says. A pattern that is a bare
 * name stands for folders of that name at any depth, `./x` for one at the root, `a/b` for a path from the root;
 * `*`, `?`, `[...]` and `**` are globs; upper and lower case differ. Names of `excludeFiles` are whole file names.
 * @throws Failure validation_error for a pattern that would take too long to match
 */
export function createFileSelector(
  selection: FileSelection,
  { skipVersionFiltering, extensions }: SelectOptions,
): (paths: readonly string[]) => string[] {
  const usesDefaults = selection.excludeFolders === null && selection.excludeFiles === null;
  const isExcludedFolder = createFolderMatcher(
    selection.excludeFolders ?? (usesDefaults ? defaultExcludedFolders : []),
  );
  const isExcludedFile = matchAny(selection.excludeFiles ?? (usesDefaults ? defaultExcludedFiles : []));
  const isWhole = selection.folders.every((folder) => folder.trim() === "");
  const isWanted = isWhole ? () => true : createFolderMatcher(selection.folders);
  const isDocument = createDocumentTest(extensions);

  return (paths) => {
    const chosen = paths.filter((path) => {
      const slash = path.lastIndexOf("/");
      if (!isDocument(path) || isExcludedFile(path.slice(slash + 1))) return false;
      if (slash < 0) return isWhole || isMarkdown(path);
      const folder = path.slice(0, slash);
      return isWanted(folder) && !isExcludedFolder(folder);
    });
    const current = skipVersionFiltering ? chosen : dropOldVersions(chosen);
    return usesDefaults ? dropForeignLanguages(current, translations) : current;
  };
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

/** Makes the test whether a folder, or one above it, fits a pattern. Each folder is matched once. */
function createFolderMatcher(patterns: readonly string[]): (folder: string) => boolean {
  const matches = matchAny(patterns.flatMap((pattern) => toFolderGlob(pattern)));
  const known = new Map<string, boolean>();
  return function isInside(folder: string): boolean {
    const before = known.get(folder);
    if (before !== undefined) return before;
    const slash = folder.lastIndexOf("/");
    const inside = (slash >= 0 && isInside(folder.slice(0, slash))) || matches(folder);
    known.set(folder, inside);
    return inside;
  };
}

function toFolderGlob(pattern: string): string[] {
  const rooted = pattern.startsWith("./") || pattern.startsWith("/");
  const name = pattern.replace(/^\.?\/+/, "").replace(/\/+(?:\*\*?)?$/, "");
  if (pattern.trim() === "") return [];
  // "." and "/" are ways to write the root.
  if (name === "" || name === ".") return ["**"];
  return [rooted || name.includes("/") ? name : `**/${name}`];
}

/** Backtracking grows with every star: more than these are never needed for a path. */
const maxStars = 4;

function matchAny(patterns: readonly string[]): (text: string) => boolean {
  if (patterns.length === 0) return () => false;
  for (const pattern of patterns) {
    const stars = pattern.match(/\*+/g)?.length ?? 0;
    if (pattern.length > 200 || stars > maxStars)
      throw new Failure(
        "validation_error",
        `The pattern "${pattern.slice(0, 40)}" is too long or has too many stars. Give at most 200 characters and three stars.`,
      );
  }
  return picomatch([...patterns], { dot: true, noextglob: true, nonegate: true, nobrace: true });
}
