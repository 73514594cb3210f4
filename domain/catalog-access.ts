import type { Scope, AccessRule, AccessRules } from "./access.ts";
import type { Kind } from "./kinds/index.ts";
import type { PolicySettings } from "./policy-settings.ts";

/** A tenant: it owns keys and private libraries. */
export interface TeamspaceRecord {
  /** Lower-case letters, digits and hyphens. */
  readonly id: string;
  readonly title: string;
  readonly createdAt: number;
}

/** What prevents the removal of a teamspace. */
export interface TeamspaceUse {
  readonly libraries: number;
  /** Keys that are not revoked. */
  readonly keys: number;
}

/** Rules for agents by the administrators of a teamspace, a line each. */
export interface TeamspaceRules {
  /** For every answer. */
  readonly global: readonly string[];
  /** For the answers of one library, by its ID as written. */
  readonly libraries: Readonly<Record<string, readonly string[]>>;
}

/** Policy and rules of a teamspace. */
export interface AccessRecord {
  /** Rises with every change, and is never reused; 0: nothing was ever changed, or there is no such teamspace. */
  readonly revision: number;
  /** Null: never changed. Members that another version of the program did not know are absent. */
  readonly policy: Partial<PolicySettings> | null;
  readonly rules: TeamspaceRules | null;
}

export interface TeamspaceStore {
  /** False where the ID exists. */
  add(teamspace: TeamspaceRecord): Promise<boolean>;
  /** All of them, by ID. */
  list(): Promise<readonly TeamspaceRecord[]>;
  /** The access revision of a teamspace. */
  revision(id: string): Promise<number>;
  access(id: string): Promise<AccessRecord>;
  /**
   * Reads and changes policy, rules, or both, in one transaction. `change` may be called again, and an error in it changes
   * nothing. An equal result is not written. Undefined: there is no such teamspace.
   */
  changeAccess(
    id: string,
    change: (before: AccessRecord) => Partial<Pick<AccessRecord, "policy" | "rules">>,
    now: number,
  ): Promise<AccessRecord | undefined>;
  /**
   * Removes a teamspace with its revoked keys and its credentials, unless it has libraries or other keys: see the result.
   * Undefined: there is no such teamspace.
   */
  remove(id: string): Promise<TeamspaceUse | undefined>;
}

export interface KeyRecord {
  readonly id: string;
  readonly teamspace: string;
  readonly name: string;
  /** SHA-256 of the key, hex. */
  readonly hash: string;
  /** Its first characters, for people to recognise it. */
  readonly hint: string;
  readonly scopes: readonly Scope[];
  readonly libraries: readonly string[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** Its user in access rules. */
  readonly subject?: string;
  /** Its groups in access rules. */
  readonly groups?: readonly string[];
}

export interface KeyStore {
  findByHash(hash: string): Promise<KeyRecord | undefined>;
  get(id: string): Promise<KeyRecord | undefined>;
  /** False: there is no such teamspace. */
  add(key: KeyRecord): Promise<boolean>;
  list(teamspace: string): Promise<readonly KeyRecord[]>;
  /** False where there is no such key. */
  revoke(teamspace: string, id: string, now: number): Promise<boolean>;
}

/** The scope that members of a group of the issuer have in a teamspace. */
export interface GroupGrant {
  /** As tokens name it; `*`: every user who signs in. */
  readonly group: string;
  readonly teamspace: string;
  readonly scope: Scope;
  readonly createdAt: number;
}

/** A change of a teamspace's rules; absent members stay. */
export interface AccessChange {
  readonly otherwise?: AccessRules["otherwise"];
  /** Each replaces the rule with the same library. */
  readonly set?: readonly AccessRule[];
  /** Libraries and namespaces whose rules are removed. */
  readonly remove?: readonly string[];
}

/** Access rules of teamspaces, and grants of groups of the issuer. */
export interface AccessStore {
  /** The rules of a teamspace, or `known` itself if that is up to date; undefined: there is no such teamspace. */
  rules(teamspace: string, known?: AccessRules): Promise<AccessRules | undefined>;
  /**
   * Changes the rules in one transaction, and returns all of them; undefined: there is no such teamspace.
   * @throws Failure validation_error for more than `maxAccessRules` rules
   */
  change(teamspace: string, change: AccessChange): Promise<AccessRules | undefined>;
  /** The grants of some groups, of all by default, oldest first. */
  grants(groups?: readonly string[]): Promise<readonly GroupGrant[]>;
  /** Adds a grant, or replaces the scope of that group in that teamspace. False: there is no such teamspace. */
  grant(grant: GroupGrant): Promise<boolean>;
  /** False where there is no such grant. */
  withdraw(group: string, teamspace: string): Promise<boolean>;
}

/** A sealed credential. */
export interface CredentialRecord {
  readonly id: string;
  readonly teamspace: string;
  /** Its kind of source. Null in old records, whose `sealed` is a bare token for Git. */
  readonly kind: Kind | null;
  /** Name of a shared credential; "" for a library's own, which `LibraryStore` adds and removes. */
  readonly name: string;
  /** The only host that gets it, as `host` or `host:port`. */
  readonly host: string;
  /** The tenant on the host, where a host serves several; absent: the whole host. */
  readonly tenant?: string;
  /** The encrypted JSON of the credential. */
  readonly sealed: string;
  readonly createdAt: number;
  /** When it expires, as its administrator said; absent: its data may tell. */
  readonly expiresAt?: number;
}

/** Shared credentials; a library's own ones are added and removed by `LibraryStore`. */
export interface CredentialStore {
  /** Adds a shared credential. Names are unique in their teamspace and kind. */
  add(credential: CredentialRecord): Promise<"added" | "duplicate" | "no_teamspace">;
  /** A credential, shared or a library's own. */
  get(id: string): Promise<CredentialRecord | undefined>;
  /** The shared credentials of a teamspace, by name. */
  list(teamspace: string): Promise<readonly CredentialRecord[]>;
  /** All credentials, those of libraries included, by teamspace and name. */
  all(): Promise<readonly CredentialRecord[]>;
  /**
   * Removes a shared one, unless libraries use it, and returns how many do. No library starts to use it meanwhile.
   * Undefined: there is no such credential.
   */
  remove(id: string): Promise<number | undefined>;
  /** Replaces the encrypted texts of credentials, hooks and receivers by what `renew` returns; undefined: it stays. Returns how many were replaced. */
  reseal(renew: (sealed: string) => string | undefined): Promise<number>;
  /**
   * Records, once for each number of days, the notifications `credential.expiring` with `data`. False: that or a later notice was recorded.
   */
  noteExpiring(id: string, days: number, data: object, now: number): Promise<boolean>;
}
