import { sql } from "kysely";
import type { Kysely } from "kysely";
import type { Schema } from "./schema.ts";
import { transact } from "./transaction.ts";

/** Topics that are kept of a library. */
const topicsKept = 1000;

const dayLength = 86_400_000;

/** Counts the users of days that are over, deletes what could tell who they were, and removes what is kept no longer. */
export async function closeDays(
  db: Kysely<Schema>,
  { before, firstKept }: { readonly before: string; readonly firstKept: string },
): Promise<void> {
  const open = await db
    .selectFrom("metrics_salts")
    .select("day")
    .where("day", "<", before)
    .where("salt", "is not", null)
    .orderBy("day")
    .execute();
  for (const { day } of open) await closeDay(db, day);
  for (const table of ["metrics_days", "metrics_clients", "metrics_salts"] as const)
    await db.deleteFrom(table).where("day", "<", firstKept).execute();
  await db
    .deleteFrom("metrics_batches")
    .where("at", "<", Date.parse(before) - dayLength)
    .execute();
  await removeRareTopics(db);
}

function closeDay(db: Kysely<Schema>, day: string): Promise<void> {
  return transact(db, async (trx) => {
    // A transaction that adds users to the day holds its salt until they are written.
    const row = await trx
      .selectFrom("metrics_salts")
      .select("salt")
      .where("day", "=", day)
      .forUpdate()
      .executeTakeFirst();
    if (!row?.salt) return;
    const users = sql<number>`count(distinct user_hash)`.as("users");
    const ofDay = trx.selectFrom("metrics_users").where("day", "=", day);
    for (const counted of [
      ofDay.select(["library_uid", "day", "client", users]).groupBy(["library_uid", "day", "client"]),
      ofDay.select(["library_uid", "day", sql<string>`''`.as("client"), users]).groupBy(["library_uid", "day"]),
    ])
      await trx
        .insertInto("metrics_clients")
        .columns(["library_uid", "day", "client", "users"])
        .expression(counted)
        .execute();
    await trx.deleteFrom("metrics_users").where("day", "=", day).execute();
    await trx.updateTable("metrics_salts").set({ salt: null }).where("day", "=", day).execute();
  });
}

/** Of libraries with too many topics, those that were asked for least go. */
async function removeRareTopics(db: Kysely<Schema>): Promise<void> {
  const full = await db
    .selectFrom("metrics_of_topic")
    .select("library_uid")
    .groupBy("library_uid")
    .having(sql`count(*)`, ">", topicsKept)
    .execute();
  for (const { library_uid: uid } of full)
    await db
      .deleteFrom("metrics_of_topic")
      .where("library_uid", "=", uid)
      .where("topic", "not in", ({ selectFrom }) =>
        selectFrom("metrics_of_topic as kept")
          .select("kept.topic")
          .where("kept.library_uid", "=", uid)
          .orderBy("kept.answers", "desc")
          .orderBy("kept.topic")
          .limit(topicsKept),
      )
      .execute();
}
