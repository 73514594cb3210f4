import { sql } from "kysely";
import type { Kysely } from "kysely";
import type { LibraryStore } from "../../domain/ports.ts";
import { toLibrary } from "./rows.ts";
import { removeVersion } from "./room.ts";
import type { Schema } from "./schema.ts";
import { lockLibrary, transact } from "./transaction.ts";

/** When a version was used last: asked for, or made where nobody asked for it yet. */
const used = sql<number>`coalesce(versions.read_at, generations.created_at)`;

/** Builds the part of the library store that gives up versions which nobody asks for. */
export function createRetention(db: Kysely<Schema>): Pick<LibraryStore, "unusedVersions" | "giveUpVersion"> {
  /**
   * Versions that may go: not the default one, nothing that is being indexed, nothing that waits for a decision; and none of a library
   * whose default version cannot be read, as it may be all that can.
   */
  const unused = (trx: Kysely<Schema>, unusedSince: number) =>
    trx
      .selectFrom("versions")
      .innerJoin("generations", "generations.id", "versions.live_generation")
      .where("versions.version", "<>", "")
      .where("versions.open_run", "is", null)
      .where(used, "<", unusedSince)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom("versions as readable")
            .select("readable.version")
            .whereRef("readable.library_uid", "=", "versions.library_uid")
            .where("readable.version", "=", "")
            .where("readable.live_generation", "is not", null),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("generations as held")
              .select("held.id")
              .whereRef("held.library_uid", "=", "versions.library_uid")
              .whereRef("held.version", "=", "versions.version")
              .where("held.state", "=", "held"),
          ),
        ),
      );
  return {
    async unusedVersions(kind, unusedSince, limit) {
      const rows = await unused(db, unusedSince)
        .innerJoin("libraries", "libraries.uid", "versions.library_uid")
        .leftJoin("versions as standard", (join) =>
          join.onRef("standard.library_uid", "=", "versions.library_uid").on("standard.version", "=", ""),
        )
        .leftJoin("generations as served", "served.id", "standard.live_generation")
        .selectAll("libraries")
        .select(["versions.version as unused_version", "served.ref as served_ref", used.as("used_at")])
        .where("libraries.source_json", "like", `%"kind":"${kind}"%`)
        .orderBy("used_at")
        .orderBy("libraries.uid")
        .orderBy("versions.version")
        .limit(limit)
        .execute();
      return rows.flatMap(({ unused_version: version, used_at: usedAt, served_ref: servedRef, ...row }) => {
        const library = toLibrary(row);
        // The text of a source may have these words anywhere.
        return library.source.kind === kind ? [{ library, version, usedAt, servedRef }] : [];
      });
    },

    giveUpVersion: (uid, version, { unusedSince, removeAfter }) =>
      transact(db, async (trx) => {
        if (!(await lockLibrary(trx, uid))) return false;
        const still = await unused(trx, unusedSince)
          .select("versions.version")
          .where("versions.library_uid", "=", uid)
          .where("versions.version", "=", version)
          .executeTakeFirst();
        return still !== undefined && removeVersion(trx, uid, version, removeAfter);
      }),
  };
}
