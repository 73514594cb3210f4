import type { FileSelection } from "../../../domain/source.ts";
import { createDefaultExclusions } from "./default-exclusions.ts";
import type { DefaultExclusions } from "./default-exclusions.ts";
import { dropNews } from "./news.ts";
import { omit } from "./omissions.ts";
import type { Omission, Omitted } from "./omissions.ts";
import { createFileMatcher, createFolderMatcher, createMatcher, createNamedTest } from "./patterns.ts";
import { folderOf, nameOf } from "./paths.ts";
import { dropOldVersions } from "./sibling-folders.ts";
import { dropTranslations } from "./translations.ts";

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
