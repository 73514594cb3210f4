import { randomUUID } from "node:crypto";
import type { Kysely, Transaction } from "kysely";
import { matchesLibrary } from "../domain/access.ts";
import { foldId } from "../domain/library.ts";
import type { LibraryRecord, LibraryStore } from "../domain/ports.ts";
import { removeWithCredential } from "./removal.ts";
import { parse, toLibrary, toLibraryRow } from "./rows.ts";
import type { LibraryRow, Schema } from "./schema.ts";
import { lockLibrary, transact } from "./transaction.ts";

/** Builds the part of the library store that lets libraries have another address and another ID. */
export function createMoves(db: Kysely<Schema>): Pick<LibraryStore, "update" | "move"> {
  return {
    update: (uid, { source, selection, title, chosen, ...same }) =>
      transact(db, async (trx) => {
        const before = await lockLibrary(trx, uid);
        if (!before) return;
        const chosenSource = source ?? toLibrary(before).source;
        const set: Partial<LibraryRow> = {
          ...same,
          ...((source ?? selection) && {
            source_json: JSON.stringify({ ...chosenSource, ...(selection && { selection }) }),
          }),
          ...(chosen && { chosen_json: JSON.stringify(chosen) }),
          ...(title !== undefined && { title, folded_title: foldId(title) }),
        };
        if (Object.keys(set).length > 0) await trx.updateTable("libraries").set(set).where("uid", "=", uid).execute();
        if (typeof set.redirect === "string") await leaveTo(trx, toLibrary(before), set.redirect);
      }),

    move: (uid, { from, to, id }, now) =>
      transact(db, async (trx) => {
        const row = await lockLibrary(trx, uid);
        if (!row) return undefined;
        const before = toLibrary(row);
        if (before.source.kind !== "git" || before.source.url !== from) return before;
        const moved: LibraryRecord = { ...before, source: { ...before.source, url: to } };
        const renamed = id !== null && foldId(id) !== row.folded_id;
        const other = renamed ? await makeWay(trx, before, id, now) : undefined;
        if (!renamed || (other && !(await isSameAndUnread(trx, moved, other)))) return save(trx, moved);
        if (other) {
          await leaveTo(trx, before, other.id);
          return save(trx, { ...moved, redirect: other.id });
        }
        const library = await save(trx, { ...moved, id });
        const trace = { ...before, uid: randomUUID(), credential: null, redirect: id, trust: null, createdAt: now };
        await trx.insertInto("libraries").values(toLibraryRow(trace)).execute();
        await trx
          .updateTable("libraries")
          .set({ redirect: id })
          .where("teamspace", "=", before.teamspace)
          .where("redirect", "=", before.id)
          .execute();
        await admitKeys(trx, before, id);
        return library;
      }),
  };
}

async function save(trx: Transaction<Schema>, library: LibraryRecord): Promise<LibraryRecord> {
  const { uid, ...row } = toLibraryRow(library);
  await trx.updateTable("libraries").set(row).where("uid", "=", uid).execute();
  return library;
}

/** What redirected to a library that redirects from now on goes on to where that does, and the library is not refreshed. */
async function leaveTo(trx: Transaction<Schema>, library: LibraryRecord, redirect: string): Promise<void> {
  await trx
    .updateTable("libraries")
    .set({ redirect })
    .where("teamspace", "=", library.teamspace)
    .where("redirect", "=", library.id)
    .where("uid", "<>", library.uid)
    .execute();
  await trx.updateTable("versions").set({ refresh_at: null }).where("library_uid", "=", library.uid).execute();
}

/** The library that has an ID, if any reads or is about to be; one that answers nothing is removed, as `create` does. */
async function makeWay(
  trx: Transaction<Schema>,
  { teamspace }: LibraryRecord,
  id: string,
  now: number,
): Promise<LibraryRecord | undefined> {
  const row = await findKey(trx, { id, teamspace }).forUpdate().executeTakeFirst();
  if (!row || (await isTaken(trx, row.uid))) return row && toLibrary(row);
  await removeWithCredential(trx, row, null, now);
  return undefined;
}

/** True for two libraries of one repository, of which the first has nothing to read. */
async function isSameAndUnread(
  trx: Transaction<Schema>,
  { uid, source }: LibraryRecord,
  other: LibraryRecord,
): Promise<boolean> {
  if (source.kind !== "git" || other.source.kind !== "git") return false;
  const bare = (url: string): string => url.replace(/\.git$/, "");
  if (bare(source.url) !== bare(other.source.url)) return false;
  const live = trx
    .selectFrom("versions")
    .select("version")
    .where("library_uid", "=", uid)
    .where("live_generation", "is not", null);
  return (await live.executeTakeFirst()) === undefined;
}

/** Keys that are limited to some libraries, this one among them, are good for its new ID too. */
async function admitKeys(trx: Transaction<Schema>, { id, teamspace }: LibraryRecord, renamed: string): Promise<void> {
  let limited = trx
    .selectFrom("keys")
    .select(["id", "libraries_json"])
    .where("libraries_json", "<>", "[]")
    .where("revoked_at", "is", null);
  if (teamspace !== "") limited = limited.where("teamspace", "=", teamspace);
  for (const key of await limited.orderBy("id").forUpdate().execute()) {
    const libraries = parse<readonly string[]>(key.libraries_json);
    if (!matchesLibrary(libraries, id) || matchesLibrary(libraries, renamed)) continue;
    const libraries_json = JSON.stringify([...libraries, renamed]);
    await trx.updateTable("keys").set({ libraries_json }).where("id", "=", key.id).execute();
  }
}

/** The row of an ID. */
export function findKey(trx: Transaction<Schema>, { id, teamspace }: Pick<LibraryRecord, "id" | "teamspace">) {
  return trx.selectFrom("libraries").selectAll().where("folded_id", "=", foldId(id)).where("teamspace", "=", teamspace);
}

/** True where a library answers reads or is about to: some version is live or has an open run. Its versions are locked. */
export async function isTaken(trx: Transaction<Schema>, uid: string): Promise<boolean> {
  const versions = await trx
    .selectFrom("versions")
    .select(["live_generation", "open_run"])
    .where("library_uid", "=", uid)
    .orderBy("version")
    .forUpdate()
    .execute();
  return versions.some(({ live_generation, open_run }) => live_generation !== null || open_run !== null);
}
