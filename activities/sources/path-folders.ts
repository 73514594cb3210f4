/** The names of the folders in each folder of these files; "" is the root. */
export function toFolders(paths: readonly string[]): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>();
  const seen = new Set<string>();
  for (const path of paths) {
    let end = path.lastIndexOf("/");
    while (end > 0) {
      const folder = path.slice(0, end);
      if (seen.has(folder)) break;
      seen.add(folder);
      end = folder.lastIndexOf("/");
      const parent = end < 0 ? "" : folder.slice(0, end);
      const names = folders.get(parent) ?? new Set();
      names.add(folder.slice(end + 1));
      folders.set(parent, names);
    }
  }
  return folders;
}

/** The paths that lie in none of the folders. */
export function withoutFolders(paths: readonly string[], dropped: ReadonlySet<string>): string[] {
  if (dropped.size === 0) return [...paths];
  return paths.filter((path) => {
    for (let slash = path.indexOf("/"); slash > 0; slash = path.indexOf("/", slash + 1))
      if (dropped.has(path.slice(0, slash))) return false;
    return true;
  });
}

/** What lies in each of the folders, at any depth, relative to it. */
export function contentsOf(folders: Iterable<string>, paths: readonly string[]): Map<string, string[]> {
  const contents = new Map([...folders].map((folder): [string, string[]] => [folder, []]));
  if (contents.size === 0) return contents;
  for (const path of paths)
    for (let slash = path.indexOf("/"); slash > 0; slash = path.indexOf("/", slash + 1))
      contents.get(path.slice(0, slash))?.push(path.slice(slash + 1));
  return contents;
}

/**
 * True where a folder holds the same documents as another place: at least `least` of them, and half of its own, are
 * there under the same names.
 */
export function mirrors(inside: readonly string[], isThere: (path: string) => boolean, least = 2): boolean {
  const shared = inside.filter(isThere).length;
  return shared >= least && shared * 2 >= inside.length;
}

/** A folder in another; "" is the root. */
export function join(parent: string, name: string): string {
  return parent === "" ? name : `${parent}/${name}`;
}
