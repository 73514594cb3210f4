import type { LibraryRecord } from "./catalog-libraries.ts";

/** Declared values by the names of the forms; null: the default. */
export type DeclaredFields = Readonly<Record<string, unknown>>;

/** What a library manifest declares of a library, as it was last applied. */
export interface Declaration {
  /** Name of the manifest, and the teamspace that applied it. */
  readonly manifest: string;
  readonly teamspace: string;
  /** The manifest added the library, so it may remove it. */
  readonly made: boolean;
  /** Address, path or name of the source, as declared. */
  readonly location: string;
  readonly fields: DeclaredFields;
  /** Versions that are added once the first run has read the branches and tags. */
  readonly waiting: readonly string[];
}

/** A library with its declaration. */
export interface DeclaredLibrary {
  readonly library: LibraryRecord;
  readonly declaration: Declaration;
}

/** How a library manifest was last applied. */
export interface ManifestRecord {
  readonly name: string;
  /** The teamspace that applied it. */
  readonly teamspace: string;
  /** Commit that it was read from; null: it was sent. */
  readonly revision: string | null;
  readonly appliedAt: number;
  /** What was done, as a sentence. */
  readonly result: string;
  /** What could not be done, or why it was not applied. */
  readonly problems: readonly string[];
}

/** Library manifests, and what they declare. Declarations of a deleted library are removed with it. */
export interface ManifestStore {
  /** Records how a manifest was applied, in place of the last time. */
  note(record: ManifestRecord): Promise<void>;
  /** The manifests of a teamspace, by name. */
  list(teamspace: string): Promise<readonly ManifestRecord[]>;
  /** The libraries that a manifest declares, by ID. */
  declared(manifest: Pick<ManifestRecord, "name" | "teamspace">): Promise<readonly DeclaredLibrary[]>;
  /** The declaration of a library. */
  of(libraryUid: string): Promise<Declaration | undefined>;
  /** Replaces the declaration of a library; null: none. Nothing happens if the library is gone. */
  declare(libraryUid: string, declaration: Declaration | null): Promise<void>;
  /** Libraries with versions that wait, by ID. */
  waiting(limit: number): Promise<readonly DeclaredLibrary[]>;
}
