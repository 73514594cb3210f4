import type { ReachTable } from "./access.ts";
import type { GenerationRecord } from "./generation.ts";
import type { RunRecord } from "./catalog-runs.ts";
import type { Kind, SourceSpec } from "./kinds/index.ts";
import type { Licences, ClaimedName } from "./source.ts";
import type { Releases } from "./passage.ts";
import type { NamedRepository } from "./addresses.ts";
import type { RunReason } from "./steps.ts";
import type { Reputation } from "./trust.ts";

/** A library as the catalog keeps it. */
export interface LibraryRecord {
  /** The catalog's own id; never used again after a deletion. */
  readonly uid: string;
  /** Owner; "" for a public library. */
  readonly teamspace: string;
  /** ID as first submitted, or after the host renamed the repository. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** Settings by users, which take precedence over those of the source. */
  readonly chosen?: Choices;
  readonly source: SourceSpec;
  /** ID of the credential that the source is read with; null: none. */
  readonly credential: string | null;
  /** The library's new ID after a move. The redirect of a former ID has no versions. */
  readonly redirect: string | null;
  /** Trust score that an operator set, 0 to 10; null: it is computed (`trustOf` in `domain/trust.ts`). */
  readonly trust: number | null;
  /** `verified` as an operator set it; absent: it follows from the trust score. */
  readonly verified?: boolean;
  /** Facts from hosts and registries; absent: not requested yet, or it is private. */
  readonly reputation?: Reputation;
  /** Milliseconds since 1970, as all times here. */
  readonly createdAt: number;
  /** The key that submitted it; null: no key did, or it was not recorded yet. */
  readonly submittedBy: Submitter | null;
  /** A rename that waits for an administrator; null: none. */
  readonly pendingRename: PendingRename | null;
  /** IDs that administrators refused: it is not renamed to them automatically. */
  readonly refusedRenames: readonly string[];
  /** ID of the uploaded file that it is read from (`domain/submitting.ts`); null: it has another source. */
  readonly upload: string | null;
  /** The names that package manifests in the source claim for it. */
  readonly claims: readonly ClaimedName[];
  /** Licences in its manifests and licence files at the last read; absent: unknown. */
  readonly licences?: Licences;
  /** The repository that a package names; absent: none, or not a package. */
  readonly repository?: NamedRepository;
}

/** The key that submitted a library, or `user:` and a hash for a user who signed in. */
export interface Submitter {
  readonly keyId: string;
  readonly teamspace: string;
}

/** A rename on the host that waits for an administrator: until then the library keeps its ID, and is read from the new address. */
export interface PendingRename {
  /** The ID that the new address gives. */
  readonly id: string;
  readonly reason: RenameObstacle;
  /** When it was found. */
  readonly since: number;
}

/**
 * Why a rename waits. `submitter`: the submitting key is unknown, deleted, revoked or expired. `patterns`: that key could not
 * have submitted the new ID. `rules`: access rules give the new ID other readers. `taken`: a library or a redirect has the new ID.
 */
export type RenameObstacle = "submitter" | "patterns" | "rules" | "taken";

/** Settings that users chose for a library; absent: not chosen. */
export interface Choices extends Releases {
  readonly title?: string;
  readonly description?: string;
  /** Advice that goes with every answer. */
  readonly rules?: readonly string[];
  /** Days between two scheduled refreshes, or `never`; absent: by use. */
  readonly schedule?: Schedule;
  /** Trust score, 0 to 10; absent: it is computed. */
  readonly trust?: number;
}

/** Refresh schedule: an interval in days, or never. */
export type Schedule = number | "never";

/** A version of a library, with all data that a read depends on. */
export interface VersionRecord {
  readonly libraryUid: string;
  /** "" for the default version. */
  readonly version: string;
  /** Branch or tag that it follows; null: the default of the source. */
  readonly ref: string | null;
  readonly live: GenerationRecord | null;
  readonly openRun: RunRecord | null;
  /** The run that closed last. */
  readonly lastRun: RunRecord | null;
  /** The revision last seen at the source whose content equals the live generation's. */
  readonly checkedRevision: string | null;
  /** Revision that was read instead of the checked one, of the branch that the library's own file names; null: none. */
  readonly followedRevision: string | null;
  /** A revision that was held or rolled back: scheduled refreshes do not try it again. */
  readonly refusedRevision: string | null;
  /** When the source was last checked. */
  readonly checkedAt: number | null;
  /** When a scheduled refresh is due; null: never, as it is not used. */
  readonly refreshAt: number | null;
  /** When it was last read, to about a minute, or requested; null: never, or it is the default version, which is always kept. */
  readonly readAt: number | null;
  /** When the sweep retries its failed run, or resumes its suspended one; null: never. */
  readonly retryAt: number | null;
}

