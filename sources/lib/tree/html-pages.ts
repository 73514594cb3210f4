import { folderOf, isDocumentation } from "./paths.ts";

const isHtml = /\.x?html?$/i;
/** Folders of themes, templates and what programs make: coverage of tests, copies of sources. */
const otherFolders =
  /(?:^|\/)(?:_?(?:layouts?|includes?|templates?|partials|static|build|sources|modules|themes?|assets|sass)|components|coverage|htmlcov|jacoco|node_modules|src-html|class-use)\//i;

/**
 * Leaves out HTML that is no documentation: outside of folders for it unless `isWanted`, in a theme, or with a document of the same name
 * beside it, which it is made from.
 */
export function withoutOtherHtml(paths: readonly string[], within: string, isWanted: boolean): readonly string[] {
  if (!paths.some((path) => isHtml.test(path))) return paths;
  const stem = (path: string): string => path.replace(/\.[^./]*$/, "");
  const sources = new Set(paths.filter((path) => !isHtml.test(path)).map(stem));
  return paths.filter(
    (path) =>
      !isHtml.test(path) ||
      ((isWanted || isDocumentation(folderOf(path), within)) && !otherFolders.test(path) && !sources.has(stem(path))),
  );
}

/** Whether a path is that of a page of HTML. */
export function isHtmlPage(path: string): boolean {
  return isHtml.test(path);
}
