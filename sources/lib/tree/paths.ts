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
  const subfolders = new Map<string, Set<string>>();
  const known = new Set<string>();
  for (const path of paths) {
    for (let folder = folderOf(path); folder !== "" && !known.has(folder); folder = folderOf(folder)) {
      known.add(folder);
      const parent = folderOf(folder);
      const names = subfolders.get(parent) ?? new Set();
      names.add(nameOf(folder));
      subfolders.set(parent, names);
    }
  }
  return subfolders;
}

/** The paths outside of the folders. */
export function withoutFolders(paths: readonly string[], dropped: ReadonlySet<string>): string[] {
  if (dropped.size === 0) return [...paths];
  return paths.filter((path) => !foldersOf(path).some((folder) => dropped.has(folder)));
}

/** Cap on the paths in all folders together; a path counts once for each folder that contains it. */
const maxContents = 2_000_000;

/**
 * The paths in each folder, at any depth, relative to it.
 * @throws Failure library_too_large if nested folders make them too many
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

/** Whether a folder has the same documents as another: at least `minShared` and half of its own are in the other by name. */
export function mirrors(inside: readonly string[], isInOther: (path: string) => boolean, minShared = 2): boolean {
  const shared = inside.filter(isInOther).length;
  return shared >= minShared && shared * 2 >= inside.length;
}

/** A folder in another; "" is the root. */
export function join(parent: string, name: string): string {
  return parent === "" ? name : `${parent}/${name}`;
}

/** Names of folders for documentation, and of repositories that consist of documentation. */
const documentation = /docs?\b|documentation|content|guide|manual|handbook|book|wiki|site/i;
const documentationAsAWhole =
  /(?:^|[-_.])(?:docs?|documentation|guides?|manual|handbook|book|wiki|website|site)(?:$|[-_.])/i;

/** Folders that contain packages. The names of these say nothing about their role: `packages/test` is not a test. */
const packages =
  /^(?:packages|pkgs?|crates|plugins|extensions|modules|libs|libraries|apps|components|integrations|add-?ons|services|projects|providers|adapters|drivers|gems|sdks?|clients|operators)$/i;

/** Folders with a page for each function or command, which may have any name. */
const references = /^(?:api|apis|reference|references|commands?|cli|functions|classes|methods|endpoints|resources)$/i;

/** Folders of code, in which documents are data of programs. */
const code = /(?:^|\/)(?:src|lib|internal|cmd|app|tests?|spec|specs|evals?|e2e)(?:\/|$)/i;

/** Whether a folder is for documentation, or inside a folder for it; `within` is the name of the tree. */
export function isDocumentation(folder: string, within: string): boolean {
  return documentation.test(folder) || documentationAsAWhole.test(within);
}

const codeFile =
  /\.(?:[cm]?[jt]sx?|vue|svelte|py|pyx|rb|php|go|rs|java|kts?|scala|swift|mm?|c|h|cc|cpp|cxx|hh|hpp|cs|fs|vb|lua|r|jl|dart|exs?|erl|clj[cs]?|hs|ml|zig|nim|sol|pl|pm|sh)$/i;
/** Folders with the themes and assets of sites. */
const themes =
  /(?:^|\/)(?:\.[^/]+|assets|static|public|theme|themes|layouts|_layouts|_includes|_sass|components|styles|js|css|img|images|plugins)\//i;
const testing = /(?:^|\/)(?:tests?|__[a-z]+__|fixtures?|snapshots|goldens?|evals|e2e|specs?|testdata|test-data)\//i;
/** Minimum number of documents in a tree that consists of documentation. */
const leastDocuments = 5;

/** Whether a file is code, other than that of a site's theme. */
export function isCodeFile(path: string): boolean {
  return codeFile.test(path) && !themes.test(path);
}

/**
 * Whether a tree consists of documentation, whatever its name: it has at least twice as many documents as code files, and few documents
 * are in a folder for documentation. Documents of tests don't count.
 */
export function isTreeOfDocuments(documents: Iterable<string>, codeFiles: number): boolean {
  let count = 0;
  let inFolder = 0;
  for (const path of documents) {
    if (testing.test(path)) continue;
    count++;
    if (isDocumentation(folderOf(path), "")) inFolder++;
  }
  return count >= leastDocuments && count >= codeFiles * 2 && inFolder * 5 < count;
}

export function isAmongPackages(parent: string): boolean {
  return packages.test(nameOf(parent));
}

export function isReference(parent: string): boolean {
  return references.test(nameOf(parent));
}

export function isCode(folder: string): boolean {
  return code.test(folder);
}
