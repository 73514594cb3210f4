import type { Scope } from "./access.ts";
import type { AccessRule, AccessRules } from "./access-rules.ts";
import type { Kind } from "./kinds/index.ts";
import type { PolicySettings } from "./policy-settings.ts";

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

/** What agents are told by a teamspace's administrator, a line each. */
export interface TeamspaceRules {
  /** With every answer. */
  readonly global: readonly string[];
  /** With the answers of one library, by its ID as it was written. */
  readonly libraries: Readonly<Record<string, readonly string[]>>;
}

/** What a teamspace allows its callers, and tells them. */
export interface AccessRecord {
  /** Raised by every change, and never used again; 0: nobody has changed anything, or there is no such teamspace. */
  readonly revision: number;
  /** Null: as nobody has changed it. What another version of the program does not know is absent. */
  readonly policy: Partial<PolicySettings> | null;
  readonly rules: TeamspaceRules | null;
}

export interface TeamspaceStore {
  /** False where there is one with this ID. */
  add(teamspace: TeamspaceRecord): Promise<boolean>;
  /** All of them, by ID. */
  list(): Promise<readonly TeamspaceRecord[]>;
  /** The revision of a teamspace's access. */
  revision(id: string): Promise<number>;
  access(id: string): Promise<AccessRecord>;
  /**
   * Changes policy, rules, or both, in one transaction with what the change is made of; `change` may be called again, and what it
   * throws changes nothing. Where it answers the same as before, nothing is written. Undefined where there is no such teamspace.
   */
  changeAccess(
    id: string,
    change: (before: AccessRecord) => Partial<Pick<AccessRecord, "policy" | "rules">>,
    now: number,
  ): Promise<AccessRecord | undefined>;
  /**
   * Removes a teamspace with its revoked keys and its credentials, unless it has libraries or other keys, which the answer
   * counts. Undefined where there is none.
   */
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
  /** The user whom it stands for where rules name users. */
  readonly subject?: string;
  /** Groups that it is of where rules name groups. */
  readonly groups?: readonly string[];
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

/** What the members of a group of the issuer may do, and in which teamspace. */
export interface GroupGrant {
  /** As tokens name it; `*` stands for everybody who signs in. */
  readonly group: string;
  readonly teamspace: string;
  readonly scope: Scope;
  readonly createdAt: number;
}

/** A change of a teamspace's rules; what is absent stays. */
export interface AccessChange {
  readonly otherwise?: AccessRules["otherwise"];
  /** Each takes the place of the rule with the same library. */
  readonly set?: readonly AccessRule[];
  /** Libraries and namespaces whose rules go. */
  readonly remove?: readonly string[];
}

/** Who may read what within a teamspace, and what the groups of the issuer are here. */
export interface AccessStore {
  /** The rules of a teamspace; undefined where there is no such teamspace, and the given ones where these are right still. */
  rules(teamspace: string, known?: AccessRules): Promise<AccessRules | undefined>;
  /**
   * Changes the rules at once, and answers them all; undefined where there is no such teamspace.
   * @throws Failure validation_error where there would be more than `maxAccessRules`
   */
  change(teamspace: string, change: AccessChange): Promise<AccessRules | undefined>;
  /** What these groups may do, the first made first; of all groups by default. */
  grants(groups?: readonly string[]): Promise<readonly GroupGrant[]>;
  /** Adds a grant, or gives that of the same group and teamspace another scope. False where there is no such teamspace. */
  grant(grant: GroupGrant): Promise<boolean>;
  /** False where there is no such grant. */
  withdraw(group: string, teamspace: string): Promise<boolean>;
}

/** What reading a source needs, encrypted. */
export interface CredentialRecord {
  readonly id: string;
  readonly teamspace: string;
  /** The kind of source that it is for. Null for those from before credentials had kinds: `sealed` is a bare token for Git then. */
  readonly kind: Kind | null;
  /** What people call a shared one; "" for a library's own, which is added and removed with the library's use of it. */
  readonly name: string;
  /** Host it may be sent to, as `host` or `host:port`. */
  readonly host: string;
  /** Whose part of the host, where one host serves many; absent: all of it. */
  readonly tenant?: string;
  /** JSON of what credentials of the kind hold, encrypted. */
  readonly sealed: string;
  readonly createdAt: number;
}

/** Shared credentials; libraries' own ones come and go with `LibraryStore`. */
export interface CredentialStore {
  /** Adds a shared one, whose name no other of its teamspace and kind may have. */
  add(credential: CredentialRecord): Promise<"added" | "duplicate" | "no_teamspace">;
  /** Any credential, a library's own too. */
  get(id: string): Promise<CredentialRecord | undefined>;
  /** The shared ones of a teamspace, by name. */
  list(teamspace: string): Promise<readonly CredentialRecord[]>;
  /** All of them, those of libraries too, by teamspace and name. */
  all(): Promise<readonly CredentialRecord[]>;
  /**
   * Removes a shared one, unless libraries use it, which the answer counts. No library begins to use it meanwhile.
   * Undefined where there is none.
   */
  remove(id: string): Promise<number | undefined>;
}
