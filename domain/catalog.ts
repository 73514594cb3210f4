import type { AuditStore } from "./audit.ts";
import type { AccessStore, CredentialRecord, CredentialStore, KeyStore, TeamspaceStore } from "./catalog-access.ts";
import type { NewRun, OpenedRun, RunRecord, RunStore } from "./catalog-runs.ts";
import type { ReachTable } from "./access-rules.ts";
import type { Counts } from "./generation.ts";
import type { Kind, SourceSpec } from "./kinds/index.ts";
import type { Licences } from "./licences.ts";
import type { MetricsStore } from "./metrics.ts";
import type { MovedSource } from "./kinds/kind.ts";
import type { Limiter } from "./limiter.ts";
import type { NamedRepository } from "./repositories.ts";
import type { ClaimedName, SourceRef } from "./source.ts";
import type { Releases } from "./quarantine.ts";
import type { CatalogFigures } from "./telemetry.ts";
import type { Reputation } from "./trust.ts";

/** Teamspaces, keys and credentials. */
export type * from "./catalog-access.ts";

/** Runs. */
export type * from "./catalog-runs.ts";

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
  /** Settings that users chose; they take precedence over what the source says of itself. */
  readonly chosen?: Choices;
  readonly source: SourceSpec;
  /** ID of the credential that the source is read with; null: none. */
  readonly credential: string | null;
  /** The library's new ID after a move. A redirect that a move left behind has no versions. */
  readonly redirect: string | null;
  /** Trust score that an operator set, 0 to 10; null: it is computed (`trustOf` in `domain/trust.ts`). */
  readonly trust: number | null;
  /** `verified` as an operator set it; absent: it follows from the trust score. */
  readonly verified?: boolean;
  /** What hosts and registries say of it; absent: not asked yet, or it is private. */
  readonly reputation?: Reputation;
  /** Milliseconds since 1970, as all times here. */
  readonly createdAt: number;
  /** The key that submitted it; null: no key did, or it was not recorded yet. */
  readonly submittedBy: Submitter | null;
  /** A rename that waits for an administrator; null: none. */
  readonly pendingRename: PendingRename | null;
  /** IDs that administrators refused: it is not renamed to them automatically. */
  readonly refusedRenames: readonly string[];
  /** ID of the uploaded file that it is read from (`domain/uploads.ts`); null: it has another source. */
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

export type GenerationState = "staged" | "held" | "live" | "retired";

export interface GenerationRecord {
  /** ID of the run that made it. */
  readonly id: string;
  readonly libraryUid: string;
  readonly version: string;
  readonly state: GenerationState;
  readonly revision: string;
  readonly ref: string | null;
  readonly optionsHash: string;
  readonly extractor: string;
  readonly contentHash: string;
  readonly counts: Counts;
  readonly createdAt: number;
  /** When the sweep may remove it; null: it is kept. */
  readonly removeAfter: number | null;
  /** Error message where a part or the manifest was found missing or damaged, else null. */
  readonly damage: string | null;
}

/** A version of a library, with all that decides about a read. */
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
  /** Revision that was read in place of the checked one: that of the branch which the library's own file names; null: none. */
  readonly followedRevision: string | null;
  /** A revision that was held or rolled back: scheduled refreshes do not try it again. */
  readonly refusedRevision: string | null;
  /** When the source was last checked. */
  readonly checkedAt: number | null;
  /** When a scheduled refresh is due; null: never, as it is not used. */
  readonly refreshAt: number | null;
  /** When it was last read, to about a minute, or asked for; null: never, or it is the default version, which is always kept. */
  readonly readAt: number | null;
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

/** Reads of a library on one day. */
export interface ReadCount {
  readonly libraryUid: string;
  /** As in 2026-11-21, UTC. */
  readonly day: string;
  readonly reads: number;
  /** Which version was read; absent for the default one. */
  readonly version?: string;
}

/** A question that found nothing, without who asked it. */
export interface Miss {
  readonly libraryUid: string;
  /** Its words, in lower case and in order. */
  readonly words: string;
  readonly times: number;
  /** When it was asked last. */
  readonly askedAt: number;
}

/**
 * A problem of a library, in one of its versions: its last run failed; a refresh is held; its open run is suspended or has made no
 * progress for half an hour; passages of the live generation are in quarantine; the live generation is damaged.
 */
export type Trouble = (typeof troubles)[number];
export const troubles = ["failed", "held", "stuck", "quarantined", "damaged"] as const;

