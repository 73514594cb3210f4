import type { FileSelection } from "../../domain/source.ts";
import { createDefaultExclusions } from "./default-exclusions.ts";
import type { DefaultExclusions } from "./default-exclusions.ts";
import { dropNews } from "./news.ts";
import { omit } from "./omissions.ts";
import type { Omission, Omitted } from "./omissions.ts";
import { createFileMatcher, createFolderMatcher, createMatcher, createNamedTest } from "./patterns.ts";
import { folderOf, nameOf } from "./places.ts";
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
  /** The tree is documentation as a whole by what it holds, whatever it is called. */
  readonly isDocumentation?: boolean;
}

/** Chooses the documents among paths, in the order given; what is left out without anybody having asked is counted. */
export type FileSelector = (paths: readonly string[], omitted?: Omitted) => string[];

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

/** Makes the test whether a path is named like a document; `extensions` are in lower case, with the dot. */
export function createDocumentTest(extensions: readonly string[]): (path: string) => boolean {
  const known = new Set(extensions);
  return (path) => {
    const dot = path.lastIndexOf(".");
    return dot >= 0 && known.has(path.slice(dot).toLowerCase());
  };
}

const isMarkdown = createDocumentTest([".md", ".mdx", ".markdown"]);
