import { isAmongPackages } from "./places.ts";
import { contentsOf, join, toFolders, withoutFolders } from "./path-folders.ts";

/** Folders that sites keep news in. */
const names = new Set(["blog", "_posts", "posts", "news", "announcements"]);
/** A document named after the day or month it was written on, or in a folder named after the year. */
const dated = /(?:^|\/)(?:19|20)\d\d(?:[-_.]\d\d|\/)/;
const minDated = 3;

/** Guides are for reading as long as there are readers of what they lead away from. */
const guide = /(?:^|[-_./])(?:upgrad|migrat)/i;
/** Beside these, and nowhere else, a folder is the blog of a site even without dates. */
const documentation = new Set(["docs", "doc", "documentation"]);
/** Examples of sites have blogs that show how to make one. */
const examples = /(?:^|\/)(?:examples?|templates?|starters?|demos?|samples?)(?:\/|$)/i;

/**
 * Leaves out folders of news beside documentation: those named like a blog of whose documents at least half have a date in
 * their paths, or that stand beside the documentation of a site. Guides among them stay. So do all where nothing but files
 * at the root would be left, and those that are `asked` for by their names.
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
  return paths.filter((path) => left.has(path) || guide.test(path.slice(path.lastIndexOf("/") + 1)));
}
