import { createHmac, randomBytes } from "node:crypto";
import { sql, type Kysely, type Transaction } from "kysely";
import { surfaces, type MetricsBatch, type MetricsStore, type SurfaceCounts } from "../../domain/metrics.ts";
import type { Schema } from "./schema.ts";
import { transact } from "./transaction.ts";

/** Maximum rows of one statement, as databases limit its parameters. */
const batchSize = 200;

type Trx = Transaction<Schema>;

/** Builds the store of usage metrics. */
export function createMetricsStore(db: Kysely<Schema>): MetricsStore {
  return {
    add: (batch) =>
      transact(db, async (trx) => {
        const isNew = await trx
          .insertInto("metrics_batches")
          .values({ id: batch.id, at: batch.at })
          .onConflict((conflict) => conflict.column("id").doNothing())
          .executeTakeFirstOrThrow();
        // An earlier attempt, whose result the caller did not learn, has added it.
        if (isNew.numInsertedOrUpdatedRows !== 1n) return;
        const known = await holdLibraries(trx, batch);
        const ofKnown = <Row extends { readonly libraryUid: string }>(rows: readonly Row[]): readonly Row[] =>
          rows.filter(({ libraryUid }) => known.has(libraryUid));
        await addCounts(trx, "metrics_days", ["day", "surface"], ofKnown(batch.answers));
        await addCounts(trx, "metrics_of_surface", ["surface"], totalsOf(ofKnown(batch.answers)));
        await addCounts(trx, "metrics_of_topic", ["topic"], ofKnown(batch.topics));
        await addCounts(trx, "metrics_of_country", ["country"], ofKnown(batch.countries));
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
        topics: await mostFrequent(db, "topic", uid, atMost),
        countries: await mostFrequent(db, "country", uid, atMost),
      };
    },

    close: (days) => closeDays(db, days),
  };
}

/** The existing libraries of a batch, locked against removal until the rows that refer to them are written. */
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

/** The answers of all days together, by library and surface. */
function totalsOf(answers: MetricsBatch["answers"]): readonly Counted<"surface">[] {
  const bySurface = Map.groupBy(answers, ({ libraryUid, surface }) => `${libraryUid} ${surface}`);
  return [...bySurface.values()].flatMap(([first, ...others]) =>
    first ? { ...first, count: others.reduce((sum, { count }) => sum + count, first.count) } : [],
  );
}

type Counted<Column extends string> = { readonly libraryUid: string; readonly count: number } & {
  readonly [Name in Column]: string;
};

/** Adds counts to the rows of a table, whose key is the library and the given columns. */
async function addCounts<Column extends string>(
  trx: Trx,
  name: `metrics_${string}`,
  columns: readonly Column[],
  counts: readonly Counted<Column>[],
): Promise<void> {
  const table = sql.table(name);
  const key = sql.join(["library_uid", ...columns].map((column) => sql.ref(column)));
  const all = counts.map((counted) => [counted.libraryUid, ...columns.map((column) => counted[column]), counted.count]);
  for (const rows of inOrder(all)) {
    const values = rows.map((row) => sql`(${sql.join(row)})`);
    await sql`insert into ${table} (${key}, answers) values ${sql.join(values)}
      on conflict (${key}) do update set answers = ${table}.answers + excluded.answers`.execute(trx);
  }
}

async function addUsers(trx: Trx, users: MetricsBatch["users"]): Promise<void> {
  const byDay = [...Map.groupBy(users, ({ day }) => day)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  for (const [day, ofDay] of byDay) {
    const salt = await holdSalt(trx, day);
    if (salt === null) continue;
    const hashed = ofDay.map(({ libraryUid, client, user }) => ({
      library_uid: libraryUid,
      day,
      client,
      // The hash includes the library, so that nobody can tell that one user reads two of them.
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

/** A day's salt, locked until the transaction ends; null for a closed day. */
async function holdSalt(trx: Trx, day: string): Promise<string | null> {
  await trx
    .insertInto("metrics_salts")
    .values({ day, salt: randomBytes(32).toString("base64url") })
    .onConflict((conflict) => conflict.column("day").doNothing())
    .execute();
  const query = trx.selectFrom("metrics_salts").select("salt").where("day", "=", day);
  return (await query.forShare().executeTakeFirst())?.salt ?? null;
}

/** Batches of rows, in the order in which all writers lock. */
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

/** The users of closed days, as counted then, and of open days, counted now. */
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

async function mostFrequent<Column extends "topic" | "country">(
  db: Kysely<Schema>,
  column: Column,
  uid: string,
  atMost: number,
) {
  type Row = { readonly [Name in Column]: string } & { readonly count: number };
  const { rows } = await sql<Row>`select ${sql.ref(column)}, answers as count
    from ${sql.table(`metrics_of_${column}`)} where library_uid = ${uid}
    order by answers desc, ${sql.ref(column)} limit ${atMost}`.execute(db);
  return rows;
}

/** Maximum topics kept per library. */
const topicsKept = 1000;

const dayLength = 86_400_000;

/** Counts the users of past days, deletes what could identify them, and deletes expired rows. */
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
    // Waits for transactions that add users of that day, as they lock its salt.
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

/** Deletes the least frequent topics of libraries with too many. */
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
