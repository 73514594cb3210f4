import type { FailureCode } from "./failures.ts";
import type { SourceSpec } from "./kinds/index.ts";
import type { LibrarySettings } from "./source.ts";

/**
 * Code as the source has it, or made of what it describes. `language` is lower-case; in a generation it is "" where the page does not tell, and the
 * manifest's language is served in its place.
 */
export interface CodeBlock {
  readonly language: string;
  readonly code: string;
  /** The file name that the documentation gives the block. */
  readonly file?: string;
  /**
   * Where code stands that the page includes from other files: the stretches of lines that it is made of, in order. Those
   * of the page itself are among them where both are in one block. Absent for code that is the page's own.
   */
  readonly sources?: readonly CodeSource[];
  /**
   * What the code was made from, where it is not what the source has word for word: the address of a place in an API
   * description, its file and a JSON pointer as fragment.
   */
  readonly madeFrom?: string;
}

/** Lines of a file, without the indentation that they all have where the page asks for that. */
export interface CodeSource {
  /** Path in the tree that was read, with forward slashes. */
  readonly path: string;
  /** An address that shows these lines at the revision of the snippet. */
  readonly url: string;
  /** First and last line, from 1, both included. */
  readonly lines: readonly [number, number];
}

/** Where a snippet stands: enough for a reader to check it. */
export interface Provenance {
  /** Path in the tree that was read, with forward slashes. */
  readonly path?: string;
  /** An address that shows these lines at this revision. */
  readonly url: string;
  /** First and last line in the file, from 1, both included; absent where lines mean nothing to a reader. */
  readonly lines?: readonly [number, number];
  /** Address of the fetched text that the lines are of; absent for files of a tree. */
  readonly resource?: string;
  /** Place in reading order on its page, from 0; only of snippets without lines. */
  readonly ordinal?: number;
  /** Commit, hash or date of what was read. */
  readonly revision: string;
}

/**
 * Why a snippet is kept in its generation but not served: `duplicate` of an earlier one, or `quarantined` because it
 * reads like an instruction to the reader's agent.
 */
export type SnippetFlag = "duplicate" | "quarantined";

/** What the screen finds in text that reads like an instruction to the reader's agent; sentences in `findingTexts`. */
export type Finding = keyof typeof findingTexts;

/** What each finding means, for people. */
export const findingTexts = {
  override: "asks to ignore or replace instructions that were given before",
  addressed_to_agents: "is addressed to a model, assistant or agent",
  conceals: "asks to keep something from the user, or not to ask",
  sends_secrets: "asks to read or send secrets",
  asks_for_prompt: "asks for the system prompt",
  new_role: "gives the reader another role or goal",
  claims_authority: "claims precedence over other instructions",
  feigns_conversation: "has turns or marks of a conversation with a model",
  agent_task: "asks for what only an agent does",
  harms: "asks for something harmful",
  hidden: "is hidden in what is displayed",
  hidden_characters: "has characters that cannot be seen",
  disguised: "has words in look-alike characters, or taken apart",
  encoded: "is encoded",
} as const;

/** One line of a generation. It holds no time, so that equal input gives equal lines. */
export interface Snippet {
  /** Unique within the generation, and the same again for the same text in the same place. */
  readonly id: string;
  readonly kind: "code" | "info";
  readonly title: string;
  readonly description: string;
  /** Headings above the snippet, outermost first, with the page's title at the front. */
  readonly breadcrumb: readonly string[];
  /** Empty in an info snippet, at least one in a code snippet. */
  readonly codes: readonly CodeBlock[];
  /** Prose of an info snippet, as Markdown. */
  readonly content?: string;
  readonly page: { readonly title: string; readonly url: string };
  readonly source: Provenance;
  /** Estimated model tokens of what is served. */
  readonly tokens: number;
  /** What the screen has found, whether or not the snippet is served all the same; absent where it has found nothing. */
  readonly findings?: readonly Finding[];
  readonly flags?: readonly SnippetFlag[];
}

/** What became of one page. `code` is a failure code or a reason to skip, `reason` the sentence for people. */
export interface PageOutcome {
  /** Its key: the path in a tree, or its address. */
  readonly path: string;
  readonly url: string;
  readonly outcome: "indexed" | "skipped" | "failed";
  readonly code?: FailureCode | SkipCode;
  readonly reason?: string;
  readonly title?: string;
  readonly snippets?: number;
  /** Size of the page as read, in bytes. */
  readonly bytes?: number;
  /** How often it failed since it was last read: its snippets are those of then. */
  readonly failures?: number;
  /** What is missing from a page that was indexed, such as a file that it includes: sentences for people. */
  readonly notes?: readonly string[];
}

