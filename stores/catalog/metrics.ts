import { createHmac, randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { Kysely, Transaction } from "kysely";
import { surfaces } from "../../domain/metrics.ts";
import type { MetricsBatch, MetricsStore, SurfaceCounts } from "../../domain/metrics.ts";
import type { Schema } from "./schema.ts";
import { transact } from "./transaction.ts";

/** Rows of one statement: databases limit its parameters. */
const batchSize = 200;

type Trx = Transaction<Schema>;

/** Builds the store of how libraries are used. */
export function createMetricsStore(db: Kysely<Schema>): MetricsStore {
  return {
    add: (batch) =>
      transact(db, async (trx) => {
        const isNew = await trx
          .insertInto("metrics_batches")
          .values({ id: batch.id, at: batch.at })
          .onConflict((conflict) => conflict.column("id").doNothing())
          .executeTakeFirstOrThrow();
        // Added before by an attempt whose end was not known.
        if (isNew.numInsertedOrUpdatedRows !== 1n) return;
        const known = await holdLibraries(trx, batch);
        const ofKnown = <Row extends { readonly libraryUid: string }>(rows: readonly Row[]): readonly Row[] =>
          rows.filter(({ libraryUid }) => known.has(libraryUid));
        await addAnswers(trx, ofKnown(batch.answers));
        for (const [table, rows] of [
          ["topic", ofKnown(batch.topics).map((row) => ({ ...row, name: row.topic }))],
          ["country", ofKnown(batch.countries).map((row) => ({ ...row, name: row.country }))],
        ] as const)
          await addNamed(trx, table, rows);
        await addUsers(trx, ofKnown(batch.users));
      }),

    async of(uid, { since, atMost }) {
      const totals = await db.selectFrom("metrics_of_surface").selectAll().where("library_uid", "=", uid).execute();
      const days = await db
        .selectFrom("metrics_days")
        .selectAll()
        .where("library_uid", "=", uid)
        .where("day", ">=", since)
        .orderBy("day")
        .execute();
      const byDay = Map.groupBy(days, ({ day }) => day);
      return {
        total: countsOf(totals),
        days: [...byDay].map(([day, rows]) => ({ day, ...countsOf(rows) })),
        clients: await clientsOf(db, uid, since),
        topics: (await mostFrequent(db, "topic", uid, atMost)).map(({ name, count }) => ({ topic: name, count })),
        countries: (await mostFrequent(db, "country", uid, atMost)).map(({ name, count }) => ({
          country: name,
          count,
        })),
      };
    },

    close: (days) => closeDays(db, days),
  };
}

/** The libraries of a batch that are there; none of them is removed until what refers to them is written. */
async function holdLibraries(
  trx: Trx,
  { answers, users, topics, countries }: MetricsBatch,
): Promise<ReadonlySet<string>> {
  const uids = [...new Set([answers, users, topics, countries].flat().map(({ libraryUid }) => libraryUid))].toSorted();
  const known = new Set<string>();
  for (let first = 0; first < uids.length; first += batchSize) {
    const some = uids.slice(first, first + batchSize);
    const query = trx.selectFrom("libraries").select("uid").where("uid", "in", some).orderBy("uid");
    for (const { uid } of await query.forKeyShare().execute()) known.add(uid);
  }
  return known;
}

async function addAnswers(trx: Trx, answers: MetricsBatch["answers"]): Promise<void> {
  const days = answers.map(({ libraryUid, day, surface, count }) => ({
    library_uid: libraryUid,
    day,
    surface,
    answers: count,
  }));
  for (const rows of inOrder(days))
    await trx
      .insertInto("metrics_days")
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns(["library_uid", "day", "surface"])
          .doUpdateSet(({ eb, ref }) => ({ answers: eb(ref("metrics_days.answers"), "+", ref("excluded.answers")) })),
      )
      .execute();
  const sums = Map.groupBy(days, ({ library_uid, surface }) => `${library_uid} ${surface}`);
  const totals = [...sums.values()].flatMap(([first, ...more]) =>
    first === undefined
      ? []
      : {
          library_uid: first.library_uid,
          surface: first.surface,
          answers: more.reduce((sum, row) => sum + row.answers, first.answers),
        },
  );
  for (const rows of inOrder(totals))
    await trx
      .insertInto("metrics_of_surface")
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(["library_uid", "surface"]).doUpdateSet(({ eb, ref }) => ({
          answers: eb(ref("metrics_of_surface.answers"), "+", ref("excluded.answers")),
        })),
      )
      .execute();
}