/** Which unused versions may be removed for an added one. */
export interface VersionRoom {
  /** Maximum number of versions of a library, the default one not counted. */
  readonly atMost: number;
  /** The current time. */
  readonly now: number;
  /** Only versions that were not read, asked for or added since then may be removed. */
  readonly unusedSince: number;
  /** When the generations of a removed version may be removed. */
  readonly removeAfter: number;
}

/**
 * A problem of a library, in one of its versions: its last run failed; a refresh is held; its open run is suspended or has made no
 * progress for half an hour; passages of the live generation are in quarantine; the live generation is damaged;
 * the index lacks it.
 */
export type Trouble = (typeof troubles)[number];
export const troubles = ["failed", "held", "stuck", "quarantined", "damaged", "unindexed", "partial"] as const;

/** A version whose refresh is due. */
export interface DueRefresh {
  readonly library: LibraryRecord;
  readonly version: string;
  readonly refreshAt: number;
  /** Whether its live generation is damaged. */
  readonly damaged: boolean;
}

/** A version whose failed run is due for a retry, or whose suspended run is due to be resumed. */
export interface DueRetry {
  readonly library: LibraryRecord;
  readonly version: string;
  /** The suspended run; absent: a run is to be opened. */
  readonly suspended?: string;
  /** What the failed run was for. */
  readonly reason: RunReason;
  /** The generation that it had to load and publish; absent: it had to make one, or that one is gone. */
  readonly generation?: string;
  /** Number of consecutive failed runs. */
  readonly failed: number;
}

/** A library with the requested version (undefined: unknown) and the names of all its versions. */
export interface LibraryView {
  readonly library: LibraryRecord;
  readonly version: VersionRecord | undefined;
  readonly versions: readonly string[];
  /** Access revision of the teamspace that `find` was given as `judging`. */
  readonly accessRevision?: number;
  /** What that teamspace notes on the library; absent: nothing. */
  readonly teamNote?: string;
  /** Its problems, if `list` got `troublesAt`. */
  readonly troubles?: readonly Trouble[];
}

/** The facts by which lists filter libraries. */
export interface LibraryFacet extends Pick<
  LibraryRecord,
  "uid" | "id" | "teamspace" | "source" | "trust" | "verified" | "licences" | "redirect"
> {
  readonly reputation: Pick<Reputation, "score" | "stars">;
  /** Time of the default version's live generation; null: none. */
  readonly servedAt: number | null;
}

/** A filter of libraries. */
export interface LibraryQuery {
  readonly teamspaces: readonly string[];
  /** Patterns of a key with the wildcard `*`; absent or empty: all libraries. */
  readonly patterns?: readonly string[];
  /** Limits them further by access rules; absent: no limit. */
  readonly reach?: ReachTable;
  /** A text in ID or title. */
  readonly contains?: string;
  /** Only libraries with this problem now; `any`: with a problem. */
  readonly trouble?: { readonly kind: Trouble | "any"; readonly now: number };
  /** Only libraries of this kind of source. */
  readonly kind?: Kind;
  /** True: only libraries that never served anything and have no open run; false: all others; absent: all. */
  readonly unserved?: boolean;
}

/** A page of a list; `next` is the cursor of the following one. */
export interface Listing<T> {
  readonly items: readonly T[];
  readonly total: number;
  readonly next: string | null;
}

/** A version that was not used since a time. */
export interface UnusedVersion {
  readonly library: LibraryRecord;
  readonly version: string;
  readonly usedAt: number;
  /** Branch, tag or version of the live generation of the default version; null: none. */
  readonly servedRef: string | null;
}

/** The link between a package and a library of the repository that it names, by uid. */
export interface PackageLink {
  readonly packageUid: string;
  readonly repositoryUid: string;
  /** As in `NamedRepository`. */
  readonly isConfirmed: boolean;
}

/** The library that has an ID. */
export interface ExistingLibrary {
  readonly exists: LibraryRecord;
  /** Present: it has nothing to read and no open run; `since` is when its last run ended. Absent: it can be read, or is being indexed. */
  readonly idle?: { readonly since: number | null };
}
