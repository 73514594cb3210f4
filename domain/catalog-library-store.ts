import type { CredentialRecord } from "./catalog-access.ts";
import type { Declaration } from "./catalog-manifests.ts";
import type {
  DueRefresh,
  DueRetry,
  ExistingLibrary,
  LibraryFacet,
  LibraryQuery,
  LibraryRecord,
  LibraryView,
  Listing,
  PackageLink,
  UnusedVersion,
  VersionRecord,
  VersionRoom,
} from "./catalog-libraries.ts";
import type { NewRun, OpenedRun, RunRecord } from "./catalog-runs.ts";
import type { SourceSpec } from "./kinds/index.ts";
import type { SettingMembers } from "./library-settings.ts";
import type { MovedSource } from "./kinds/kind.ts";
import type { Licences, SourceRef } from "./source.ts";
import type { NamedRepository } from "./addresses.ts";

/** Reads of a library on one day. */
export interface ReadCount {
  readonly libraryUid: string;
  /** As in 2026-11-21, UTC. */
  readonly day: string;
  readonly reads: number;
  /** Which version was read; absent for the default one. */
  readonly version?: string;
}

/** A question that found nothing. It does not say who asked. */
export interface Miss {
  readonly libraryUid: string;
  /** Its words, in lower case and in order. */
  readonly words: string;
  readonly times: number;
  /** When it was asked last. */
  readonly askedAt: number;
}

