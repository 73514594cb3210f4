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
  /** What stands on its tab. */
  readonly label?: string;
  /** What the page says of single lines of it, in sentences, such as "Line 2 is removed."; lines from 1. */
  readonly marks?: readonly string[];
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
  /** An address that shows these lines at the revision of the passage. */
  readonly url: string;
  /** First and last line, from 1, both included. */
  readonly lines: readonly [number, number];
}

/** Where a passage stands: enough for a reader to check it. */
export interface Provenance {
  /** Path in the tree that was read, with forward slashes. */
  readonly path?: string;
  /** An address that shows these lines at this revision. */
  readonly url: string;
  /** First and last line in the file, from 1, both included; absent where lines mean nothing to a reader. */
  readonly lines?: readonly [number, number];
  /** Address of the fetched text that the lines are of; absent for files of a tree. */
  readonly resource?: string;
  /** Place among the passages of its page, from 0; absent in format 1 where there are lines. */
  readonly ordinal?: number;
  /** Commit, hash or date of what was read. */
  readonly revision: string;
}

/**
 * Why a passage is kept in its generation but not served: `duplicate` of another one, or `quarantined` because it
 * reads like an instruction to the reader's agent.
 */
export type PassageFlag = "duplicate" | "quarantined";

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

/** Prose, as Markdown: paragraphs, lists, tables, notes, and headings of sections that are too small for a passage of their own. */
export interface ProseBlock {
  readonly type: "prose";
  readonly markdown: string;
}

/** Code in its place: one block, or several without prose between them that belong together, such as the tabs of a group. */
export interface ExampleBlock {
  readonly type: "code";
  /** What it does, and what the page says of it: for clients that get code by itself. */
  readonly title: string;
  readonly description: string;
  /** At least one. */
  readonly codes: readonly CodeBlock[];
  /** An address that shows it at the revision of the passage. */
  readonly url: string;
  /** First and last line in the file, from 1, both included; absent where lines mean nothing to a reader. */
  readonly lines?: readonly [number, number];
}

/** A block of a passage. */
export type PassageBlock = ProseBlock | ExampleBlock;

/**
 * What is served: a run of neighbouring blocks of one section, in the order of the page. One line of a generation. It holds no
 * time, so that equal input gives equal lines.
 */
export interface Passage {
  /** Unique within the generation, and the same again for the same text in the same place. */
  readonly id: string;
  /** What it is about: the heading that it stands under. */
  readonly title: string;
  /** Headings above it, outermost first, with the page's title at the front. */
  readonly breadcrumb: readonly string[];
  /** At least one. */
  readonly blocks: readonly PassageBlock[];
  readonly page: { readonly title: string; readonly url: string };
  readonly source: Provenance;
  /** Estimated model tokens of its blocks as they are served. */
  readonly tokens: number;
  /** What the screen has found, whether or not the passage is served all the same; absent where it has found nothing. */
  readonly findings?: readonly Finding[];
  readonly flags?: readonly PassageFlag[];
  /** Other pages that say the same, by path and title: words by which it is found too. Of a generation that is loaded, never of its lines. */
  readonly also?: readonly string[];
}

/** What a library has of: code and prose. */
export type ContentKind = "code" | "info";

/** What became of one page. `code` is a failure code or a reason to skip, `reason` the sentence for people. */
export interface PageOutcome {
  /** Its key: the path in a tree, or its address. */
  readonly path: string;
  readonly url: string;
  readonly outcome: "indexed" | "skipped" | "failed";
  readonly code?: FailureCode | SkipCode;
  readonly reason?: string;
  readonly title?: string;
  /** The page says that it was made of another file. */
  readonly generated?: boolean;
  /** Passages, those that are not served among them. */
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
  /** Its passages: number of the part, first line in it from 0, and how many. */
  readonly place?: readonly [part: number, first: number, count: number];
  /** Blocks of code in each language. */
  readonly languages?: Readonly<Record<string, number>>;
  /** First paragraph, and what it calls the library; only of a page that may describe it. */
  readonly description?: string;
  readonly name?: string;
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
  | "not_documentation"
  | "draft"
  | "other_host"
  | "robots"
  | "no_snippets";

/** Figures of a generation. */
export interface Counts {
  readonly pages: number;
  readonly pagesSkipped: number;
  readonly pagesFailed: number;
  /** Passages that are served; absent in generations of format 1, in which each snippet is one. */
  readonly passages?: number;
  /** Examples of code that are served: the code snippets of the JSON form. */
  readonly code: number;
  /** Passages with prose that are served: the info snippets of the JSON form. */
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
  /** Lines in which the screen has found something; absent where there are none, and in older generations. */
  readonly findings?: number;
}

/** A passage that is not served because another one of the generation says the same. */
export interface Fold {
  /** Its line in all parts, from 0, and that of the one which is served. */
  readonly line: number;
  readonly into: number;
  /** Path and title of its page. */
  readonly place: string;
}

/** Written last: a generation without a manifest is none. */
export interface Manifest {
  /** 2 has passages; 1 has snippets, each of which is code or prose alone. */
  readonly format: 1 | 2;
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
  /** Passages that are not served as another one says the same; absent where there are none. */
  readonly folds?: readonly Fold[];
  /** Release keys of the passages that are served although the screen has found something in them; absent where there are none. */
  readonly released?: readonly string[];
  /** What of the library itself was left out and why, in sentences; absent where nothing was. */
  readonly notes?: readonly string[];
}

/** What is served, counted in snippets of the JSON form. */
export function servedSnippets(counts: Counts): number {
  return counts.code + counts.info;
}

/** Passages that are served: what an index holds. */
export function servedPassages(counts: Counts): number {
  return counts.passages ?? servedSnippets(counts);
}

/** True for a passage that readers may see. */
export function isServed({ flags = [] }: Pick<Passage, "flags">): boolean {
  return flags.length === 0;
}

/** The code of a passage, in order. */
export function codesOf({ blocks }: { readonly blocks: readonly PassageBlock[] }): readonly CodeBlock[] {
  return blocks.flatMap((block) => (block.type === "code" ? block.codes : []));
}

/** Whether a passage has code, prose, or both. */
export function kindsOf({
  blocks,
}: {
  readonly blocks: readonly { readonly type: PassageBlock["type"] }[];
}): readonly ContentKind[] {
  const kinds = new Set(blocks.map(({ type }): ContentKind => (type === "code" ? "code" : "info")));
  return [...kinds].toSorted();
}
