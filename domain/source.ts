/** The kind of a Git host: `gitea` also for Forgejo, `git` for any other. It decides the form of links, and the user name for tokens. */
export type GitHost = "github" | "gitlab" | "bitbucket" | "gitea" | "git";

/** Which files of a tree are read. Patterns are those of context7.json (docs/reference/files-and-pages.md). */
export interface FileSelection {
  /** Folders to read; empty: the whole tree. Markdown at the root is always read. */
  readonly folders: readonly string[];
  /** Folders to leave out; null: the defaults. */
  readonly excludeFolders: readonly string[] | null;
  /** File names to leave out; null: the defaults. */
  readonly excludeFiles: readonly string[] | null;
  /** API descriptions to read: true: all selected ones; or some, by path; absent or null: none. */
  readonly openapi?: true | readonly string[] | null | undefined;
  /** Whether sources are read as documentation; absent or null: where few documents are written. */
  readonly generateDocs?: boolean | null | undefined;
}

/** A version that a library offers in its settings: a tag or a branch of its repository. */
export interface OfferedVersion {
  readonly ref: string;
  readonly kind: SourceRef["kind"];
  /** Its name for people. */
  readonly title?: string;
}

/** The name in a package manifest of the source. It is an unverified claim. */
export interface ClaimedName {
  /** As its registry writes it, such as `@acme/widgets-core`, `com.acme:widgets` or `example.com/acme/widgets`. */
  readonly name: string;
  /** Path of the manifest in the tree, such as `packages/core/package.json`. */
  readonly manifest: string;
  /** The description in the manifest, on one line and cut, not screened; absent without. */
  readonly description?: string;
}

/** The settings in a library's own context7.json: validated, cut and screened, and still untrusted. */
export interface SourceSettings {
  readonly title?: string;
  readonly description?: string;
  /** Advice for coding agents by the library's owners; always attributed to them. */
  readonly rules?: readonly string[];
  /** These need not exist. */
  readonly versions?: readonly OfferedVersion[];
}

/** Folder names that only say that documentation is in them. */
const general = /^(?:docs?|documentation|content|website|guides?|manual|wiki|pages|src)$/i;

/** The folder of a library in a shared repository: the only submitted one, unless its name is a general one; else "". */
export function ownFolder({ folders }: FileSelection): string {
  const [only = "", ...others] = folders;
  const folder = only.replace(/^\.?\/+|(?<!\/)\/+$/g, "");
  const name = folder.slice(folder.lastIndexOf("/") + 1);
  return others.length > 0 || /[*?[\]]/.test(folder) || general.test(name) ? "" : folder;
}

/** A branch or a tag. */
export interface SourceRef {
  readonly name: string;
  readonly kind: "branch" | "tag";
  readonly revision: string;
}

/**
 * The licences of a library: one of each group applies. `[["MIT", "Apache-2.0"], ["CC-BY-4.0"]]` is MIT or Apache-2.0 for one
 * part, and CC-BY-4.0 for another. SPDX identifiers (https://spdx.org/licenses), without exceptions, as these only permit more.
 */
export type Licences = readonly (readonly string[])[];

/**
 * Normalizes an SPDX identifier for comparison: folds case, and replaces deprecated identifiers of GNU licences, such as `GPL-3.0`
 * and `GPL-3.0+`, by the current ones.
 */
export function foldLicence(id: string): string {
  const folded = id.toLowerCase();
  const gnu = /^(a?gpl|lgpl|gfdl)-(\d\.\d)(\+?)$/.exec(folded);
  return gnu ? `${gnu[1]}-${gnu[2]}-${gnu[3] === "+" ? "or-later" : "only"}` : folded;
}
