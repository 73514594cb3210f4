import type { FailureCode } from "./failures.ts";
import type { SourceSpec } from "./kinds/index.ts";
import type { Licences } from "./licences.ts";
import type { Finding } from "./passage.ts";
import type { NamedRepository } from "./repositories.ts";
import type { ClaimedName, LibrarySettings } from "./source.ts";

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
  /** How often it failed since it was last read: its passages are those of then. */
  readonly failures?: number;
  /** Key of the page that led to it; absent where a list of the site did, or pages are not found by links. */
  readonly from?: string;
  /** What the screen has found in its title and path: what has findings is not shown to who may not change the library. */
  readonly findings?: { readonly title?: readonly Finding[]; readonly path?: readonly Finding[] };
  /** What is missing from a page that was indexed, such as a file that it includes: sentences for people. */
  readonly notes?: readonly string[];
}

/** Maximum length of a page title in lists, in characters; only this part is screened. */
export const maxShownTitle = 1000;

/** The outcome of a page as those see it who may not change its library: without a title or a place that reads like an order. */
export function heldBack<T extends Pick<PageOutcome, "path" | "url" | "title" | "findings" | "from">>(page: T): T {
  const { title, ...rest } = page;
  const shownTitle = title !== undefined && page.findings?.title === undefined && { title };
  return { ...rest, ...shownTitle, ...(page.findings?.path && { path: "", url: "" }) } as unknown as T;
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
  /** When it last changed, as a list of the site says. */
  readonly listed?: string;
  /** What is fetched is empty without a browser. */
  readonly rendered?: true;
  /** Equal for pages that say the same. */
  readonly words?: string;
}

/** A page in a manifest: its outcome, and what a refresh needs to use its passages again. */
export interface ManifestPage extends PageOutcome {
  /** Equal where place, content and extractor are; absent for pages that were not extracted from. */
  readonly key?: string;
  /** What else its passages depend on. */
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
  | "invalid_description"
  | "draft"
  | "other_host"
  | "robots"
  | "gone"
  | "elsewhere"
  | "restricted"
  | "refused"
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

/** Documentation of a library in formats that are not read. */
export interface Unread {
  /** Such as `78 .rst files (reStructuredText)`. */
  readonly formats: string;
  /** Address of its website, where the source names one. */
  readonly website?: string;
  /** More documents are unread than read. */
  readonly isMost?: true;
}

/** Written last: without a manifest there is no generation. */
export interface Manifest {
  /** 2 has passages; 1 has passages, each of which is code or prose alone. */
  readonly format: 1 | 2;
  readonly generation: string;
  readonly library: { readonly teamspace: string; readonly id: string };
  readonly version: string;
  readonly title: string;
  readonly description: string;
  readonly source: SourceSpec;
  /** What the library says of itself in a file of its own; absent where it says nothing. */
  readonly settings?: LibrarySettings;
  /** The names that manifests of packages claim for it; absent where none does. */
  readonly claims?: readonly ClaimedName[];
  /** What its manifests and licence files say; absent: not known. */
  readonly licences?: Licences;
  /** The repository that a package names; absent: none. */
  readonly repository?: NamedRepository;
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
  /** Absent where nothing is unread. */
  readonly unread?: Unread;
}

/** What is served, counted in snippets of the JSON form. */
export function servedSnippets(counts: Counts): number {
  return counts.code + counts.info;
}

/** Passages that are served: what an index holds. */
export function servedPassages(counts: Counts): number {
  return counts.passages ?? servedSnippets(counts);
}
