import type { Kysely, Transaction } from "kysely";
import { Failure } from "../domain/failures.ts";
import { foldId } from "../domain/library.ts";
import type { LibraryRecord, LibraryStore } from "../domain/ports.ts";
import type { SourceRef } from "../domain/source.ts";
import { makeAllRemovable, removeLibrary } from "./removal.ts";
import { parse, toLibrary, toLibraryRow } from "./rows.ts";
import { insertRun } from "./runs.ts";
import type { LibraryRow, Schema } from "./schema.ts";
import { transact } from "./transaction.ts";
import { createUsage } from "./usage.ts";
import { createLibraryViews } from "./views.ts";

/** Builds the store of libraries, their versions and refs. */
export function createLibraryStore(db: Kysely<Schema>): LibraryStore {
  return {
    ...createLibraryViews(db),
    ...createUsage(db),

    async get(uid) {
      const row = await db.selectFrom("libraries").selectAll().where("uid", "=", uid).executeTakeFirst();
      return row && toLibrary(row);
    },

    create: (library, ref, run) =>
      transact(db, async (trx) => {
        const now = library.createdAt;
        const before = await findKey(trx, library).forUpdate().executeTakeFirst();
        if (before) {
          if (await isTaken(trx, before.uid)) return { exists: toLibrary(before) };
          await removeLibrary(trx, before.uid, now);
          if (before.credential !== null && before.credential !== library.credential)
            await trx.deleteFrom("credentials").where("id", "=", before.credential).execute();
        }
        const { numInsertedOrUpdatedRows } = await trx
          .insertInto("libraries")
          .values(toLibraryRow(library))
          .onConflict((conflict) => conflict.columns(["folded_id", "teamspace"]).doNothing())
          .executeTakeFirstOrThrow();
        if (numInsertedOrUpdatedRows === 0n) return { exists: await otherOf(trx, library) };
        await insertVersion(trx, library.uid, "", ref);
        const opened = await insertRun(trx, library, "", run, now);
        return { created: { joined: false, run: opened } };
      }),

    addVersion: (uid, version, ref) =>
      transact(db, async (trx) => {
        const library = trx.selectFrom("libraries").select("uid").where("uid", "=", uid).forKeyShare();
        if (!(await library.executeTakeFirst())) return false;
        await insertVersion(trx, uid, version, ref);
        return true;
      }),

    async removeVersion(uid, version) {
      await transact(db, async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom("versions")
          .where("library_uid", "=", uid)
          .where("version", "=", version)
          .where("open_run", "is", null)
          .executeTakeFirstOrThrow();
        if (numDeletedRows === 0n) return;
        await makeAllRemovable(trx, uid, version, 0);
        await trx.deleteFrom("runs").where("library_uid", "=", uid).where("version", "=", version).execute();
      });
    },

    async update(uid, changes) {
      const { source, title, ...same } = changes;
      const set: Partial<LibraryRow> = {
        ...same,
        ...(source !== undefined && { source_json: JSON.stringify(source) }),
        ...(title !== undefined && { title, folded_title: foldId(title) }),
      };
      if (Object.keys(set).length === 0) return;
      await db.updateTable("libraries").set(set).where("uid", "=", uid).execute();
    },

    remove: (uid, now) => transact(db, (trx) => removeLibrary(trx, uid, now)),

    async keepRefs(uid, refs) {
      const ordered = [...refs.filter(({ kind }) => kind === "tag"), ...refs.filter(({ kind }) => kind !== "tag")];
      const refs_json = JSON.stringify(ordered);
      await db
        .insertInto("refs")
        .columns(["library_uid", "refs_json"])
        .expression((eb) =>
          eb
            .selectFrom("libraries")
            .select(["uid", eb.val(refs_json).as("refs_json")])
            .where("uid", "=", uid)
            .forKeyShare(),
        )
        .onConflict((conflict) => conflict.column("library_uid").doUpdateSet({ refs_json }))
        .execute();
    },

    async refs(uid) {
      const row = await db.selectFrom("refs").select("refs_json").where("library_uid", "=", uid).executeTakeFirst();
      return row ? parse<readonly SourceRef[]>(row.refs_json) : [];
    },
  };
}

function findKey(trx: Transaction<Schema>, { id, teamspace }: LibraryRecord) {
  return trx.selectFrom("libraries").selectAll().where("folded_id", "=", foldId(id)).where("teamspace", "=", teamspace);
}

/** True where a library answers reads or is about to: some version is live or has an open run. Its versions are locked. */
async function isTaken(trx: Transaction<Schema>, uid: string): Promise<boolean> {
  const versions = await trx
    .selectFrom("versions")
    .select(["live_generation", "open_run"])
    .where("library_uid", "=", uid)
    .orderBy("version")
    .forUpdate()
    .execute();
  return versions.some(({ live_generation, open_run }) => live_generation !== null || open_run !== null);
}

/** The library that was added at the same moment, in a database where transactions run side by side. */
async function otherOf(trx: Transaction<Schema>, library: LibraryRecord): Promise<LibraryRecord> {
  const row = await findKey(trx, library).executeTakeFirst();
  if (!row) throw new Failure("internal_error", `${library.id} could not be added. Submit it again.`);
  return toLibrary(row);
}

async function insertVersion(
  trx: Transaction<Schema>,
  uid: string,
  version: string,
  ref: string | null,
): Promise<void> {
  await trx
    .insertInto("versions")
    .values({ library_uid: uid, version, ref })
    .onConflict((conflict) => conflict.columns(["library_uid", "version"]).doNothing())
    .execute();
}
