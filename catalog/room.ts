import type { Transaction } from "kysely";
import type { VersionRoom } from "../domain/ports.ts";
import { makeAllRemovable } from "./removal.ts";
import type { Schema } from "./schema.ts";

/**
 * Evicts the least recently read versions of a locked library until one more fits, and answers whether it does. None that is
 * being indexed or was used recently is evicted.
 */
export async function makeRoom(
  trx: Transaction<Schema>,
  uid: string,
  wanted: string,
  { atMost, unusedSince, removeAfter }: VersionRoom,
): Promise<boolean> {
  const rows = await trx
    .selectFrom("versions")
    .leftJoin("generations", "generations.id", "versions.live_generation")
    .select(["versions.version", "versions.open_run", "versions.read_at", "generations.created_at"])
    .where("versions.library_uid", "=", uid)
    .where("versions.version", "<>", "")
    .orderBy("versions.version")
    .execute();
  const over = rows.length + 1 - atMost;
  if (over <= 0 || rows.some(({ version }) => version === wanted)) return true;
  // What was made and not yet read is somebody's who waits for it.
  const idle = rows
    .map(({ version, open_run, read_at, created_at }) => ({
      version,
      open_run,
      used: Math.max(read_at ?? 0, created_at ?? 0),
    }))
    .filter(({ open_run, used }) => open_run === null && used < unusedSince)
    .sort((one, other) => one.used - other.used);
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
