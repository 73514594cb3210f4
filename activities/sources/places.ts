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
