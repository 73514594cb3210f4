import type { FailureCode } from "./failures.ts";
import type { SourceSpec } from "./kinds/index.ts";
import type { Licences, ClaimedName, SourceSettings } from "./source.ts";
import type { Finding } from "./passage.ts";
import type { NamedRepository } from "./addresses.ts";
import type { SkipCode } from "./skip-codes.ts";

/** The outcome of a page. `reason` is a sentence for people. */
export interface PageOutcome {
  /** Its key: the path in a tree, or its address. */
  readonly path: string;
  readonly url: string;
  readonly outcome: "indexed" | "skipped" | "failed";
  readonly code?: FailureCode | SkipCode;
  readonly reason?: string;
  readonly title?: string;
  /** The page says that it was generated from another file. */
  readonly generated?: boolean;
  /** Number of passages, including those that are not served. */
  readonly snippets?: number;
  /** Size of the page as read, in bytes. */
  readonly bytes?: number;
  /** Number of failures since its last success; its passages are those of the last success. */
  readonly failures?: number;
  /** Key of the page that links to it; absent if a list of the site has it, or the source does not follow links. */
  readonly from?: string;
  /** Findings of the screen in its title and path, visible only to those who may change the library. */
  readonly findings?: { readonly title?: readonly Finding[]; readonly path?: readonly Finding[] };
  /** What an indexed page lacks, such as a file that it includes, in sentences. */
  readonly notes?: readonly string[];
  /** Numbers of elements of HTML with words that are not served, by reason, such as `menu`; only of an indexed page. */
  readonly dropped?: Readonly<Record<string, number>>;
}

/** What an indexed page has that is not served, for people; "" for nothing. */
export function leftOutOf(dropped: PageOutcome["dropped"] = {}): string {
  const counts = Object.entries(dropped).map(([reason, number]) => `${reason} ${number}`);
  return counts.length === 0 ? "" : `Left out: ${counts.join(", ")}`;
}

/** Maximum length of a page title in lists, in characters; only that part is screened. */
export const maxShownTitle = 1000;

/** The outcome of a page for other readers: without a title, path or address in which the screen has findings. */
export function forOtherReaders<T extends Pick<PageOutcome, "path" | "url" | "title" | "findings" | "from">>(
  page: T,
): T {
  const { title, ...rest } = page;
  const shownTitle = title !== undefined && page.findings?.title === undefined && { title };
  return { ...rest, ...shownTitle, ...(page.findings?.path && { path: "", url: "" }) } as unknown as T;
}

/** A file of the tree that a page includes, or tried to. */
export interface IncludedRef {
  /** Path in the tree, forward slashes. */
  readonly path: string;
  /** Identifies its content; "" where the tree has no such file. */
  readonly fingerprint: string;
}

/** Validators of a fetched resource, for a conditional request. */
export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
  /** Hash of the fetched bytes. */
  readonly hash?: string;
  /** When it last changed according to a sitemap or another list of the site. */
  readonly listed?: string;
  /** Its content is empty without a browser. */
  readonly rendered?: true;
  /** Hash of its text. */
  readonly words?: string;
}

/** A page in a manifest: its outcome, and what a refresh needs to reuse its passages. */
export interface ManifestPage extends PageOutcome {
  /** Hash of place, content, extractor and judge; absent for pages without extraction. */
  readonly key?: string;
  /** The judge was unreachable, so the next run reads the page again. */
  readonly unjudged?: true;
  /** Other files that its passages depend on. */
  readonly includes?: readonly IncludedRef[];
  /** Where its passages are: index of the part, first line in it (from 0), and number of lines. */
  readonly place?: readonly [part: number, first: number, count: number];
  /** Number of code blocks by language. */
  readonly languages?: Readonly<Record<string, number>>;
  /** First paragraph, and the library's name in it; only of a page that may describe the library. */
  readonly description?: string;
  readonly name?: string;
  /** This and the next two are members of its `PageRef`. */
  readonly resource?: string;
  readonly fingerprint?: string;
  readonly mediaType?: string;
  /** Revision of the page, if not that of the manifest. */
  readonly revision?: string;
}

