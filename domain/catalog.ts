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
  /** ID as first submitted, or as it became when the host renamed the repository that it is made of. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** What somebody chose for it; that comes before what the source says of itself, and what use says. */
  readonly chosen?: Choices;
  readonly source: SourceSpec;
  /** Id of the credential that reading the source needs. */
  readonly credential: string | null;
  /** The library's new ID, when it moved. What is left behind of a moved one has this and no version. */
  readonly redirect: string | null;
  /** What an operator has set in place of what is known, 0 to 10; null: nothing (`trustOf` in `domain/trust.ts`). */
  readonly trust: number | null;
  /** Whether it is verified, in place of what its trust score says; absent: nobody has set it. */
  readonly verified?: boolean;
  /** Absent: nobody has asked yet, or it is private. */
  readonly reputation?: Reputation;
  /** Milliseconds since 1970, as all times here. */
  readonly createdAt: number;
  /** Whose key submitted it; null where nobody's did, or where it is from before that was kept. */
  readonly submittedBy: Submitter | null;
  /** What it would be renamed to, if an administrator accepts; null: nothing waits. */
  readonly pendingRename: PendingRename | null;
  /** IDs that administrators refused: it is not to be renamed to them by itself. */
  readonly refusedRenames: readonly string[];
  /** Id of the uploaded file that it is read from (`domain/uploads.ts`); null: its source is elsewhere. */
  readonly upload: string | null;
  /** The names that manifests of packages claim for it. */
  readonly claims: readonly ClaimedName[];
  /** What its manifests and licence files say, as they were last read; absent: not known. */
  readonly licences?: Licences;
  /** The repository that a package names; absent: none, or it is no package. */
  readonly repository?: NamedRepository;
}

/** The key that a library was submitted with, or `user:` and a hash where somebody who signed in submitted it. */
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
 * Why a rename waits. `submitter`: whose key submitted the library is not known, or that key is gone, revoked or expired.
 * `patterns`: that key could not have submitted the new ID. `rules`: access rules say something else about who reads it. `taken`: there is a library of the new ID already, or a redirect.
 */
export type RenameObstacle = "submitter" | "patterns" | "rules" | "taken";

/** What people chose for a library. What is absent was not chosen. */
export interface Choices extends Releases {
  readonly title?: string;
  readonly description?: string;
  /** Advice that its readers are given with every answer. */
  readonly rules?: readonly string[];
  /** Days between two refreshes, or none by themselves; absent: by use. */
  readonly schedule?: Schedule;
  /** 0 to 10, in place of what is known. */
  readonly trust?: number;
}

/** Refresh schedule: an interval in days, or never. */
export type Schedule = number | "never";

export type GenerationState = "staged" | "held" | "live" | "retired";

export interface GenerationRecord {
  /** The id of the run that made it. */
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
  /** From when on the sweep may remove it; null: kept. */
  readonly removeAfter: number | null;
  /** The error message if a part or the manifest was found missing or damaged, else null. */
  readonly damage: string | null;
}

/** One version of a library, with all that a read decides by. */
export interface VersionRecord {
  readonly libraryUid: string;
  /** "" for the default version. */
  readonly version: string;
  /** Branch or tag that it follows; null: the source's default. */
  readonly ref: string | null;
  readonly live: GenerationRecord | null;
  readonly openRun: RunRecord | null;
  /** The run that closed last. */
  readonly lastRun: RunRecord | null;
  /** The revision last seen at the source whose content equals the live generation's. */
  readonly checkedRevision: string | null;
  /** What was read in place of the checked revision: where the branch was that the library's own file names; null: nothing else. */
  readonly followedRevision: string | null;
  /** A revision that was held or rolled back: not tried again by itself. */
  readonly refusedRevision: string | null;
  /** When a source was last looked at. */
  readonly checkedAt: number | null;
  /** From when on the sweep refreshes it by itself; null: not at all, as nobody asks for it. */
  readonly refreshAt: number | null;
  /** When it was last read, by about a minute, or asked for; null: never, or it is the default version, which stays. */
  readonly readAt: number | null;
}

