import { sql } from "kysely";
import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import type { Trouble } from "../domain/ports.ts";
import type { Schema } from "./schema.ts";

/** A run that has not got on for so long is stuck, in milliseconds: a step without progress is ended far earlier. */
const stuckAfter = 30 * 60_000;

/** That something is the matter with a library, in one of its versions. */
export function hasTrouble(
  { exists, selectFrom }: ExpressionBuilder<Schema, "libraries">,
  kind: Trouble,
  now: number,
): Expression<SqlBool> {
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
  }
}
