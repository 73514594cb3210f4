import type { Kysely, ExpressionBuilder, SelectQueryBuilder } from "kysely";
import { Failure } from "../../domain/failures.ts";
import type { Schema, AuditRow } from "./schema.ts";
import type { AuditFilter, AuditRecord, AuditStore } from "../../domain/audit.ts";

/** Builds the store of who did what. */
export function createAuditStore(db: Kysely<Schema>): AuditStore {
  return {
    async add(record) {
      await db.insertInto("audit").values(toRow(record)).execute();
    },

    async end(id, { target, outcome, code }) {
      await db
        .updateTable("audit")
        .set({ target, outcome, code })
        .where("id", "=", id)
        .where("outcome", "=", "begun")
        .execute();
    },

    async list(filter, { limit, cursor }) {
      let matching = meant(db.selectFrom("audit").selectAll(), filter);
      if (cursor !== undefined) {
        const { at, id } = parseCursor(cursor);
        matching = matching.where(({ eb, and, or }) =>
          or([eb("at", "<", at), and([eb("at", "=", at), eb("id", "<", id)])]),
        );
      }
      const rows = await matching
        .orderBy("at", "desc")
        .orderBy("id", "desc")
        .limit(limit + 1)
        .execute();
      const items = rows.slice(0, limit).map(toRecord);
      const last = items.at(-1);
      return { items, next: last && rows.length > limit ? `${last.at}.${last.id}` : null };
    },

    async forget({ before, withoutKey, all }) {
      const old = await db.deleteFrom("audit").where("at", "<", before).executeTakeFirst();
      const anonymous = await removeBeyond(db, withoutKey, true);
      return Number(old.numDeletedRows) + anonymous + (await removeBeyond(db, all, false));
    },
  };
}

/** Removes all but the newest, of callers without a key or in all. */
async function removeBeyond(db: Kysely<Schema>, kept: number, isWithoutKey: boolean): Promise<number> {
  let newest = db.selectFrom("audit").select(["at", "id"]);
  if (isWithoutKey) newest = newest.where("key_id", "is", null);
  const last = await newest.orderBy("at", "desc").orderBy("id", "desc").offset(kept).limit(1).executeTakeFirst();
  if (!last) return 0;
  let beyond = db
    .deleteFrom("audit")
    .where(({ eb, and, or }) => or([eb("at", "<", last.at), and([eb("at", "=", last.at), eb("id", "<=", last.id)])]));
  if (isWithoutKey) beyond = beyond.where("key_id", "is", null);
  return Number((await beyond.executeTakeFirst()).numDeletedRows);
}

type Rows = SelectQueryBuilder<Schema, "audit", AuditRow>;

function meant(rows: Rows, { teamspace, since, until, action, keyId, target, outcome }: AuditFilter): Rows {
  return rows
    .$if(teamspace !== undefined, (query) => query.where("teamspace", "=", teamspace ?? ""))
    .$if(since !== undefined, (query) => query.where("at", ">=", since ?? 0))
    .$if(until !== undefined, (query) => query.where("at", "<=", until ?? 0))
    .$if(action !== undefined, (query) => query.where("action", "=", action ?? ("" as never)))
    .$if(keyId !== undefined, (query) => query.where("key_id", "=", keyId ?? ""))
    .$if(target !== undefined, (query) => query.where((builder) => isTarget(builder, target ?? "")))
    .$if(outcome !== undefined, (query) => query.where("outcome", "=", outcome ?? ("" as never)));
}

/** What has the ID, or is a version of the library that has it: "A" is what follows "@". */
function isTarget({ eb, and, or }: ExpressionBuilder<Schema, "audit">, target: string) {
  return or([eb("target", "=", target), and([eb("target", ">=", `${target}@`), eb("target", "<", `${target}A`)])]);
}

function parseCursor(cursor: string): { readonly at: number; readonly id: string } {
  const [, at, id] = /^(\d{1,15})\.(.+)$/s.exec(cursor) ?? [];
  if (at === undefined || id === undefined)
    throw new Failure("validation_error", "cursor is wrong. Start again without it.");
  return { at: Number(at), id };
}

function toRow({ keyId, requestId, ...record }: AuditRecord): AuditRow {
  return { ...record, key_id: keyId, request_id: requestId };
}

function toRecord({ key_id, request_id, ...row }: AuditRow): AuditRecord {
  return { ...row, keyId: key_id, requestId: request_id };
}