/** A file that a page looks for in the tree, to include it. */
export interface IncludedRef {
  /** Path in the tree, forward slashes. */
  readonly path: string;
  /** What identifies its content; "" where the tree has no such file. */
  readonly fingerprint: string;
}

/** What a server says of the state of a resource, for a conditional request. */
export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
  /** Hash of what was fetched. */
  readonly hash?: string;
}

/** A page in a manifest: its outcome, and what a refresh needs to use its snippets again. */
export interface ManifestPage extends PageOutcome {
  /** Equal where place, content and extractor are; absent for pages that were not extracted from. */
  readonly key?: string;
  /** What else its snippets depend on. */
  readonly includes?: readonly IncludedRef[];
  /** Its snippets: number of the part, first line in it from 0, and how many. */
  readonly place?: readonly [part: number, first: number, count: number];
  /** Blocks of code in each language. */
  readonly languages?: Readonly<Record<string, number>>;
  /** First paragraph; only of a page that may describe the library. */
  readonly description?: string;
  /** Of a page in a fetched resource: address of the resource, and the PageRef's own. */
  readonly resource?: string;
  readonly fingerprint?: string;
  readonly mediaType?: string;
  /** The revision at which it was read, if that is not the manifest's. */
  readonly revision?: string;
}

/** Reasons to leave a page out on purpose. */
export type SkipCode =
  | "empty"
  | "too_large"
  | "not_text"
  | "lfs_pointer"
  | "symlink"
  | "submodule"
  | "unsafe_path"
  | "settings_ignored"
  | "draft"
  | "other_host"
  | "robots"
  | "no_snippets";

/** Figures of a generation. */
export interface Counts {
  readonly pages: number;
  readonly pagesSkipped: number;
  readonly pagesFailed: number;
  /** Code snippets that are served. */
  readonly code: number;
  /** Info snippets that are served. */
  readonly info: number;
  readonly quarantined: number;
  readonly duplicates: number;
  /** Estimated tokens of what is served. */
  readonly tokens: number;
  /** Size of the documents as read, in bytes. */
  readonly bytes: number;
}

/** A compressed NDJSON blob of a generation. */
export interface Part {
  /** Key in the BlobStore. */
  readonly key: string;
  /** SHA-256 of the stored bytes, hex. */
  readonly sha256: string;
  readonly lines: number;
  /** Stored size in bytes. */
  readonly bytes: number;
  /** Lines of snippets in which the screen has found something; absent where there are none, and in older generations. */
  readonly findings?: number;
}

/** Written last: a generation without a manifest is none. */
export interface Manifest {
  readonly format: 1;
  readonly generation: string;
  readonly library: { readonly teamspace: string; readonly id: string };
  readonly version: string;
  readonly title: string;
  readonly description: string;
  readonly source: SourceSpec;
  /** What the library says of itself in a file of its own; absent where it says nothing. */
  readonly settings?: LibrarySettings;
  readonly revision: string;
  /** Branch or tag that was read; null where the source has none. */
  readonly ref: string | null;
  readonly optionsHash: string;
  readonly extractor: string;
  /** SHA-256 over what is served, whatever revision and address it was read at. */
  readonly contentHash: string;
  readonly counts: Counts;
  readonly parts: readonly Part[];
  /** What most code of the library is in: served as the language of code that names none. "" where nothing tells. */
  readonly language: string;
  readonly pages: readonly ManifestPage[];
  /** Validators of fetched resources by their address; absent for trees. */
  readonly validators?: Readonly<Record<string, Validators>>;
  /** Release keys of the snippets that are served although the screen has found something in them; absent where there are none. */
  readonly released?: readonly string[];
  /** What of the library itself was left out and why, in sentences; absent where nothing was. */
  readonly notes?: readonly string[];
}

/** Snippets that are served, of either kind. */
export function servedSnippets(counts: Counts): number {
  return counts.code + counts.info;
}

/** True for a snippet that readers may see. */
export function isServed(snippet: Snippet): boolean {
  return snippet.flags === undefined || snippet.flags.length === 0;
}