/** What an added version may make way for itself. */
export interface VersionRoom {
  /** Versions of one library, the default one not counted. */
  readonly atMost: number;
  /** The present. */
  readonly now: number;
  /** Only versions that nobody has asked for or read, and that were not made, since then may go. */
  readonly unusedSince: number;
  /** From when on the generations of one that goes may be removed. */
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

/** A question that found nothing. Nothing says who asked it. */
export interface Miss {
  readonly libraryUid: string;
  /** Its words alone, in lower case and in their order. */
  readonly words: string;
  readonly times: number;
  /** When it was asked last. */
  readonly askedAt: number;
}

/**
 * What is the matter with a library, in one of its versions: its last run failed; a refresh is held; its open run is suspended or has not
 * got on for half an hour; passages of what is live are in quarantine; what is live is damaged.
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

/** A library with the version asked for (undefined: unknown) and the names of all that it has. */
export interface LibraryView {
  readonly library: LibraryRecord;
  readonly version: VersionRecord | undefined;
  readonly versions: readonly string[];
  /** Revision of the access of the teamspace that judges, where `find` was told one. */
  readonly accessRevision?: number;
  /** What is the matter with it, where `list` was told the time. */
  readonly troubles?: readonly Trouble[];
}

/** A library as lists of many judge it. */
export interface LibraryFacet extends Pick<
  LibraryRecord,
  "uid" | "id" | "teamspace" | "source" | "trust" | "verified" | "licences" | "redirect"
> {
  readonly reputation: Pick<Reputation, "score" | "stars">;
  /** When the generation of the default version was made that is served; null: none is. */
  readonly servedAt: number | null;
}

/** Which libraries are listed. */
export interface LibraryQuery {
  readonly teamspaces: readonly string[];
  /** Those of a key, `*` for anything; absent or empty: all. */
  readonly patterns?: readonly string[];
  /** What rules of a teamspace leave of them; absent: all. */
  readonly reach?: ReachTable;
  /** What ID or title contains. */
  readonly contains?: string;
  /** Only libraries with which this is the matter now; `any`: something is. */
  readonly trouble?: { readonly kind: Trouble | "any"; readonly now: number };
  /** Only those of this kind of source. */
  readonly kind?: Kind;
}

/** A page of a list; `next` is the cursor of the following one. */
export interface Listing<T> {
  readonly items: readonly T[];
  readonly total: number;
  readonly next: string | null;
}

/** A version that nobody has asked for since a time. */
export interface UnusedVersion {
  readonly library: LibraryRecord;
  readonly version: string;
  readonly usedAt: number;
  /** What the default version has served: a branch, a tag or a version; null: nothing is, or it has no name. */
  readonly servedRef: string | null;
}

/** A package, and a library of the repository that it names, by their uids. */
export interface PackageLink {
  readonly packageUid: string;
  readonly repositoryUid: string;
  /** As in `NamedRepository`. */
  readonly isConfirmed: boolean;
}

/** The library that has an ID. */
export interface ExistingLibrary {
  readonly exists: LibraryRecord;
  /** Absent: it can be read, or is being indexed. */
  readonly idle?: { readonly since: number | null };
}

/** Libraries and their versions. */
export interface LibraryStore {
  /**
   * The one look-up of a read: the first teamspace that has the ID wins. What a moved library left behind comes after
   * all libraries. `judging` is the teamspace whose access revision is read along.
   */
  find(teamspaces: readonly string[], id: string, version: string, judging?: string): Promise<LibraryView | undefined>;
  get(uid: string): Promise<LibraryRecord | undefined>;
  /**
   * Adds the library with its default version and an open run, in one transaction. `own` is the credential that becomes its
   * own; without it, `library.credential` is a shared one. `replaces` is the uid of the library that has the same ID and is
   * idle: it is removed, with its own credential.
   * `exists` names the one that stands in the way; nothing was written then. `idle` says that it has nothing to read and no
   * open run, and when its last run ended, in milliseconds since 1970; null if it had none.
   * @throws Failure validation_error where its teamspace is gone, credential_not_found where its credential is
   */
  create(
    library: LibraryRecord,
    ref: string | null,
    run: NewRun,
    options?: { readonly own?: CredentialRecord | undefined; readonly replaces?: string },
  ): Promise<{ created: OpenedRun } | ExistingLibrary>;
  /**
   * Adds a version if it is not there. Where the library has too many, those that are neither used nor being indexed make
   * way: those first that were read longest ago. False where the library is gone, or where too few may go.
   */
  addVersion(uid: string, version: string, ref: string | null, room?: VersionRoom): Promise<boolean>;
  /** Changes what is given; `options` only these members of the source, `ref` what the default version follows. A library that moved is not refreshed by itself. */
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
      /** Null: not known any more. */
      readonly licences?: Licences | null;
      /** Null: it names none. */
      readonly repository?: NamedRepository | null;
      /** Null: it follows from the trust score again. */
      readonly verified?: boolean | null;
      /** Release keys to add to those that were chosen, or to take away from them. */
      readonly release?: { readonly keys: readonly string[]; readonly withdraw: boolean };
    },
  ): Promise<void>;
  /**
   * Lets a library that is there use another credential: a shared one, or `own`, which becomes its own. Its own one from
   * before is removed. @throws Failure credential_not_found where the shared one is gone
   */
  useCredential(
    uid: string,
    credential: { readonly shared: string } | { readonly own: CredentialRecord },
  ): Promise<void>;
  /** Keeps a sample of the keys of a library's pages, in place of the one from before. */
  keepSample(uid: string, pageKeys: readonly string[]): Promise<void>;
  /** Public libraries with at least `least` pages of a library's sample, those with the most first. */
  likeSample(uid: string, least: number): Promise<readonly LibraryRecord[]>;
  /** The public libraries whose reputation is older than a time, or missing, those from longest ago first. */
  withoutReputation(checkedBefore: number, limit: number): Promise<readonly LibraryRecord[]>;
  /** The public libraries whose repository names a site on a host (`siteHost` in `domain/trust.ts`), the oldest first. */
  namingSite(host: string): Promise<readonly LibraryRecord[]>;
  /**
   * Which packages name which repositories, of the libraries of some teamspaces that an ID leads to: the links of some packages, or the
   * first `limit` of those that name a repository, by the package's ID. A repository that moved is found by its former addresses too, where
   * none is at these now.
   */
  links(
    of: { readonly packages: readonly string[] } | { readonly repository: string; readonly limit: number },
    teamspaces: readonly string[],
  ): Promise<readonly PackageLink[]>;
  /** The libraries that use any of these credentials, by ID. */
  usersOf(credentials: readonly string[]): Promise<readonly LibraryRecord[]>;
  /**
   * Records that the library's repository is at another address, and answers the library as it is then; undefined where
   * it is gone. Nothing changes where the address is not the one it moved from any more. With a new ID the library goes
   * to that one with all it has, the old ID redirects to it, and so does what redirected to the old one; keys stay as they
   * are. Where its submitter could not submit the new ID, or that is taken, also by a library that hides it or that it would
   * hide, the library keeps its own, and the rename is pending, unless it was refused before.
   */
  move(uid: string, move: MovedSource, now: number): Promise<LibraryRecord | undefined>;
  /**
   * Ends a pending rename: it is done, or refused for good. `taken` is the library, or the redirect, that has the new ID of
   * the same owner; nothing changed then. Undefined where no rename to that ID is pending.
   */
  decideRename(
    uid: string,
    decision: { readonly id: string; readonly accept: boolean },
    now: number,
  ): Promise<{ readonly library: LibraryRecord } | { readonly taken: LibraryRecord } | undefined>;
  /**
   * Gives a library another upload, with a run that reads it. A run that is open for the default version is closed as
   * superseded: it would publish the earlier file. Undefined where the library is gone, or redirects.
   */
  replaceUpload(
    uid: string,
    changes: Pick<LibraryRecord, "source" | "upload"> &
      Partial<Pick<LibraryRecord, "title" | "description" | "chosen">>,
    run: NewRun,
    now: number,
  ): Promise<{ readonly run: RunRecord; readonly superseded: RunRecord | null } | undefined>;
  /** Ids of all uploads that libraries are read from. */
  uploads(): Promise<ReadonlySet<string>>;
  /**
   * Removes the library, its own credential, its versions and refs at once, and what redirects to it without anything live; its
   * generations become removable, its open runs are returned, closed as cancelled.
   */
  remove(uid: string, now: number): Promise<readonly RunRecord[]>;
  versionsOf(uid: string): Promise<readonly VersionRecord[]>;
  /** Libraries by ID, a page at a time; of those that fit the query, only such as `accept` takes, which is asked of each of them. */
  list(
    query: LibraryQuery & {
      readonly accept?: (library: LibraryFacet) => boolean;
      readonly limit: number;
      readonly cursor?: string;
      /** Says of each what is the matter with it at this time. */
      readonly troublesAt?: number;
    },
  ): Promise<Listing<LibraryView>>;
  /** What lists judge by, of all libraries that fit a query, or of those among some uids that exist; by ID. */
  facets(query: LibraryQuery | { readonly uids: readonly string[] }): Promise<readonly LibraryFacet[]>;
  /** Replaces the kept list of refs, and how many the source has besides; none by default. */
  keepRefs(uid: string, refs: readonly SourceRef[], leftOut?: number): Promise<void>;
  /** The kept refs of a library, tags before branches. */
  refs(uid: string): Promise<readonly SourceRef[]>;
  /** How many refs the source has that are not kept. */
  refsLeftOut(uid: string): Promise<number>;
  /** Adds to the counted reads of libraries; those of libraries that are gone are dropped, and so are days long past. */
  countReads(reads: readonly ReadCount[], now: number): Promise<void>;
  /** Reads of a library from the given day on, in all. */
  readsSince(uid: string, day: string): Promise<number>;
  /** Adds to the questions of libraries that found nothing; those of libraries that are gone are dropped, and the oldest of each beyond the hundred that are kept. */
  noteMisses(misses: readonly Miss[]): Promise<void>;
  /** The questions that found nothing in a library, the latest first. */
  misses(uid: string, limit: number): Promise<readonly Miss[]>;
  /** Sets from when on the sweep refreshes a version by itself; a version of a library that moved is not. */
  setRefreshAt(uid: string, version: string, refreshAt: number | null): Promise<void>;
  /**
   * Versions of libraries of one kind that can be read, were asked for or made before a time and not since, and are neither being indexed
   * nor held; never the default ones. Those first that were used longest ago.
   */
  unusedVersions(kind: SourceSpec["kind"], unusedSince: number, limit: number): Promise<readonly UnusedVersion[]>;
  /** Removes such a version as `remove` does a library; false where it is used or gone by now. */
  giveUpVersion(uid: string, version: string, room: Pick<VersionRoom, "unusedSince" | "removeAfter">): Promise<boolean>;
  /** Finalized versions without an open run whose refresh is due by now, the longest overdue first. */
  dueRefreshes(now: number, limit: number): Promise<readonly DueRefresh[]>;
}