/** Figures of a generation. */
export interface Counts {
  readonly pages: number;
  readonly pagesSkipped: number;
  readonly pagesFailed: number;
  /** Served passages; absent in generations of format 1, in which each snippet is a passage. */
  readonly passages?: number;
  /** Served examples: the code snippets of the JSON form. */
  readonly code: number;
  /** Served passages with prose. */
  readonly info: number;
  /** Snippets that the JSON form can serve; absent: not counted yet, in a generation of an earlier version. */
  readonly snippets?: number;
  readonly quarantined: number;
  readonly duplicates: number;
  /** More documents are in formats that are not read than are read. */
  readonly isPartial?: true;
  /** Estimated tokens of the served passages. */
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
  /** Number of lines with findings of the screen; absent where it is 0, and in older generations. */
  readonly findings?: number;
}

/** A passage that is not served, as it duplicates another one of the generation. */
export interface Fold {
  /** Its line over all parts, from 0, and that of the served passage. */
  readonly line: number;
  readonly into: number;
  /** Path and title of its page. */
  readonly place: string;
}

/** Prose that is not served in its passage, as most pages of the website repeat it. */
export interface Cut {
  /** Line of the passage over all parts, from 0. */
  readonly line: number;
  /** Indexes of what is left out among its parts, which are separated by blank lines; empty: the whole passage. */
  readonly parts: readonly number[];
}

/** Documentation of a library in formats that are not read. */
export interface Unread {
  /** Such as `78 .textile files (Textile)`. */
  readonly formats: string;
  /** Address of the website that the source names. */
  readonly website?: string;
  /** More documents are unread than read. */
  readonly isMost?: true;
}

/** The manifest of a generation, written last: without it there is no generation. */
export interface Manifest {
  /** 2: passages of any blocks; 1: passages of code or prose alone. */
  readonly format: 1 | 2;
  readonly generation: string;
  readonly library: { readonly teamspace: string; readonly id: string };
  readonly version: string;
  readonly title: string;
  readonly description: string;
  readonly source: SourceSpec;
  /** Settings in the library's own file; absent: none. */
  readonly settings?: SourceSettings;
  /** The names that package manifests in the source claim for it; absent: none. */
  readonly claims?: readonly ClaimedName[];
  /** Licences in its manifests and licence files; absent: unknown. */
  readonly licences?: Licences;
  /** The repository that a package names; absent: none. */
  readonly repository?: NamedRepository;
  readonly revision: string;
  /** Branch or tag that was read; null: the source has none. */
  readonly ref: string | null;
  readonly optionsHash: string;
  readonly extractor: string;
  /** SHA-256 over the served passages, independent of revision and address. */
  readonly contentHash: string;
  readonly counts: Counts;
  readonly parts: readonly Part[];
  /** The language of most code, served for code without one; "" if unknown. */
  readonly language: string;
  readonly pages: readonly ManifestPage[];
  /** Validators of fetched resources by their address; absent for trees. */
  readonly validators?: Readonly<Record<string, Validators>>;
  /** Duplicates that are not served; absent: none. */
  readonly folds?: readonly Fold[];
  /** Menus, footers and the like that are not served; absent: none. */
  readonly cuts?: readonly Cut[];
  /** Release keys of served passages with findings of the screen; absent: none. */
  readonly released?: readonly string[];
  /** Hash of the quarantined passages, hex, as another screen may quarantine others. Absent: none, or an old manifest. */
  readonly held?: string;
  /** What was left out of the library and why, in sentences; absent: nothing. */
  readonly notes?: readonly string[];
  /** Absent: all documentation was read. */
  readonly unread?: Unread;
}

/** Number of served snippets, in the JSON form. */
export function servedSnippets(counts: Counts): number {
  return counts.snippets ?? counts.code + counts.info;
}

/** Number of served passages, which the index holds. */
export function servedPassages(counts: Counts): number {
  return counts.passages ?? counts.code + counts.info;
}

export type GenerationState = "staged" | "held" | "live" | "retired";