/** A version whose refresh is due. */
export interface DueRefresh {
  readonly library: LibraryRecord;
  readonly version: string;
  readonly refreshAt: number;
  /** Whether its live generation is damaged. */
  readonly damaged: boolean;
}

/** A library with the requested version (undefined: unknown) and the names of all its versions. */
export interface LibraryView {
  readonly library: LibraryRecord;
  readonly version: VersionRecord | undefined;
  readonly versions: readonly string[];
  /** Access revision of the teamspace that `find` was given as `judging`. */
  readonly accessRevision?: number;
  /** Its problems, where `list` was given `troublesAt`. */
  readonly troubles?: readonly Trouble[];
}

/** The facts by which lists filter libraries. */
export interface LibraryFacet extends Pick<
  LibraryRecord,
  "uid" | "id" | "teamspace" | "source" | "trust" | "verified" | "licences" | "redirect"
> {
  readonly reputation: Pick<Reputation, "score" | "stars">;
  /** When the live generation of the default version was made; null: there is none. */
  readonly servedAt: number | null;
}

/** A filter of libraries. */
export interface LibraryQuery {
  readonly teamspaces: readonly string[];
  /** Patterns of a key with the wildcard `*`; absent or empty: all libraries. */
  readonly patterns?: readonly string[];
  /** Limits them further by access rules; absent: no limit. */
  readonly reach?: ReachTable;
  /** Text that ID or title contains. */
  readonly contains?: string;
  /** Only libraries with this problem now; `any`: with a problem. */
  readonly trouble?: { readonly kind: Trouble | "any"; readonly now: number };
  /** Only libraries of this kind of source. */
  readonly kind?: Kind;
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

/** Libraries and their versions. */
export interface LibraryStore {
  /**
   * The one look-up of a read: the first teamspace that has the ID wins. Redirects that moves left behind come after
   * all libraries. `judging` is the teamspace whose access revision is read as well.
   */
  find(teamspaces: readonly string[], id: string, version: string, judging?: string): Promise<LibraryView | undefined>;
  get(uid: string): Promise<LibraryRecord | undefined>;
  /**
   * Adds the library with its default version and an open run, in one transaction. `own` is the credential that becomes its
   * own; without it, `library.credential` is a shared one. `replaces` is the uid of the idle library with the same ID:
   * it is removed, with its own credential. Where another library `exists`, nothing was written.
   * @throws Failure validation_error where its teamspace is gone, credential_not_found where its credential is
   */
  create(
    library: LibraryRecord,
    ref: string | null,
    run: NewRun,
    options?: { readonly own?: CredentialRecord | undefined; readonly replaces?: string },
  ): Promise<{ created: OpenedRun } | ExistingLibrary>;
  /**
   * Adds a version unless it exists. Where the library has too many, unused versions without an open run are removed, least
   * recently read first. False where the library is gone, or too few may be removed.
   */
  addVersion(uid: string, version: string, ref: string | null, room?: VersionRoom): Promise<boolean>;
  /** Changes the given members; `options` only those members of the source, `ref` the ref of the default version. A redirect is not refreshed on schedule. */
  update(
    uid: string,
    changes: Partial<
      Pick<
        LibraryRecord,
        "title" | "description" | "chosen" | "source" | "redirect" | "trust" | "claims" | "reputation"
      >
    > & {
      readonly options?: Readonly<Record<string, unknown>>;
      readonly ref?: string | null;
      /** Null: unknown again. */
      readonly licences?: Licences | null;
      /** Null: it names none. */
      readonly repository?: NamedRepository | null;
      /** Null: follows from the trust score again. */
      readonly verified?: boolean | null;
      /** Release keys to add, or to withdraw. */
      readonly release?: { readonly keys: readonly string[]; readonly withdraw: boolean };
    },
  ): Promise<void>;
  /**
   * Sets the credential of a library: a shared one, or `own`, which becomes its own. Its previous own one is removed.
   * @throws Failure credential_not_found where the shared one is gone
   */
  useCredential(
    uid: string,
    credential: { readonly shared: string } | { readonly own: CredentialRecord },
  ): Promise<void>;
  /** Replaces the sample of page keys of a library. */
  keepSample(uid: string, pageKeys: readonly string[]): Promise<void>;
  /** Public libraries that share at least `least` page keys of a library's sample, those with the most first. */
  likeSample(uid: string, least: number): Promise<readonly LibraryRecord[]>;
  /** The public libraries whose reputation is missing or older than a time, oldest first. */
  withoutReputation(checkedBefore: number, limit: number): Promise<readonly LibraryRecord[]>;
  /** The public libraries whose repository names a site on a host (`siteHost` in `domain/trust.ts`), the oldest first. */
  namingSite(host: string): Promise<readonly LibraryRecord[]>;
  /**
   * Links between packages and repositories among the visible libraries of some teamspaces: those of some packages, or the
   * first `limit` of the packages that name a repository, by package ID. A repository that moved is also found by its former addresses,
   * unless another one has them now.
   */
  links(
    of: { readonly packages: readonly string[] } | { readonly repository: string; readonly limit: number },
    teamspaces: readonly string[],
  ): Promise<readonly PackageLink[]>;
  /** The libraries that use any of these credentials, by ID. */
  usersOf(credentials: readonly string[]): Promise<readonly LibraryRecord[]>;
  /**
   * Records that the library's repository has another address, and returns the changed library; undefined where it is gone.
   * Nothing changes where its address is no longer the one that it moved from. With a new ID the library is renamed: the old
   * ID, and redirects to it, then redirect to the new one; keys stay as they are. Where the submitter could not submit the
   * new ID, or it is taken (also by a library that would hide this one, or be hidden by it), the library keeps its ID, and the
   * rename is pending, unless it was refused before.
   */
  move(uid: string, move: MovedSource, now: number): Promise<LibraryRecord | undefined>;
  /**
   * Accepts a pending rename, or refuses it for good. `taken` is the library or redirect of the same owner that has the new
   * ID; nothing changed then. Undefined where no rename to that ID is pending.
   */
  decideRename(
    uid: string,
    decision: { readonly id: string; readonly accept: boolean },
    now: number,
  ): Promise<{ readonly library: LibraryRecord } | { readonly taken: LibraryRecord } | undefined>;
  /**
   * Replaces the uploaded file of a library, and opens a run that reads it. An open run of the default version is closed as
   * superseded, as it would publish the earlier file. Undefined where the library is gone, or redirects.
   */
  replaceUpload(
    uid: string,
    changes: Pick<LibraryRecord, "source" | "upload"> &
      Partial<Pick<LibraryRecord, "title" | "description" | "chosen">>,
    run: NewRun,
    now: number,
  ): Promise<{ readonly run: RunRecord; readonly superseded: RunRecord | null } | undefined>;
  /** IDs of all uploads that libraries are read from. */
  uploads(): Promise<ReadonlySet<string>>;
  /**
   * Removes the library, its own credential, its versions and refs, and redirects to it that have nothing live. Its
   * generations become removable; its open runs are closed as cancelled and returned.
   */
  remove(uid: string, now: number): Promise<readonly RunRecord[]>;
  versionsOf(uid: string): Promise<readonly VersionRecord[]>;
  /** A page of the libraries that match the query and that `accept` takes, by ID. */
  list(
    query: LibraryQuery & {
      readonly accept?: (library: LibraryFacet) => boolean;
      readonly limit: number;
      readonly cursor?: string;
      /** The time at which `troubles` of each are determined; absent: they are not. */
      readonly troublesAt?: number;
    },
  ): Promise<Listing<LibraryView>>;
  /** The facets of the libraries that match a query, or that have some uids; by ID. */
  facets(query: LibraryQuery | { readonly uids: readonly string[] }): Promise<readonly LibraryFacet[]>;
  /** Replaces the list of refs, and the number of refs that were left out of it; 0 by default. */
  keepRefs(uid: string, refs: readonly SourceRef[], leftOut?: number): Promise<void>;
  /** The listed refs of a library, tags before branches. */
  refs(uid: string): Promise<readonly SourceRef[]>;
  /** The number of refs that were left out of the list. */
  refsLeftOut(uid: string): Promise<number>;
  /** Adds to the read counts of libraries. Counts of libraries that are gone, and of days long past, are dropped. */
  countReads(reads: readonly ReadCount[], now: number): Promise<void>;
  /** Total reads of a library since a day, inclusive. */
  readsSince(uid: string, day: string): Promise<number>;
  /** Adds questions that found nothing. Those of libraries that are gone are dropped; each library keeps its latest hundred. */
  noteMisses(misses: readonly Miss[]): Promise<void>;
  /** The questions that found nothing in a library, latest first. */
  misses(uid: string, limit: number): Promise<readonly Miss[]>;
  /** Sets when a scheduled refresh of a version is due; versions of redirects are not refreshed. */
  setRefreshAt(uid: string, version: string, refreshAt: number | null): Promise<void>;
  /**
   * Readable versions of libraries of one kind that were last used before a time and have neither an open run nor a held
   * generation, least recently used first; never default versions.
   */
  unusedVersions(kind: SourceSpec["kind"], unusedSince: number, limit: number): Promise<readonly UnusedVersion[]>;
  /** Removes such a version as `remove` does a library; false where it is in use or gone by now. */
  giveUpVersion(uid: string, version: string, room: Pick<VersionRoom, "unusedSince" | "removeAfter">): Promise<boolean>;
  /** Finalized versions without an open run whose refresh is due, longest overdue first. */
  dueRefreshes(now: number, limit: number): Promise<readonly DueRefresh[]>;
}

/** How far the index has been rebuilt, as after an upgrade that changed its format. */
export interface Rebuilding {
  /** Libraries with a live generation. */
  readonly libraries: number;
  /** Those with a generation that has to be loaded again. */
  readonly waiting: number;
}

export interface GenerationStore {
  get(id: string): Promise<GenerationRecord | undefined>;
  of(uid: string, version: string): Promise<readonly GenerationRecord[]>;
  /** Records the generation that a run staged; staging it again replaces it. Does nothing unless that run is open. */
  stage(generation: Omit<GenerationRecord, "state" | "removeAfter" | "damage">): Promise<void>;
  /** Holds the generation for an operator's decision, in place of a previously held one. Scheduled refreshes do not try its revision again. */
  hold(id: string, now: number): Promise<void>;
  /** Drops a held generation. False where it is not held. */
  dropHeld(id: string, now: number): Promise<boolean>;
  /**
   * Publishes in one transaction, by compare-and-set: only while the run is its version's open run and the live generation
   * is the given one. Publishing again returns true and changes nothing.
   */
  publish(input: { runId: string; generation: string; live: string | null }, now: number): Promise<boolean>;
  /** Makes the newest kept retired generation live again; undefined: there is none. */
  rollback(uid: string, version: string, now: number): Promise<GenerationRecord | undefined>;
  /** Makes retired generations beyond the newest `keep` undamaged ones removable at `removeAfter`. */
  retire(uid: string, version: string, keep: number, removeAfter: number): Promise<void>;
  /** All live generations. */
  live(): Promise<readonly Pick<GenerationRecord, "id" | "libraryUid" | "version" | "counts" | "damage">[]>;
  /** How many libraries are live, and how many of these have an open run that only loads their live generation again. */
  rebuilding(): Promise<Rebuilding>;
  /**
   * Sets or clears (null) the damage of a generation, and returns whether it is live. Newly found damage of a live one makes
   * a refresh of its version due, unless the library redirects.
   */
  noteDamage(id: string, damage: string | null, now: number): Promise<boolean>;
  /** Generations that may be removed now. */
  removable(now: number): Promise<readonly GenerationRecord[]>;
  /** Removes the record of a generation whose index rows and blobs are gone. */
  forget(id: string): Promise<void>;
  /** The given IDs that are in the catalog. */
  known(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

/** When the next request may be sent to each host, over all workers. Times are in milliseconds since 1970. */
export interface HostStore {
  /** Reserves the next request to a host, `interval` milliseconds after the previous one. Returns when it may be sent. */
  reserve(host: string, interval: number, now: number): Promise<number>;
  /** Nothing is sent to a host before a time, as the host asked. */
  postpone(host: string, until: number): Promise<void>;
  /** Removes hosts whose next request was due before a time. */
  forget(before: number): Promise<void>;
}

/** The relational store of everything that is not passages. Each method is one transaction. */
export interface Catalog {
  readonly libraries: LibraryStore;
  readonly runs: RunStore;
  readonly generations: GenerationStore;
  readonly teamspaces: TeamspaceStore;
  readonly keys: KeyStore;
  readonly access: AccessStore;
  readonly credentials: CredentialStore;
  readonly hosts: HostStore;
  readonly audit: AuditStore;
  readonly metrics: MetricsStore;
  /** Figures of the whole deployment, for monitoring. */
  figures(now: number): Promise<CatalogFigures>;
  /** Counts requests over all processes; absent: a single process uses the catalog, and counts in memory. */
  readonly limiter?: Limiter;
  /** Bytes that the catalog takes on its server; absent: it is a file of the process. @throws Failure search_failed */
  readonly size?: () => Promise<number>;
  /** Resolves when the store responds. @throws Failure search_failed */
  ready(): Promise<void>;
  close(): Promise<void>;
}
