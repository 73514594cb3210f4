import type { Kysely } from "kysely";
import type { LibraryStore } from "../../domain/ports.ts";
import { toLibrary } from "./rows.ts";
import type { Schema } from "./schema.ts";
import { lockLibrary, transact } from "./transaction.ts";

type Reputations = Pick<LibraryStore, "keepSample" | "likeSample" | "withoutReputation" | "namingSite">;

/** Builds the part of the library store that reputations are made with. */
export function createReputations(db: Kysely<Schema>): Reputations {
  const readable = db.selectFrom("libraries").selectAll().where("teamspace", "=", "").where("redirect", "is", null);
  return {
    keepSample: (uid, pageKeys) =>
      transact(db, async (trx) => {
        if (!(await lockLibrary(trx, uid))) return;
        await trx.deleteFrom("samples").where("library_uid", "=", uid).execute();
        const rows = pageKeys.map((page_key) => ({ library_uid: uid, page_key }));
        if (rows.length > 0) await trx.insertInto("samples").values(rows).execute();
      }),

    async likeSample(uid, least) {
      const alike = await db
        .selectFrom("samples as own")
        .innerJoin("samples as other", "other.page_key", "own.page_key")
        .where("own.library_uid", "=", uid)
        .where("other.library_uid", "!=", uid)
        .groupBy("other.library_uid")
        .having(({ fn }) => fn.countAll(), ">=", least)
        .select("other.library_uid as uid")
        .orderBy(({ fn }) => fn.countAll(), "desc")
        .orderBy("other.library_uid")
        .execute();
      const uids = alike.map((one) => one.uid);
      if (uids.length === 0) return [];
      const rows = await readable.where("uid", "in", uids).execute();
      return rows.map(toLibrary).sort((one, other) => uids.indexOf(one.uid) - uids.indexOf(other.uid));
    },

    async withoutReputation(checkedBefore, limit) {
      const rows = await readable
        .where(({ eb, or }) => or([eb("reputation_at", "is", null), eb("reputation_at", "<", checkedBefore)]))
        .orderBy(({ fn, val }) => fn.coalesce("reputation_at", val(0)))
        .orderBy("uid")
        .limit(limit)
        .execute();
      return rows.map(toLibrary);
    },

    async namingSite(host) {
      const rows = await readable.where("homepage_host", "=", host).orderBy("created_at").execute();
      return rows.map(toLibrary);
    },
  };
}
