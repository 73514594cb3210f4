import type { Counts, Manifest } from "./generation.ts";

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
  /** Error message where a part or the manifest was found missing or damaged, else null. */
  readonly damage: string | null;
  /** When the index was found to lack it, so that it is to be loaded again; null: that is not known. */
  readonly unindexedSince: number | null;
}

/** A live generation, as checks of all of them need it. */
export type LiveGeneration = Pick<
  GenerationRecord,
  "id" | "libraryUid" | "version" | "counts" | "damage" | "unindexedSince"
>;

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
  stage(generation: Omit<GenerationRecord, "state" | "removeAfter" | "damage" | "unindexedSince">): Promise<void>;
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
  /** All live generations; with `unindexed` only those that the index is known to lack. */
  live(filter?: { readonly unindexed: true }): Promise<readonly LiveGeneration[]>;
  /** Replaces the counts of a generation, whose passages stay. */
  recount(id: string, counts: Counts): Promise<void>;
  /** How many libraries are live, and how many of these have an open run that only loads their live generation again. */
  rebuilding(): Promise<Rebuilding>;
  /**
   * Sets or clears (null) the damage of a generation, and returns whether it is live. Newly found damage of a live one makes
   * a refresh of its version due, unless the library redirects.
   */
  noteDamage(id: string, damage: string | null, now: number): Promise<boolean>;
  /** Notes whether the index lacks generations. What is noted already keeps its time. */
  noteUnindexed(ids: readonly string[], isUnindexed: boolean, now: number): Promise<void>;
  /** Generations that may be removed now. */
  removable(now: number): Promise<readonly GenerationRecord[]>;
  /** Removes the record of a generation whose index rows and blobs are gone. */
  forget(id: string): Promise<void>;
  /** The given IDs that are in the catalog. */
  known(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

/** A generation as the catalog registers it. */
export function toRecord(
  manifest: Manifest,
  libraryUid: string,
  createdAt: number,
): Parameters<GenerationStore["stage"]>[0] {
  const { generation: id, version, revision, ref, optionsHash, extractor, contentHash, counts } = manifest;
  return { id, libraryUid, version, revision, ref, optionsHash, extractor, contentHash, counts, createdAt };
}
