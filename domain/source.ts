/** Which kind of Git host a repository is on, `gitea` for Forgejo too, `git` for one of which nothing is known; it decides the form of links and the user name that goes with a token. */
export type GitHost = "github" | "gitlab" | "bitbucket" | "gitea" | "git";

/** Which files of a tree are read. Patterns are those of context7.json: facts in docs/sources.md. */
export interface FileSelection {
  /** Folders to read; empty: the whole tree. Markdown at the root is always read. */
  readonly folders: readonly string[];
  /** Folders to leave out; null: the defaults. */
  readonly excludeFolders: readonly string[] | null;
  /** File names to leave out; null: the defaults. */
  readonly excludeFiles: readonly string[] | null;
  /** API descriptions to read: true for all that are chosen, or the paths of some; absent or null: none. */
  readonly openapi?: true | readonly string[] | null | undefined;
}

/** A version that a library says it offers: a tag or a branch of its repository. */
export interface OfferedVersion {
  readonly ref: string;
  readonly kind: SourceRef["kind"];
  /** How people call it. */
  readonly title?: string;
}

/** A package name that a manifest in the source gives itself. It is a claim: anybody may write any name. */
export interface ClaimedName {
  /** As its registry has it, such as `@acme/widgets-core`, `com.acme:widgets` or `example.com/acme/widgets`. */
  readonly name: string;
  /** Path of the manifest in the tree, such as `packages/core/package.json`. */
  readonly manifest: string;
}

/** What a library says of itself in a file of its own (context7.json): checked, capped and screened, and still untrusted. */
export interface LibrarySettings {
  readonly title?: string;
  readonly description?: string;
  /** Advice for coding agents, in the words of the library's owners: never to be passed on as if it were ours. */
  readonly rules?: readonly string[];
  /** Earlier versions that it offers. They need not exist. */
  readonly versions?: readonly OfferedVersion[];
}

/** Names of folders that say no more than that documentation is in them. */
const general = /^(?:docs?|documentation|content|website|guides?|manual|wiki|pages|src)$/i;

/**
 * The folder that a library has in a repository which it shares with others: the only one that was submitted, where its
 * name is that of a thing; "" for a library that has all of it.
 */
export function ownFolder({ folders }: FileSelection): string {
  const [only = "", ...others] = folders;
  const folder = only.replace(/^\.?\/+|(?<!\/)\/+$/g, "");
  const name = folder.slice(folder.lastIndexOf("/") + 1);
  return others.length > 0 || /[*?[\]]/.test(folder) || general.test(name) ? "" : folder;
}

/** A name that a source's history goes by: a branch or a tag. */
export interface SourceRef {
  readonly name: string;
  readonly kind: "branch" | "tag";
  readonly revision: string;
}
