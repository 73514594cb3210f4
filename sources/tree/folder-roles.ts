/** What the folders round a document say of what it is: words mean one thing in documentation, another among packages. */

/** Names of folders for documentation, and of repositories that are documentation as a whole. */
const documentation = /docs?\b|documentation|content|guide|manual|handbook|book|wiki|site/i;
const documentationAsAWhole =
  /(?:^|[-_.])(?:docs?|documentation|guides?|manual|handbook|book|wiki|website|site)(?:$|[-_.])/i;

/** Folders that hold packages, each with its own name: `packages/test` is no test. */
const packages =
  /^(?:packages|pkgs?|crates|plugins|extensions|modules|libs|libraries|apps|components|integrations|add-?ons|services|projects|providers|adapters|drivers|gems|sdks?|clients|operators)$/i;

/** Folders that hold a page for each function or command, whose names are verbs and nouns of all kinds. */
const references = /^(?:api|apis|reference|references|commands?|cli|functions|classes|methods|endpoints|resources)$/i;

/** Folders of code, in which documents are what programs read. */
const code = /(?:^|\/)(?:src|lib|internal|cmd|app|tests?|spec|specs|evals?|e2e)(?:\/|$)/i;

/** True for a folder of documentation, or below one; `within` is what the tree is called. */
export function isDocumentation(folder: string, within: string): boolean {
  return documentation.test(folder) || documentationAsAWhole.test(within);
}

const codeFile =
  /\.(?:[cm]?[jt]sx?|vue|svelte|py|pyx|rb|php|go|rs|java|kts?|scala|swift|mm?|c|h|cc|cpp|cxx|hh|hpp|cs|fs|vb|lua|r|jl|dart|exs?|erl|clj[cs]?|hs|ml|zig|nim|sol|pl|pm|sh)$/i;
/** Folders in which sites keep the code of their pages' looks. */
const looks =
  /(?:^|\/)(?:\.[^/]+|assets|static|public|theme|themes|layouts|_layouts|_includes|_sass|components|styles|js|css|img|images|plugins)\//i;
const testing = /(?:^|\/)(?:tests?|__[a-z]+__|fixtures?|snapshots|goldens?|evals|e2e|specs?|testdata|test-data)\//i;
/** Minimum number of documents of a tree of documentation. */
const leastDocuments = 5;

/** True for a file of code that is more than the looks of a site. */
export function isCodeFile(path: string): boolean {
  return codeFile.test(path) && !looks.test(path);
}

/**
 * Whether a tree is documentation as a whole, whatever it is called: its documents, those for tests not counted, are twice as many as its files of
 * code, and few are in a folder that is for documentation.
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

/** The last name of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The folder that a path is in; "" is the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
