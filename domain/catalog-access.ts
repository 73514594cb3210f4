import type { Scope } from "./access.ts";

/** A tenant: it owns keys and private libraries. */
export interface TeamspaceRecord {
  /** Lower-case letters, digits and hyphens. */
  readonly id: string;
  readonly title: string;
  readonly createdAt: number;
}

/** What a teamspace has that keeps it from being removed. */
export interface TeamspaceUse {
  readonly libraries: number;
  /** Keys that are not revoked. */
  readonly keys: number;
}

export interface TeamspaceStore {
  /** False where there is one with this ID. */
  add(teamspace: TeamspaceRecord): Promise<boolean>;
  /** All of them, by ID. */
  list(): Promise<readonly TeamspaceRecord[]>;
  /** Removes a teamspace with its revoked keys, unless it has libraries or other keys, which the answer counts. Undefined where there is none. */
  remove(id: string): Promise<TeamspaceUse | undefined>;
}

export interface KeyRecord {
  readonly id: string;
  readonly teamspace: string;
  readonly name: string;
  /** SHA-256 of the key, hex. */
  readonly hash: string;
  /** The first characters, by which people recognise it. */
  readonly hint: string;
  readonly scopes: readonly Scope[];
  readonly libraries: readonly string[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

export interface KeyStore {
  findByHash(hash: string): Promise<KeyRecord | undefined>;
  get(id: string): Promise<KeyRecord | undefined>;
  /** False where there is no such teamspace. */
  add(key: KeyRecord): Promise<boolean>;
  list(teamspace: string): Promise<readonly KeyRecord[]>;
  /** False where there is no such key. */
  revoke(teamspace: string, id: string, now: number): Promise<boolean>;
}

/** A secret that reading a source needs, encrypted. */
export interface CredentialRecord {
  readonly id: string;
  readonly teamspace: string;
  /** Host it may be sent to. */
  readonly host: string;
  readonly sealed: string;
  readonly createdAt: number;
}

export interface CredentialStore {
  add(credential: CredentialRecord): Promise<void>;
  get(id: string): Promise<CredentialRecord | undefined>;
  /** Removes a credential, unless some library uses it. */
  removeUnused(id: string): Promise<void>;
}
