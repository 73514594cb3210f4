/** What calls a hook. GitHub Enterprise is `github`, Forgejo is `gitea`. */
export const hookSenders = ["github", "gitlab", "bitbucket", "gitea", "azure", "notion"] as const;

export type HookSender = (typeof hookSenders)[number];

/** A hook: an address that a host calls when a source has changed, for one library or for the repositories of an owner. */
export interface HookRecord {
  readonly id: string;
  /** Whose libraries it refreshes; "" for a hook of a public library. */
  readonly teamspace: string;
  readonly sender: HookSender;
  /** The only library that it refreshes; null: all that are read from below `prefix`. */
  readonly libraryUid: string | null;
  /** Beginning of repository addresses in the form of `repositoryAddress`, such as `github.com/acme`; null: one library. */
  readonly prefix: string | null;
  /** The encrypted secret that deliveries are signed with. */
  readonly sealed: string;
  readonly createdAt: number;
  /** When the last valid delivery arrived; null: none yet. */
  readonly deliveredAt: number | null;
  /** What the last valid delivery did, as a sentence; null: none yet. */
  readonly result: string | null;
}

/** Hooks and the IDs of their latest deliveries. */
export interface HookStore {
  add(hook: HookRecord): Promise<void>;
  get(id: string): Promise<HookRecord | undefined>;
  /** The hooks of a teamspace, oldest first; "" has those of public libraries. */
  list(teamspace: string): Promise<readonly HookRecord[]>;
  /** False where there is no such hook. */
  remove(id: string): Promise<boolean>;
  /** Replaces the encrypted secret. */
  reseal(id: string, sealed: string): Promise<void>;
  /** Whether a delivery was noted before. */
  knows(id: string, delivery: string): Promise<boolean>;
  /** Notes a delivery that has been dealt with, and what it did. */
  note(id: string, delivery: string, result: string, now: number): Promise<void>;
  /** Removes deliveries that arrived before a time. */
  forget(before: number): Promise<void>;
}
