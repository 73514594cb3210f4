import type { Transaction } from "kysely";
import type { VersionRoom } from "../../domain/ports.ts";
import { makeAllRemovable } from "./removal.ts";
import type { Schema } from "./schema.ts";

/**
 * Evicts the least recently read versions of a locked library until one more fits, and answers whether it does. None that is
 * being indexed or was used recently is evicted, and none that may be all that can be read of the library.
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
  // What was made and not yet read is somebody's who waits for it.
  const byUse = rows
    .map((row) => ({ ...row, used: Math.max(row.read_at ?? 0, row.created_at ?? 0) }))
    .sort((one, other) => one.used - other.used);
  // Where the default version cannot be read, the readable one used last may be all that can.
  const isReadable = all.some(({ version, created_at }) => version === "" && created_at !== null);
  const kept = isReadable ? undefined : byUse.findLast(({ created_at }) => created_at !== null);
  const idle = byUse.filter((one) => one.open_run === null && one.used < unusedSince && one !== kept);
  if (idle.length < over) return false;
  let removed = 0;
  for (const { version } of idle) {
    if (removed === over) break;
    removed += Number(await removeVersion(trx, uid, version, removeAfter));
  }
  return removed === over;
}

/** Removes a version of a locked library with its runs; false where a run of it was opened meanwhile. */
export async function removeVersion(
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
