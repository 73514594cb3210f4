import { makeKey, hashKey } from "../api/keys.ts";
import type { Config } from "./config.ts";
import type { Catalog, KeyRecord } from "../domain/ports.ts";
import { newId } from "./ids.ts";
import { localAct } from "./audit-log.ts";
import { isLoopback } from "../api/ip-addresses.ts";
import { createSignInLink } from "../api/dashboard/sign-in-link.ts";
import type { SignInLink } from "../api/dashboard/sign-in-link.ts";

/**
 * Creates the first admin key, unless a key exists or the operator has set one. It is shown once and stored as a hash.
 * `first`: the catalog was new.
 */
export async function firstAdminKey(config: Config, catalog: Catalog): Promise<{ first: boolean; key: string | null }> {
  const keys = await catalog.keys.list("default");
  if (keys.length > 0) return { first: false, key: null };
  const { key, hash, hint } = makeKey();
  const record: KeyRecord = {
    id: newId(),
    teamspace: "default",
    name: "first admin key",
    hash,
    hint,
    scopes: ["admin"],
    libraries: [],
    createdAt: Date.now(),
    expiresAt: null,
    // Stored even where LECTERN_ADMIN_KEY is set, but revoked, as the mark of a used catalog.
    revokedAt: config.adminKey === null ? null : Date.now(),
  };
  const act = { command: "serve", action: "key.create", target: record.id } as const;
  await localAct(catalog, act, () => catalog.keys.add(record));
  return { first: true, key: config.adminKey === null ? key : null };
}

/** The sign-in link of the terminal. */
export interface TerminalSignIn {
  readonly link: SignInLink;
  /** Hash of the key with all rights. */
  readonly adminKeyHash: string | null;
}

/**
 * A one-time sign-in link, for a server on loopback that was started in a terminal: with LECTERN_ADMIN_KEY, else with the key that this
 * start created. At later starts, when that key is unknown, with a key of the same rights that lives as long as the process. Undefined:
 * the dashboard is off, the server is reachable by others, or standard output is not a terminal.
 */
export function terminalSignIn(
  { dashboard, host, publicUrl, adminKey }: Pick<Config, "dashboard" | "host" | "publicUrl" | "adminKey">,
  firstKey: string | null,
  isTerminal: boolean,
): TerminalSignIn | undefined {
  if (!dashboard || !isTerminal || publicUrl !== null || !isLoopback(host)) return undefined;
  const known = adminKey ?? firstKey;
  const key = known ?? makeKey().key;
  const isOperators = adminKey !== null || known === null;
  return { link: createSignInLink(key, Date.now), adminKeyHash: isOperators ? hashKey(key) : null };
}