/** How far the index is with what it lost, as by an upgrade that changed its format. */
export interface Rebuilding {
  /** Libraries that have something live. */
  readonly libraries: number;
  /** Those of which something is to be loaded again. */
  readonly waiting: number;
}

export interface GenerationStore {
  get(id: string): Promise<GenerationRecord | undefined>;
  of(uid: string, version: string): Promise<readonly GenerationRecord[]>;
  /** Registers what a run staged; staging it again replaces the figures. Does nothing where the version has no open run that makes it. */
  stage(generation: Omit<GenerationRecord, "state" | "removeAfter" | "damage">): Promise<void>;
  /** Keeps the generation for an operator's decision, in place of one held before; its revision is not tried again by itself. */
  hold(id: string, now: number): Promise<void>;
  /** Drops a held generation. False where it is not held. */
  dropHeld(id: string, now: number): Promise<boolean>;
  /**
   * One transaction, compare-and-set: the run is its version's open run and the live generation is the one given.
   * Publishing it again says true again and changes nothing.
   */
  publish(input: { runId: string; generation: string; live: string | null }, now: number): Promise<boolean>;
  /** Makes the newest kept retired generation live again. Undefined where there is none. */
  rollback(uid: string, version: string, now: number): Promise<GenerationRecord | undefined>;
  /** Marks retired generations beyond the newest `keep` as removable from `removeAfter` on; those that are damaged are not kept. */
  retire(uid: string, version: string, keep: number, removeAfter: number): Promise<void>;
  /** Every generation that readers see. */
  live(): Promise<readonly Pick<GenerationRecord, "id" | "libraryUid" | "version" | "counts" | "damage">[]>;
  /** How many libraries readers see, and how many of these have a run open that only loads again what they see. */
  rebuilding(): Promise<Rebuilding>;
  /**
   * Sets or clears (null) the damage of a generation, and returns whether it is live. If a live one had none before, a refresh
   * of its version is due, unless the library moved.
   */
  noteDamage(id: string, damage: string | null, now: number): Promise<boolean>;
  /** Generations that may be removed by now. */
  removable(now: number): Promise<readonly GenerationRecord[]>;
  /** Forgets a generation whose index rows and blobs are gone. */
  forget(id: string): Promise<void>;
  /** Ids among the given that the catalog knows. */
  known(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

/** When hosts may be asked next, for all workers. Times are in milliseconds since 1970. */
export interface HostStore {
  /** Reserves the next request to a host, `interval` milliseconds behind the one before it. Returns when it may be sent. */
  reserve(host: string, interval: number, now: number): Promise<number>;
  /** Nothing is sent to a host before a time, because it asks for that. */
  postpone(host: string, until: number): Promise<void>;
  /** Forgets hosts whose next time was before the given one. */
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
  /** Counts requests of all processes that have the catalog; absent: only one has it, which counts in its memory. */
  readonly limiter?: Limiter;
  /** Bytes that the catalog takes on its server; absent: it has none, but files of the process. @throws Failure search_failed */
  readonly size?: () => Promise<number>;
  /** Answers when the store does. @throws Failure search_failed */
  ready(): Promise<void>;
  close(): Promise<void>;
}