/** A generation as the catalog keeps it. */
export interface GenerationRecord extends Pick<
  Manifest,
  "version" | "revision" | "ref" | "optionsHash" | "extractor" | "contentHash" | "counts"
> {
  /** ID of the run that made it. */
  readonly id: string;
  readonly libraryUid: string;
  readonly state: GenerationState;
  readonly createdAt: number;
  /** When the sweep may remove it; null: it is kept. */
  readonly removeAfter: number | null;
  /** Error message if a part or the manifest is missing or damaged, else null. */
  readonly damage: string | null;
  /** When the index was found to lack it, so that it has to be reloaded; null: it was not. */
  readonly unindexedSince: number | null;
}

/** A live generation, as checks of all generations need it. */
export type LiveGeneration = Pick<
  GenerationRecord,
  "id" | "libraryUid" | "version" | "counts" | "damage" | "unindexedSince"
>;

/** Progress of rebuilding the index, as after an upgrade that changed its format. */
export interface Rebuilding {
  /** Libraries with a live generation. */
  readonly libraries: number;
  /** Those with a generation that is not reloaded yet. */
  readonly waiting: number;
}

export interface GenerationStore {
  get(id: string): Promise<GenerationRecord | undefined>;
  of(uid: string, version: string): Promise<readonly GenerationRecord[]>;
  /** Records the generation that a run staged; staging it again replaces it. Does nothing unless that run is open. */
  stage(generation: Omit<GenerationRecord, "state" | "removeAfter" | "damage" | "unindexedSince">): Promise<void>;
  /** Holds the generation for an operator's decision, in place of an earlier one. Scheduled refreshes skip its revision. */
  hold(id: string, now: number): Promise<void>;
  /** Drops a held generation. False where it is not held. */
  dropHeld(id: string, now: number): Promise<boolean>;
  /**
   * Publishes in one transaction, by compare-and-set: only while the run is its version's open run and the live generation
   * is the given one. Publishing again returns true and changes nothing.
   */
  publish(input: { runId: string; generation: string; live: string | null }, now: number): Promise<boolean>;
  /** Publishes the previous generation again; undefined if none is kept. */
  rollback(uid: string, version: string, now: number): Promise<GenerationRecord | undefined>;
  /** Makes retired generations beyond the newest `keep` undamaged ones removable at `removeAfter`. */
  retire(uid: string, version: string, keep: number, removeAfter: number): Promise<void>;
  /** Makes all previous generations removable at `removeAfter`. Returns their number. */
  retireAll(removeAfter: number): Promise<number>;
  /** All live generations; with `unindexed` only those that the index is known to lack. */
  live(filter?: { readonly unindexed: true }): Promise<readonly LiveGeneration[]>;
  /** Replaces the counts of a generation, whose passages stay. */
  recount(id: string, counts: Counts): Promise<void>;
  /** Number of live libraries, and of those with an open run that only reloads their live generation. */
  rebuilding(): Promise<Rebuilding>;
  /**
   * Sets or clears (null) the damage of a generation, and returns whether it is live. New damage of a live one makes a refresh
   * of its version due, unless the library redirects.
   */
  noteDamage(id: string, damage: string | null, now: number): Promise<boolean>;
  /** Sets or clears `unindexedSince` of generations. A time that is already set stays. */
  noteUnindexed(ids: readonly string[], isUnindexed: boolean, now: number): Promise<void>;
  /** Generations that may be removed now. */
  removable(now: number): Promise<readonly GenerationRecord[]>;
  /** Removes the record of a generation whose index rows and blobs are gone. */
  forget(id: string): Promise<void>;
  /** Those of the IDs that are in the catalog. */
  known(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

/** The catalog's record of a new generation. */
export function toRecord(
  manifest: Manifest,
  libraryUid: string,
  createdAt: number,
): Parameters<GenerationStore["stage"]>[0] {
  const { generation: id, version, revision, ref, optionsHash, extractor, contentHash, counts } = manifest;
  return { id, libraryUid, version, revision, ref, optionsHash, extractor, contentHash, counts, createdAt };
}
