import { contentsOf, join, toFolders, withoutFolders } from "./path-folders.ts";

/** Folders that sites keep news in. */
const names = new Set(["blog", "_posts", "posts", "news", "announcements"]);
/** A document named after the day or month it was written on, or in a folder named after the year. */
const dated = /(?:^|\/)(?:19|20)\d\d(?:[-_.]\d\d|\/)/;
const minDated = 3;

/**
 * Leaves out folders of news beside documentation: those named like a blog of whose documents at least half have a date in
 * their paths. They stay where nothing but files at the root would be left, and where they are `asked` for by their names.
 */
export function dropNews(paths: readonly string[], asked: (folder: string) => boolean = () => false): string[] {
  const found = [...toFolders(paths)].flatMap(([parent, inside]) =>
    [...inside].filter((name) => names.has(name.toLowerCase())).map((name) => join(parent, name)),
  );
  if (found.length === 0) return [...paths];
  const dropped = new Set<string>();
  for (const [folder, inside] of contentsOf(found, paths)) {
    const days = inside.filter((path) => dated.test(path)).length;
    if (days >= minDated && days * 2 >= inside.length && !asked(folder)) dropped.add(folder);
  }
  const left = withoutFolders(paths, dropped);
  return left.some((path) => path.includes("/")) ? left : [...paths];
}
