import { sql } from "kysely";
import type { ExpressionBuilder, ExpressionWrapper, Kysely, SqlBool } from "kysely";
import { troubles } from "../../domain/catalog.ts";
import type { Trouble } from "../../domain/ports.ts";
import type { Schema } from "./schema.ts";

/** Time without progress after which a run is stuck, in milliseconds: a step without progress is ended far earlier. */
const stuckAfter = 30 * 60_000;

/** That something is the matter with a library, in one of its versions; for some libraries, or to be counted. */
export function hasTrouble(
  { exists, selectFrom }: ExpressionBuilder<Schema, "libraries">,
  kind: Trouble,
  now: number,
): ExpressionWrapper<Schema, "libraries", SqlBool> {
  const versions = selectFrom("versions")
    .whereRef("versions.library_uid", "=", "libraries.uid")
    .select("versions.version");
  const live = versions.innerJoin("generations", "generations.id", "versions.live_generation");
  switch (kind) {
    case "failed":
      return exists(versions.innerJoin("runs", "runs.id", "versions.last_run").where("runs.outcome", "=", "failed"));
    case "held":
      return exists(
        versions
          .innerJoin("generations", (join) =>
            join
              .onRef("generations.library_uid", "=", "versions.library_uid")
              .onRef("generations.version", "=", "versions.version"),
          )
          .where("generations.state", "=", "held"),
      );
    case "stuck":
      return exists(
        versions
          .innerJoin("runs", "runs.id", "versions.open_run")
          .where(({ eb, fn, or }) =>
            or([
              eb("runs.failure_json", "is not", null),
              eb(fn.coalesce("runs.progress_at", "runs.started_at", "runs.created_at"), "<", now - stuckAfter),
            ]),
          ),
      );
    case "quarantined":
      // Written by JSON.stringify, without blanks.
      return exists(
        live
          .where(sql<string>`generations.counts_json`, "like", '%"quarantined":%')
          .where(sql<string>`generations.counts_json`, "not like", '%"quarantined":0%'),
      );
    case "damaged":
      return exists(live.where("generations.damage", "is not", null));
    case "unindexed":
      return exists(live.where("generations.unindexed_at", "is not", null));
  }
}

/**
 * The same for choosing among all libraries; `any`: one of them is. All versions are looked at once: asked of each library, as above, it
 * takes several times as long.
 */
export function isTroubled(
  { eb, selectFrom }: ExpressionBuilder<Schema, "libraries">,
  kind: Trouble | "any",
  now: number,
): ExpressionWrapper<Schema, "libraries", SqlBool> {
  const counts = sql<string>`live.counts_json`;
  const uids = selectFrom("versions")
    .leftJoin("runs as last", "last.id", "versions.last_run")
    .leftJoin("runs as open", "open.id", "versions.open_run")
    .leftJoin("generations as live", "live.id", "versions.live_generation")
    .where(({ and, or, eb: of, fn, exists, selectFrom: from }) => {
      const conditions = {
        failed: of("last.outcome", "=", "failed"),
        held: exists(
          from("generations")
            .whereRef("generations.library_uid", "=", "versions.library_uid")
            .whereRef("generations.version", "=", "versions.version")
            .where("generations.state", "=", "held")
            .select("generations.id"),
        ),
        stuck: or([
          of("open.failure_json", "is not", null),
          of(fn.coalesce("open.progress_at", "open.started_at", "open.created_at"), "<", now - stuckAfter),
        ]),
        quarantined: and([of(counts, "like", '%"quarantined":%'), of(counts, "not like", '%"quarantined":0%')]),
        damaged: of("live.damage", "is not", null),
        unindexed: of("live.unindexed_at", "is not", null),
      };
      return kind === "any" ? or(Object.values(conditions)) : conditions[kind];
    })
    .select("versions.library_uid");
  return eb("libraries.uid", "in", uids);
}

/** What is the matter with some libraries, by their uids. */
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
  // SQLite has numbers for truth.
  return new Map(rows.map((row) => [row.uid, troubles.filter((kind) => Boolean(row[kind]))]));
}
