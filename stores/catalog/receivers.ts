import { randomUUID } from "node:crypto";
import { sql, type Kysely, type Transaction } from "kysely";
import type { NotificationEvent, ReceiverRecord, ReceiverStore } from "../../domain/catalog-receivers.ts";
import { notificationBody } from "../../domain/notifying.ts";
import { parse, toRecord, toRow } from "./rows.ts";
import type { ReceiverRow } from "./schema-hooks.ts";
import type { Schema } from "./schema.ts";
import { holdTeamspace, transact } from "./transaction.ts";

/** Builds the store of receivers and their notifications. */
export function createReceiverStore(db: Kysely<Schema>): ReceiverStore {
  return {
    add: ({ events, ...receiver }) =>
      transact(db, async (trx) => {
        if (!(await holdTeamspace(trx, receiver.teamspace))) return false;
        const row = { ...toRow(receiver), events_json: JSON.stringify(events) };
        await trx.insertInto("receivers").values(row).execute();
        return true;
      }),

    async get(id) {
      const row = await db.selectFrom("receivers").selectAll().where("id", "=", id).executeTakeFirst();
      return row && toReceiver(row);
    },

    async list(teamspace) {
      const rows = await db
        .selectFrom("receivers")
        .selectAll()
        .select(({ selectFrom }) =>
          selectFrom("notifications")
            .select(({ fn }) => fn.countAll<number>().as("count"))
            .whereRef("notifications.receiver", "=", "receivers.id")
            .as("waiting"),
        )
        .where("teamspace", "=", teamspace)
        .orderBy("created_at")
        .orderBy("id")
        .execute();
      return rows.map(({ waiting, ...row }) => ({ ...toReceiver(row), waiting: Number(waiting) }));
    },

    async remove(id) {
      const { numDeletedRows } = await db.deleteFrom("receivers").where("id", "=", id).executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },

    claim: (now, leasedUntil, limit) =>
      transact(db, async (trx) => {
        const due = await trx
          .selectFrom("notifications")
          .innerJoin("receivers", "receivers.id", "notifications.receiver")
          .selectAll("notifications")
          .where("notifications.due_at", "<=", now)
          .where("receivers.next_at", "<=", now)
          .where("receivers.disabled_at", "is", null)
          .orderBy("notifications.due_at")
          .orderBy("notifications.id")
          .limit(limit)
          .forUpdate("notifications")
          .skipLocked()
          .execute();
        if (due.length === 0) return [];
        const ids = due.map(({ id }) => id);
        await trx.updateTable("notifications").set({ due_at: leasedUntil }).where("id", "in", ids).execute();
        const named = [...new Set(due.map(({ receiver }) => receiver))];
        const rows = await trx.selectFrom("receivers").selectAll().where("id", "in", named).execute();
        const receivers = new Map(rows.map((row) => [row.id, toReceiver(row)]));
        return due.flatMap((row) => {
          const receiver = receivers.get(row.receiver);
          return receiver ? [{ notification: toRecord(row), receiver }] : [];
        });
      }),

    delivered: (receiver, notification, result, now) =>
      transact(db, async (trx) => {
        const enabled = { failures: 0, failing_since: null, next_at: 0, disabled_at: null };
        await trx
          .updateTable("receivers")
          .set({ ...enabled, delivered_at: now, result })
          .where("id", "=", receiver)
          .execute();
        if (notification !== null) await trx.deleteFrom("notifications").where("id", "=", notification).execute();
      }),

    failed: (receiver, notification, { result, dueAt, nextAt, disable }, now) =>
      transact(db, async (trx) => {
        await trx
          .updateTable("receivers")
          .set(({ eb, fn, val }) => ({
            failures: eb("failures", "+", 1),
            failing_since: fn.coalesce("failing_since", val(now)),
            next_at: nextAt,
            result,
            ...(disable && { disabled_at: now }),
          }))
          .where("id", "=", receiver)
          .execute();
        const waiting = trx.deleteFrom("notifications");
        if (disable) await waiting.where("receiver", "=", receiver).execute();
        else if (dueAt === null) await waiting.where("id", "=", notification).execute();
        else
          await trx
            .updateTable("notifications")
            .set(({ eb }) => ({ attempts: eb("attempts", "+", 1), due_at: dueAt }))
            .where("id", "=", notification)
            .execute();
      }),

    async forget(before) {
      await db.deleteFrom("notifications").where("created_at", "<", before).execute();
    },
  };
}

function toReceiver({ events_json, ...row }: ReceiverRow): ReceiverRecord {
  return { ...toRecord(row), events: parse(events_json) };
}

/** An event of a library version, with facts beside its name. */
interface LibraryEvent {
  readonly event: NotificationEvent;
  readonly uid: string;
  readonly version: string;
  readonly data: object;
}

/** Records the notifications of an event of a library, in the transaction of the event. */
export async function notifyOfLibrary(
  trx: Transaction<Schema>,
  { event, uid, version, data }: LibraryEvent,
  now: number,
): Promise<void> {
  const receivers = await trx
    .selectFrom("libraries")
    .innerJoin("receivers", (join) => join.on(isFor("libraries")))
    .select(["receivers.id", "receivers.events_json", "libraries.id as library"])
    .where("libraries.uid", "=", uid)
    .where("receivers.disabled_at", "is", null)
    .execute();
  const [first] = receivers;
  if (first) await record(trx, receivers, event, { libraryId: first.library, version, ...data }, now);
}

/** Records the notifications of an event of a credential, in the transaction of the event. */
export async function notifyOfCredential(
  trx: Transaction<Schema>,
  id: string,
  data: object,
  now: number,
): Promise<void> {
  const receivers = await trx
    .selectFrom("credentials")
    .innerJoin("receivers", (join) => join.on(isFor("credentials")))
    .select(["receivers.id", "receivers.events_json"])
    .where("credentials.id", "=", id)
    .where("receivers.disabled_at", "is", null)
    .execute();
  await record(trx, receivers, "credential.expiring", data, now);
}

/** Whether a receiver is for the owner of a row: that of a public library is the teamspace `default`. */
function isFor(table: "libraries" | "credentials") {
  const owner = sql.ref(`${table}.teamspace`);
  return sql<boolean>`receivers.teamspace = case when ${owner} = '' then 'default' else ${owner} end`;
}

async function record(
  trx: Transaction<Schema>,
  receivers: readonly Pick<ReceiverRow, "id" | "events_json">[],
  event: NotificationEvent,
  data: object,
  now: number,
): Promise<void> {
  const body = notificationBody(event, now, data);
  const rows = receivers
    .filter(({ events_json }) => parse<readonly string[]>(events_json).includes(event))
    .map(({ id }) => ({ id: `msg_${randomUUID()}`, receiver: id, body, attempts: 0, due_at: now, created_at: now }));
  if (rows.length > 0) await trx.insertInto("notifications").values(rows).execute();
}
