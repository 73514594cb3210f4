import type { Kysely } from "kysely";
import type { HookRecord, HookStore, LibraryStore } from "../../domain/ports.ts";
import { toLibrary, toRecord, toRow } from "./rows.ts";
import type { HookRow } from "./schema-hooks.ts";
import type { Schema } from "./schema.ts";
import { transact } from "./transaction.ts";

/** Builds the store of hooks and their deliveries. */
export function createHookStore(db: Kysely<Schema>): HookStore {
  return {
    async add(hook) {
      await db.insertInto("hooks").values(toRow(hook)).execute();
    },

    async get(id) {
      const row = await db.selectFrom("hooks").selectAll().where("id", "=", id).executeTakeFirst();
      return row && toHook(row);
    },

    async list(teamspace) {
      const hooks = db.selectFrom("hooks").selectAll().where("teamspace", "=", teamspace).orderBy("id");
      return (await hooks.execute()).map(toHook);
    },

    async remove(id) {
      const { numDeletedRows } = await db.deleteFrom("hooks").where("id", "=", id).executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },

    async reseal(id, sealed) {
      await db.updateTable("hooks").set({ sealed }).where("id", "=", id).execute();
    },

    async knows(id, delivery) {
      const known = db.selectFrom("hook_deliveries").select("hook").where("hook", "=", id);
      return (await known.where("delivery", "=", delivery).executeTakeFirst()) !== undefined;
    },

    note: (id, delivery, result, now) =>
      transact(db, async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable("hooks")
          .set({ delivered_at: now, result })
          .where("id", "=", id)
          .executeTakeFirstOrThrow();
        // Deleted meanwhile.
        if (numUpdatedRows === 0n) return;
        await trx
          .insertInto("hook_deliveries")
          .values({ hook: id, delivery, received_at: now })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }),

    async forget(before) {
      await db.deleteFrom("hook_deliveries").where("received_at", "<", before).execute();
    },
  };
}

function toHook(row: HookRow): HookRecord {
  return toRecord(row);
}

/** Builds the part of the library store with the changes that hosts report. */
export function createPushed(db: Kysely<Schema>): Pick<LibraryStore, "at" | "markPushed" | "pushed" | "clearPushed"> {
  return {
    async at(repository) {
      const rows = await db
        .selectFrom("repositories")
        .innerJoin("libraries", "libraries.uid", "repositories.library_uid")
        .selectAll("libraries")
        .where("repositories.address", "=", repository)
        .where("repositories.relation", "=", "own")
        .where("libraries.redirect", "is", null)
        .orderBy("libraries.uid")
        .execute();
      return rows.map(toLibrary);
    },

    async markPushed(uid, version, now) {
      await db
        .updateTable("versions")
        .set({ pushed_at: now })
        .where("library_uid", "=", uid)
        .where("version", "=", version)
        .execute();
    },

    async pushed(limit) {
      const rows = await db
        .selectFrom("versions")
        .select(["library_uid", "version"])
        .where("pushed_at", "is not", null)
        .where("open_run", "is", null)
        .orderBy("pushed_at")
        .orderBy("library_uid")
        .orderBy("version")
        .limit(limit)
        .execute();
      return rows.map(toRecord);
    },

    async clearPushed(uid, version, until) {
      await db
        .updateTable("versions")
        .set({ pushed_at: null })
        .where("library_uid", "=", uid)
        .where("version", "=", version)
        .where("pushed_at", "<=", until)
        .execute();
    },
  };
}
