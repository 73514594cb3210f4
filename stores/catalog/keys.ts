import type { Kysely } from "kysely";
import type { KeyRecord, KeyStore } from "../../domain/ports.ts";
import { parse, toRecord, toRow } from "./rows.ts";
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
export function toKey({ scopes_json, libraries_json, subject, groups_json, ...row }: KeyRow): KeyRecord {
  return {
    ...toRecord(row),
    scopes: parse(scopes_json),
    libraries: parse(libraries_json),
    ...(subject !== null && { subject }),
    ...(groups_json !== null && { groups: parse(groups_json) }),
  };
}

function toKeyRow({ scopes, libraries, subject, groups, ...key }: KeyRecord): KeyRow {
  return {
    ...toRow(key),
    scopes_json: JSON.stringify(scopes),
    libraries_json: JSON.stringify(libraries),
    subject: subject ?? null,
    groups_json: groups === undefined ? null : JSON.stringify(groups),
  };
}