async function addNamed(
  trx: Trx,
  what: "topic" | "country",
  counts: readonly { readonly libraryUid: string; readonly name: string; readonly count: number }[],
): Promise<void> {
  const named = counts.map(({ libraryUid, name, count }) => ({ library_uid: libraryUid, name, answers: count }));
  for (const rows of inOrder(named)) {
    const table = sql.table(`metrics_of_${what}`);
    const values = rows.map((row) => sql`(${row.library_uid}, ${row.name}, ${row.answers})`);
    await sql`insert into ${table} (library_uid, ${sql.ref(what)}, answers) values ${sql.join(values)}
      on conflict (library_uid, ${sql.ref(what)}) do update set answers = ${table}.answers + excluded.answers`.execute(
      trx,
    );
  }
}

async function addUsers(trx: Trx, users: MetricsBatch["users"]): Promise<void> {
  for (const [day, ofDay] of [...Map.groupBy(users, (one) => one.day)].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  )) {
    const salt = await holdSalt(trx, day);
    if (salt === null) continue;
    const hashed = ofDay.map(({ libraryUid, client, user }) => ({
      library_uid: libraryUid,
      day,
      client,
      // With the library, so that nothing tells that one user reads two of them.
      user_hash: createHmac("sha256", salt)
        .update(JSON.stringify([libraryUid, user]))
        .digest("base64url")
        .slice(0, 22),
    }));
    for (const rows of inOrder(hashed))
      await trx
        .insertInto("metrics_users")
        .values(rows)
        .onConflict((conflict) => conflict.columns(["library_uid", "day", "client", "user_hash"]).doNothing())
        .execute();
  }
}

/** A day's salt, which stays as it is until the transaction ends; null where the day is closed. */
async function holdSalt(trx: Trx, day: string): Promise<string | null> {
  await trx
    .insertInto("metrics_salts")
    .values({ day, salt: randomBytes(32).toString("base64url") })
    .onConflict((conflict) => conflict.column("day").doNothing())
    .execute();
  const query = trx.selectFrom("metrics_salts").select("salt").where("day", "=", day);
  return (await query.forShare().executeTakeFirst())?.salt ?? null;
}

/** Rows in the order that all writers lock in, some at a time. */
function inOrder<Row extends object>(rows: readonly Row[]): readonly (readonly Row[])[] {
  const ordered = rows
    .map((row) => ({ row, key: JSON.stringify(Object.values(row)) }))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))
    .map(({ row }) => row);
  const count = Math.ceil(ordered.length / batchSize);
  return Array.from({ length: count }, (_, at) => ordered.slice(at * batchSize, (at + 1) * batchSize));
}

function countsOf(rows: readonly { readonly surface: string; readonly answers: number }[]): SurfaceCounts {
  const counts = new Map(rows.map(({ surface, answers }) => [surface, answers]));
  return Object.fromEntries(surfaces.map((surface) => [surface, counts.get(surface) ?? 0])) as SurfaceCounts;
}

/** Users of days that are closed, as they were counted, and of the others, as they are now. */
async function clientsOf(db: Kysely<Schema>, uid: string, since: string) {
  const closed = await db
    .selectFrom("metrics_clients")
    .select(["day", "client", "users"])
    .where("library_uid", "=", uid)
    .where("day", ">=", since)
    .execute();
  const open = db.selectFrom("metrics_users").where("library_uid", "=", uid).where("day", ">=", since);
  const users = sql<number>`count(distinct user_hash)`.as("users");
  const each = await open.select(["day", "client", users]).groupBy(["day", "client"]).execute();
  const together = await open
    .select(["day", sql<string>`''`.as("client"), users])
    .groupBy("day")
    .execute();
  return [...closed, ...each, ...together].toSorted((one, other) =>
    one.day === other.day ? (one.client < other.client ? -1 : 1) : one.day < other.day ? -1 : 1,
  );
}

async function mostFrequent(db: Kysely<Schema>, what: "topic" | "country", uid: string, atMost: number) {
  const { rows } = await sql<{ name: string; count: number }>`select ${sql.ref(what)} as name, answers as count
    from ${sql.table(`metrics_of_${what}`)} where library_uid = ${uid}
    order by answers desc, ${sql.ref(what)} limit ${atMost}`.execute(db);
  return rows;
}

/** Topics that are kept of a library. */
const topicsKept = 1000;

const dayLength = 86_400_000;

/** Counts the users of days that are over, deletes what could tell who they were, and removes what is kept no longer. */
async function closeDays(
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
