import { makeKey, hashKey } from "../api/keys.ts";
import type { Config } from "./config.ts";
import type { Catalog, KeyRecord } from "../domain/ports.ts";
import { newId } from "./ids.ts";
import { auditedAct } from "./audit-log.ts";
import { isLoopback } from "../api/ip-addresses.ts";
import { createSignInLink, type SignInLink } from "../api/dashboard/sign-in-link.ts";

/**
 * Creates the first admin key, unless a key exists. Returns it to be shown once, unless LECTERN_ADMIN_KEY is set; only its hash is stored.
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
    // Stored even if LECTERN_ADMIN_KEY is set, but revoked, as a mark that the catalog is not new.
    revokedAt: config.adminKey === null ? null : Date.now(),
  };
  const act = { command: "serve", action: "key.create", target: record.id } as const;
  await auditedAct(catalog, act, () => catalog.keys.add(record));
  return { first: true, key: config.adminKey === null ? key : null };
}

/** The sign-in link for the terminal. */
export interface TerminalSignIn {
  readonly link: SignInLink;
  /** Hash of the key with all rights. */
  readonly adminKeyHash: string | null;
}

/**
 * A one-time sign-in link, for a server on loopback that was started in a terminal. It signs in with LECTERN_ADMIN_KEY, or the key that
 * this start created, or else a key with the same rights that is valid until the process ends. Undefined if the dashboard is off, others
 * can reach the server, or standard output is not a terminal.
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