/** Libraries and their versions. */
export interface LibraryStore {
  /**
   * The only look-up of a read: the first teamspace that has the ID wins; redirects of moved libraries come last.
   * `judging` is the teamspace whose access revision is read as well.
   */
  find(teamspaces: readonly string[], id: string, version: string, judging?: string): Promise<LibraryView | undefined>;
  get(uid: string): Promise<LibraryRecord | undefined>;
  /**
   * Adds the library with its default version and an open run, in one transaction. `own` becomes its own credential; without
   * it, `library.credential` is a shared one. `replaces` is the uid of an idle library with the same ID, which is removed with
   * its own credential. If another library `exists`, nothing is written.
   * @throws Failure validation_error if its teamspace is gone, credential_not_found if its credential is
   */
  create(
    library: LibraryRecord,
    ref: string | null,
    run: NewRun,
    options?: {
      readonly own?: CredentialRecord | undefined;
      readonly replaces?: string;
      /** What a library manifest declares of it, written in the same transaction. */
      readonly declaration?: Declaration | undefined;
    },
  ): Promise<{ created: OpenedRun } | ExistingLibrary>;
  /**
   * Adds a version unless it exists. If the library has too many, unused versions without an open run are removed, least
   * recently read first. False if the library is gone, or too few may be removed.
   */
  addVersion(uid: string, version: string, ref: string | null, room?: VersionRoom): Promise<boolean>;
  /** Changes the given members. `options` changes members of the source; a redirect stops scheduled refreshes. */
  update(
    uid: string,
    changes: Partial<Pick<LibraryRecord, "source" | "redirect" | "claims" | "reputation">> &
      SettingMembers & {
        readonly options?: Readonly<Record<string, unknown>>;
        /** Of the default version. */
        readonly ref?: string | null;
        /** Null: unknown again. */
        readonly licences?: Licences | null;
        /** Null: none. */
        readonly repository?: NamedRepository | null;
        /** What a library manifest declares of it, written in the same transaction. */
        readonly declaration?: Declaration;
        /** When all versions are to be refreshed, as after a change that a host reports. */
        readonly pushedAt?: number;
        /** Release keys to add, or to withdraw. */
        readonly release?: { readonly keys: readonly string[]; readonly withdraw: boolean };
      },
  ): Promise<void>;
  /** Sets the credential of a library, and removes its previous own one. @throws Failure credential_not_found */
  useCredential(
    uid: string,
    credential: { readonly shared: string } | { readonly own: CredentialRecord },
  ): Promise<void>;
  /** Replaces the sample of page keys of a library. */
  keepSample(uid: string, pageKeys: readonly string[]): Promise<void>;
  /** Public libraries that have at least `least` page keys of a library's sample, those with the most first. */
  likeSample(uid: string, least: number): Promise<readonly LibraryRecord[]>;
  /** Public libraries whose reputation is missing or older than a time, oldest first. */
  withoutReputation(checkedBefore: number, limit: number): Promise<readonly LibraryRecord[]>;
  /** Public libraries whose repository names a site on a host (`siteHost` in `domain/trust.ts`), oldest first. */
  namingSite(host: string): Promise<readonly LibraryRecord[]>;
  /**
   * Links between packages and repositories among the visible libraries of some teamspaces: those of some packages, or of the
   * first `limit` packages that name a repository, by package ID. A moved repository is also found by its former addresses,
   * unless another one has them now.
   */
  links(
    of: { readonly packages: readonly string[] } | { readonly repository: string; readonly limit: number },
    teamspaces: readonly string[],
  ): Promise<readonly PackageLink[]>;
  /** The libraries that use any of these credentials, by ID. */
  usersOf(credentials: readonly string[]): Promise<readonly LibraryRecord[]>;
  /**
   * Records the new address of the library's repository, and returns the changed library; undefined if it is gone.
   * Nothing changes if its address is no longer the one that it moved from. With a new ID the library is renamed: the old
   * ID, and redirects to it, then redirect to the new one; keys stay as they are. If the submitter could not submit the new
   * ID, or it is taken (also by a library that would hide this one, or be hidden by it), the library keeps its ID, and the
   * rename is pending, unless it was refused before.
   */
  move(uid: string, move: MovedSource, now: number): Promise<LibraryRecord | undefined>;
  /**
   * Accepts a pending rename, or refuses it for good. `taken`: a library or redirect of the same owner has the new ID, and
   * nothing changed. Undefined: no rename to that ID is pending.
   */
  decideRename(
    uid: string,
    decision: { readonly id: string; readonly accept: boolean },
    now: number,
  ): Promise<{ readonly library: LibraryRecord } | { readonly taken: LibraryRecord } | undefined>;
  /**
   * Replaces the uploaded file of a library, and opens a run that reads it. An open run of the default version is closed as
   * superseded, as it would publish the earlier file. Undefined if the library is gone, or redirects.
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
  /** Libraries, not redirects, that never served anything and have no retry, whose last run closed before `since`, oldest first. */
  unserved(since: number, limit: number): Promise<readonly LibraryRecord[]>;
  /** Removes a library as `remove` does, if it never served anything and has no open run; else undefined. */
  removeUnserved(uid: string, now: number): Promise<readonly RunRecord[] | undefined>;
  versionsOf(uid: string): Promise<readonly VersionRecord[]>;
  /** A page of the libraries that match the query and `accept`, by ID. */
  list(
    query: LibraryQuery & {
      readonly accept?: (library: LibraryFacet) => boolean;
      readonly limit: number;
      readonly cursor?: string;
      /** The time at which the `troubles` of each are determined; absent: they are left out. */
      readonly troublesAt?: number;
    },
  ): Promise<Listing<LibraryView>>;
  /** The facets of the libraries that match a query, or have the uids, by ID. */
  facets(query: LibraryQuery | { readonly uids: readonly string[] }): Promise<readonly LibraryFacet[]>;
  /** Replaces the list of refs, and the number left out of it, by default 0. */
  keepRefs(uid: string, refs: readonly SourceRef[], leftOut?: number): Promise<void>;
  /** The listed refs of a library, tags before branches. */
  refs(uid: string): Promise<readonly SourceRef[]>;
  refsLeftOut(uid: string): Promise<number>;
  /** Adds to the read counts. Counts of libraries that are gone, and of days long past, are dropped. */
  countReads(reads: readonly ReadCount[], now: number): Promise<void>;
  /** Total reads of a library since a day, inclusive. */
  readsSince(uid: string, day: string): Promise<number>;
  /** Adds questions that found nothing. Those of libraries that are gone are dropped; each library keeps its latest hundred. */
  noteMisses(misses: readonly Miss[]): Promise<void>;
  /** The questions that found nothing in a library, latest first. */
  misses(uid: string, limit: number): Promise<readonly Miss[]>;
  /** Sets when a scheduled refresh of a version is due; versions of redirects are not refreshed. */
  setRefreshAt(uid: string, version: string, refreshAt: number | null): Promise<void>;
  /** The libraries, not redirects, of a repository address in the form of `repositoryAddress`. */
  at(repository: string): Promise<readonly LibraryRecord[]>;
  /** Notes that a host reported a change of a version. */
  markPushed(uid: string, version: string, now: number): Promise<void>;
  /** Versions without an open run, with a reported change that no run has read, longest waiting first. */
  pushed(limit: number): Promise<readonly { readonly libraryUid: string; readonly version: string }[]>;
  /** Forgets a reported change of a version, unless it was reported after `until`. */
  clearPushed(uid: string, version: string, until: number): Promise<void>;
  /**
   * Readable versions of libraries of a kind, last used before a time, without an open run or a held generation, least
   * recently used first; never default versions.
   */
  unusedVersions(kind: SourceSpec["kind"], unusedSince: number, limit: number): Promise<readonly UnusedVersion[]>;
  /** Removes an unused version as `remove` removes a library; false if it is in use or gone. */
  giveUpVersion(uid: string, version: string, room: Pick<VersionRoom, "unusedSince" | "removeAfter">): Promise<boolean>;
  /** Finalized versions without an open run whose refresh is due, longest overdue first. */
  dueRefreshes(now: number, limit: number): Promise<readonly DueRefresh[]>;
  /** Versions whose failed or suspended run is due for another try, longest overdue first; never of redirects. */
  dueRetries(now: number, limit: number): Promise<readonly DueRetry[]>;
}
