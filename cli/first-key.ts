import { makeKey } from "../api/keys.ts";
import type { Config } from "./config.ts";
import type { Catalog, KeyRecord } from "../domain/ports.ts";
import { newId } from "./ids.ts";
import { localAct } from "./local-act.ts";

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
