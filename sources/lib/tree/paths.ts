import { Failure } from "../../../domain/failures.ts";

/** The last name of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The folder that a path is in; "" is the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** The names of the subfolders of each folder; "" is the root. */
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

/** The paths outside of the folders. */
export function withoutFolders(paths: readonly string[], dropped: ReadonlySet<string>): string[] {
  if (dropped.size === 0) return [...paths];
  return paths.filter((path) => !foldersOf(path).some((folder) => dropped.has(folder)));
}

/** Cap on the paths in all folders together; a path counts once for each folder that it is in. */
const maxContents = 2_000_000;

/**
 * The paths in each folder, at any depth, relative to it.
 * @throws Failure library_too_large where nested folders make them too many
 */
export function contentsOf(folders: Iterable<string>, paths: readonly string[]): Map<string, string[]> {
  const contents = new Map([...folders].map((folder): [string, string[]] => [folder, []]));
  if (contents.size === 0) return contents;
  let count = 0;
  for (const path of paths) {
    const around = foldersOf(path).filter((folder) => contents.has(folder));
    count += around.length;
    if (count > maxContents)
      throw new Failure(
        "library_too_large",
        "The folders are nested in too many ways to tell versions and translations apart. Choose some with folders or excludeFolders.",
      );
    for (const folder of around) contents.get(folder)?.push(path.slice(folder.length + 1));
  }
  return contents;
}

/** The folders that a path is in, the outermost first. */
function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let slash = path.indexOf("/"); slash > 0; slash = path.indexOf("/", slash + 1))
    folders.push(path.slice(0, slash));
  return folders;
}

/**
 * Whether a folder has the same documents as another: at least `minShared` of them, and half of its own, are there under the same
 * names.
 */
export function mirrors(inside: readonly string[], isThere: (path: string) => boolean, minShared = 2): boolean {
  const shared = inside.filter(isThere).length;
  return shared >= minShared && shared * 2 >= inside.length;
}

/** A folder in another; "" is the root. */
export function join(parent: string, name: string): string {
  return parent === "" ? name : `${parent}/${name}`;
}
