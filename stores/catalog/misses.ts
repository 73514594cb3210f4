import type { Kysely, Transaction } from "kysely";
import type { LibraryStore, Miss } from "../../domain/ports.ts";
import type { Schema } from "./schema.ts";
import { transact } from "./transaction.ts";

/** Questions that are kept of each library. */
const missesKept = 100;

/** Builds the part of the library store that says which questions found nothing. */
export function createMisses(db: Kysely<Schema>): Pick<LibraryStore, "noteMisses" | "misses"> {
  return {
    async noteMisses(misses) {
      // In the order that all writers lock in.
      const byLibrary = [...Map.groupBy(misses, ({ libraryUid }) => libraryUid)].sort(([one], [other]) =>
        one < other ? -1 : 1,
      );
      await transact(db, async (trx) => {
        for (const [uid, own] of byLibrary) await addMisses(trx, uid, own);
      });
    },

    async misses(uid, limit) {
      const rows = await db
        .selectFrom("misses")
        .selectAll()
        .where("library_uid", "=", uid)
        .orderBy("asked_at", "desc")
        .orderBy("words")
        .limit(limit)
        .execute();
      return rows.map(({ library_uid, words, times, asked_at }) => ({
        libraryUid: library_uid,
        words,
        times,
        askedAt: asked_at,
      }));
    },
  };
}

async function addMisses(trx: Transaction<Schema>, uid: string, misses: readonly Miss[]): Promise<void> {
  // Locked as a whole, so that what is beyond the kept ones is counted while nobody else adds to it.
  const found = await trx.selectFrom("libraries").select("uid").where("uid", "=", uid).forUpdate().executeTakeFirst();
  if (!found) return;
  for (const { words, times, askedAt } of misses)
    await trx
      .insertInto("misses")
      .values({ library_uid: uid, words, times, asked_at: askedAt })
      .onConflict((conflict) =>
        conflict.columns(["library_uid", "words"]).doUpdateSet(({ eb, ref }) => ({
          times: eb(ref("misses.times"), "+", ref("excluded.times")),
          asked_at: ref("excluded.asked_at"),
        })),
      )
      .execute();
  await trx
    .deleteFrom("misses")
    .where("library_uid", "=", uid)
    .where("words", "not in", ({ selectFrom }) =>
      selectFrom("misses as kept")
        .select("kept.words")
        .where("kept.library_uid", "=", uid)
        .orderBy("kept.asked_at", "desc")
        .orderBy("kept.words")
        .limit(missesKept),
    )
    .execute();
}
