/** Roles of folders by their names, which mean one thing in documentation and another among packages. */
import { folderOf, nameOf } from "./paths.ts";

/** Names of folders for documentation, and of repositories that consist of documentation. */
const documentation = /docs?\b|documentation|content|guide|manual|handbook|book|wiki|site/i;
const documentationAsAWhole =
  /(?:^|[-_.])(?:docs?|documentation|guides?|manual|handbook|book|wiki|website|site)(?:$|[-_.])/i;

/** Folders of packages, whose own names say nothing of their role: `packages/test` is not a test. */
const packages =
  /^(?:packages|pkgs?|crates|plugins|extensions|modules|libs|libraries|apps|components|integrations|add-?ons|services|projects|providers|adapters|drivers|gems|sdks?|clients|operators)$/i;

/** Folders with a page for each function or command, whose names may be any words. */
const references = /^(?:api|apis|reference|references|commands?|cli|functions|classes|methods|endpoints|resources)$/i;

/** Folders of code, in which documents are data of programs. */
const code = /(?:^|\/)(?:src|lib|internal|cmd|app|tests?|spec|specs|evals?|e2e)(?:\/|$)/i;

/** Whether a folder is for documentation, or below such a one; `within` is the name of the tree. */
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
 * Whether a tree consists of documentation, whatever its name: it has at least twice as many documents as files of code, and few of
 * them are in a folder for documentation. Documents of tests are not counted.
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
