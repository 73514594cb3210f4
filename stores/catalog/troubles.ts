import { sql, type ExpressionBuilder, type ExpressionWrapper, type Kysely, type SqlBool } from "kysely";
import { troubles } from "../../domain/catalog.ts";
import type { Trouble } from "../../domain/ports.ts";
import type { Schema } from "./schema.ts";

/** Time without progress after which a run is stuck, in milliseconds: a step without progress is ended far earlier. */
const stuckAfter = 30 * 60_000;

type Builder = ExpressionBuilder<Schema, "libraries">;
type Condition = ExpressionWrapper<Schema, "libraries", SqlBool>;

/** Whether one of a library's versions has a trouble; for few libraries, or for counting. */
export function hasTrouble({ exists, selectFrom }: Builder, kind: Trouble, now: number): Condition {
  return exists(troubledVersions(selectFrom, kind, now).whereRef("versions.library_uid", "=", "libraries.uid"));
}

/** Like `hasTrouble`, for selecting among all libraries: several times faster, as the versions are scanned once. `any`: at least one. */
export function isTroubled({ eb, selectFrom }: Builder, kind: Trouble | "any", now: number): Condition {
  return eb("libraries.uid", "in", troubledVersions(selectFrom, kind, now));
}

/** The library UIDs of the versions that have a trouble. */
function troubledVersions(selectFrom: Builder["selectFrom"], kind: Trouble | "any", now: number) {
  const counts = sql<string>`live.counts_json`;
  return selectFrom("versions")
    .leftJoin("runs as last", "last.id", "versions.last_run")
    .leftJoin("runs as open", "open.id", "versions.open_run")
    .leftJoin("generations as live", "live.id", "versions.live_generation")
    .where(({ and, or, eb, fn, exists, selectFrom: from }) => {
      const conditions = {
        failed: eb("last.outcome", "=", "failed"),
        held: exists(
          from("generations")
            .whereRef("generations.library_uid", "=", "versions.library_uid")
            .whereRef("generations.version", "=", "versions.version")
            .where("generations.state", "=", "held")
            .select("generations.id"),
        ),
        stuck: or([
          eb("open.failure_json", "is not", null),
          eb(fn.coalesce("open.progress_at", "open.started_at", "open.created_at"), "<", now - stuckAfter),
        ]),
        // JSON.stringify writes no spaces.
        quarantined: and([eb(counts, "like", '%"quarantined":%'), eb(counts, "not like", '%"quarantined":0%')]),
        damaged: eb("live.damage", "is not", null),
        unindexed: eb("live.unindexed_at", "is not", null),
        partial: eb(counts, "like", '%"isPartial":true%'),
      };
      return kind === "any" ? or(Object.values(conditions)) : conditions[kind];
    })
    .select("versions.library_uid");
}

/** The troubles of some libraries, by UID. */
export async function troublesOf(
  db: Kysely<Schema>,
  uids: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, readonly Trouble[]>> {
  const rows = await db
    .selectFrom("libraries")
    .where("uid", "in", uids.length === 0 ? [""] : uids)
    .select("uid")
    .select((builder) => troubles.map((kind) => hasTrouble(builder, kind, now).as(kind)))
    .execute();
  // SQLite returns booleans as numbers.
  return new Map(rows.map((row) => [row.uid, troubles.filter((kind) => Boolean(row[kind]))]));
}
