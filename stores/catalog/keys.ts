import type { Kysely } from "kysely";
import type { KeyRecord, KeyStore } from "../../domain/ports.ts";
import { parse } from "./rows.ts";
import type { KeyRow, Schema } from "./schema.ts";
import { holdTeamspace } from "./transaction.ts";

/** Builds the store of API keys. */
export function createKeyStore(db: Kysely<Schema>): KeyStore {
  return {
    async findByHash(hash) {
      const row = await db.selectFrom("keys").selectAll().where("hash", "=", hash).executeTakeFirst();
      return row && toKey(row);
    },

    async get(id) {
      const row = await db.selectFrom("keys").selectAll().where("id", "=", id).executeTakeFirst();
      return row && toKey(row);
    },

    add: (key) =>
      db.transaction().execute(async (trx) => {
        if (!(await holdTeamspace(trx, key.teamspace))) return false;
        await trx.insertInto("keys").values(toKeyRow(key)).execute();
        return true;
      }),

    async list(teamspace) {
      const rows = await db
        .selectFrom("keys")
        .selectAll()
        .where("teamspace", "=", teamspace)
        .orderBy("created_at")
        .orderBy("id")
        .execute();
      return rows.map(toKey);
    },

    async revoke(teamspace, id, now) {
      const { numUpdatedRows } = await db
        .updateTable("keys")
        // Revoking again does not change the time.
        .set(({ fn, val }) => ({ revoked_at: fn.coalesce("revoked_at", val(now)) }))
        .where("teamspace", "=", teamspace)
        .where("id", "=", id)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
  };
}

/** Converts a row to a key. */
export function toKey(row: KeyRow): KeyRecord {
  return {
    id: row.id,
    teamspace: row.teamspace,
    name: row.name,
    hash: row.hash,
    hint: row.hint,
    scopes: parse(row.scopes_json),
    libraries: parse(row.libraries_json),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    ...(row.subject !== null && { subject: row.subject }),
    ...(row.groups_json !== null && { groups: parse(row.groups_json) }),
  };
}

function toKeyRow(key: KeyRecord): KeyRow {
  return {
    id: key.id,
    teamspace: key.teamspace,
    name: key.name,
    hash: key.hash,
    hint: key.hint,
    scopes_json: JSON.stringify(key.scopes),
    libraries_json: JSON.stringify(key.libraries),
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    revoked_at: key.revokedAt,
    subject: key.subject ?? null,
    groups_json: key.groups === undefined ? null : JSON.stringify(key.groups),
  };
}
