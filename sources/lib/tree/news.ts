import { isAmongPackages } from "./folder-roles.ts";
import { contentsOf, join, nameOf, toFolders, withoutFolders } from "./paths.ts";

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
export function dropNews(paths: readonly string[], asked: (folder: string) => boolean = () => false): string[] {
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
