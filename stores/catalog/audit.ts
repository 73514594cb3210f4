import type { Kysely, ExpressionBuilder, SelectQueryBuilder } from "kysely";
import { Failure } from "../../domain/failures.ts";
import type { Schema } from "./schema.ts";
import type { AuditRow } from "./schema-use.ts";
import type { AuditFilter, AuditStore } from "../../domain/audit.ts";
import { toRecord, toRow } from "./rows.ts";

/** Builds the store of audit records. */
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
      let matching = filtered(db.selectFrom("audit").selectAll(), filter);
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

/** Removes all but the newest `kept` records: of callers without a key, or of all. */
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

function filtered(rows: Rows, { teamspace, since, until, action, keyId, target, outcome }: AuditFilter): Rows {
  const conditions = [
    ["teamspace", "=", teamspace],
    ["at", ">=", since],
    ["at", "<=", until],
    ["action", "=", action],
    ["key_id", "=", keyId],
    ["outcome", "=", outcome],
  ] as const;
  let matching = target === undefined ? rows : rows.where((builder) => isTarget(builder, target));
  for (const [column, operator, value] of conditions)
    if (value !== undefined) matching = matching.where(column, operator, value);
  return matching;
}

/** Whether a record is about the target or a version of it; "A" is the character after "@". */
function isTarget({ eb, and, or }: ExpressionBuilder<Schema, "audit">, target: string) {
  return or([eb("target", "=", target), and([eb("target", ">=", `${target}@`), eb("target", "<", `${target}A`)])]);
}

function parseCursor(cursor: string): { readonly at: number; readonly id: string } {
  const [, at, id] = /^(\d{1,15})\.(.+)$/s.exec(cursor) ?? [];
  if (at === undefined || id === undefined)
    throw new Failure("validation_error", "The cursor is invalid. Omit it to start at the first page.");
  return { at: Number(at), id };
}
