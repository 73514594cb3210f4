import { sql } from "kysely";
import type { Kysely, Transaction } from "kysely";
import type { LibraryStore, VersionRoom } from "../../domain/ports.ts";
import { toLibrary } from "./rows.ts";
import type { Schema } from "./schema.ts";
import { lockLibrary, transact } from "./transaction.ts";
import { makeAllRemovable } from "./removal.ts";

/** When a version was last read; without reads, when its generation was made. */
const used = sql<number>`coalesce(versions.read_at, generations.created_at)`;

/** Builds the part of the library store that removes unused versions. */
export function createRetention(db: Kysely<Schema>): Pick<LibraryStore, "unusedVersions" | "giveUpVersion"> {
  /**
   * Versions that may be removed: not the default version, none with an open run or a held generation, and none of a library whose default
   * version has nothing live, as they may be all that is readable.
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
        // The LIKE pattern may match other text of the source.
        return library.source.kind === kind ? [{ library, version, usedAt, servedRef }] : [];
      });
    },

    giveUpVersion: (uid, version, { unusedSince, removeAfter }) =>
      transact(db, async (trx) => {
        if (!(await lockLibrary(trx, uid))) return false;
        const row = await unused(trx, unusedSince)
          .select("versions.version")
          .where("versions.library_uid", "=", uid)
          .where("versions.version", "=", version)
          .executeTakeFirst();
        return row !== undefined && removeVersion(trx, uid, version, removeAfter);
      }),
  };
}

/**
 * Removes the least recently used versions of a locked library until one more fits, and returns whether it does. Versions with an open
 * run, recently used ones, and the only readable one stay.
 */
export async function makeRoom(
  trx: Transaction<Schema>,
  uid: string,
  wanted: string,
  { atMost, unusedSince, removeAfter }: VersionRoom,
): Promise<boolean> {
  const all = await trx
    .selectFrom("versions")
    .leftJoin("generations", "generations.id", "versions.live_generation")
    .select(["versions.version", "versions.open_run", "versions.read_at", "generations.created_at"])
    .where("versions.library_uid", "=", uid)
    .orderBy("versions.version")
    .execute();
  const rows = all.filter(({ version }) => version !== "");
  const over = rows.length + 1 - atMost;
  if (over <= 0 || rows.some(({ version }) => version === wanted)) return true;
  // A new version was requested by somebody who has not read it yet.
  const byUse = rows
    .map((row) => ({ ...row, used: Math.max(row.read_at ?? 0, row.created_at ?? 0) }))
    .sort((one, other) => one.used - other.used);
  // If the default version has nothing live, the last used one that has may be the only readable one.
  const isReadable = all.some(({ version, created_at }) => version === "" && created_at !== null);
  const kept = isReadable ? undefined : byUse.findLast(({ created_at }) => created_at !== null);
  const idle = byUse.filter((row) => row.open_run === null && row.used < unusedSince && row !== kept);
  if (idle.length < over) return false;
  let removed = 0;
  for (const { version } of idle) {
    if (removed === over) break;
    removed += Number(await removeVersion(trx, uid, version, removeAfter));
  }
  return removed === over;
}

/** Removes a version of a locked library with its runs; false if a run was opened meanwhile. */
async function removeVersion(
  trx: Transaction<Schema>,
  uid: string,
  version: string,
  removeAfter: number,
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom("versions")
    .where("library_uid", "=", uid)
    .where("version", "=", version)
    .where("open_run", "is", null)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) return false;
  await makeAllRemovable(trx, uid, version, removeAfter);
  await trx.deleteFrom("runs").where("library_uid", "=", uid).where("version", "=", version).execute();
  return true;
}
