import { sql } from "kysely";
import type { ExpressionBuilder, ExpressionWrapper, Kysely, SqlBool } from "kysely";
import type { LibraryStore } from "../../domain/ports.ts";
import { removeTraces, removeWithCredential } from "./removal.ts";
import { toLibrary } from "./rows.ts";
import type { Schema } from "./schema.ts";
import { lockLibrary, transact } from "./transaction.ts";

/** That nothing of a library was ever served, and that no run of it is executed: what a first run that failed leaves. */
export function isUnserved({
  and,
  exists,
  not,
  selectFrom,
}: ExpressionBuilder<Schema, "libraries">): ExpressionWrapper<Schema, "libraries", SqlBool> {
  const versions = selectFrom("versions")
    .whereRef("versions.library_uid", "=", "libraries.uid")
    .select("versions.version");
  const goesOn = versions
    .leftJoin("runs as open", "open.id", "versions.open_run")
    .where(({ or, eb, and: all }) =>
      or([
        eb("versions.live_generation", "is not", null),
        all([eb("open.id", "is not", null), eb("open.failure_json", "is", null)]),
      ]),
    );
  // What a moved library left behind has no version.
  return and([exists(versions), not(exists(goesOn))]);
}

/** Builds the part of the library store that removes libraries of which nothing was ever served. */
export function createUnserved(db: Kysely<Schema>): Pick<LibraryStore, "unserved" | "removeUnserved"> {
  return {
    async unserved(since, limit) {
      const rows = await db
        .selectFrom("libraries")
        .selectAll()
        .where("redirect", "is", null)
        .where("created_at", "<", since)
        .where(isUnserved)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom("versions")
                .leftJoin("runs as last", "last.id", "versions.last_run")
                .whereRef("versions.library_uid", "=", "libraries.uid")
                .where(({ or, eb }) =>
                  or([eb("versions.retry_at", "is not", null), eb(sql<number>`last.closed_at`, ">=", since)]),
                )
                .select("versions.version"),
            ),
          ),
        )
        .orderBy("created_at")
        .orderBy("uid")
        .limit(limit)
        .execute();
      return rows.map(toLibrary);
    },

    removeUnserved: (uid, now) =>
      transact(db, async (trx) => {
        const library = await lockLibrary(trx, uid);
        // Locked first, as what opens and publishes runs locks the version.
        await trx.selectFrom("versions").select("version").where("library_uid", "=", uid).forUpdate().execute();
        const still = library && trx.selectFrom("libraries").select("uid").where("uid", "=", uid).where(isUnserved);
        if (!library || library.redirect !== null || !(await still?.executeTakeFirst())) return undefined;
        const cancelled = await removeWithCredential(trx, library, now);
        await removeTraces(trx, library, now);
        return cancelled;
      }),
  };
}
