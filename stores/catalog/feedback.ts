import type { Kysely } from "kysely";
import type { FeedbackStore } from "../../domain/catalog-feedback.ts";
import { toRecord, toRow } from "./rows.ts";
import type { Schema } from "./schema.ts";
import { lockLibrary, transact } from "./transaction.ts";

/** Maximum feedback kept per library, of callers with a key and of others each, so that these cannot displace those. */
const kept = 100;

/** Builds the store of feedback and team notes. */
export function createFeedbackStore(db: Kysely<Schema>): FeedbackStore {
  return {
    add: (feedback) =>
      transact(db, async (trx) => {
        const { libraryUid: uid, teamspace } = feedback;
        // Locked, so that nobody adds feedback while the surplus is removed.
        if (!(await lockLibrary(trx, uid))) return;
        await trx.insertInto("feedback").values(toRow(feedback)).execute();
        const without = teamspace === "" ? "=" : "<>";
        await trx
          .deleteFrom("feedback")
          .where("library_uid", "=", uid)
          .where("teamspace", without, "")
          .where("id", "not in", ({ selectFrom }) =>
            selectFrom("feedback as latest")
              .select("latest.id")
              .where("latest.library_uid", "=", uid)
              .where("latest.teamspace", without, "")
              .orderBy("latest.at", "desc")
              .orderBy("latest.id", "desc")
              .limit(kept),
          )
          .execute();
      }),

    async list(uid) {
      const rows = db.selectFrom("feedback").selectAll().where("library_uid", "=", uid);
      return (await rows.orderBy("at", "desc").orderBy("id", "desc").execute()).map(toRecord);
    },

    async forget(before) {
      await db.deleteFrom("feedback").where("at", "<", before).execute();
      await db.deleteFrom("misses").where("asked_at", "<", before).execute();
    },

    setTeamNote: (teamspace, uid, text, now) =>
      transact(db, async (trx) => {
        if (text === "") {
          const own = trx.deleteFrom("team_notes").where("library_uid", "=", uid);
          await own.where("teamspace", "=", teamspace).execute();
          return;
        }
        if (!(await lockLibrary(trx, uid))) return;
        await trx
          .insertInto("team_notes")
          .values({ teamspace, library_uid: uid, text, changed_at: now })
          .onConflict((conflict) =>
            conflict.columns(["library_uid", "teamspace"]).doUpdateSet({ text, changed_at: now }),
          )
          .execute();
      }),
  };
}
