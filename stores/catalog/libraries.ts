import type { Kysely, Transaction } from "kysely";
import { Failure } from "../../domain/failures.ts";
import type { LibraryRecord, LibraryStore } from "../../domain/ports.ts";
import type { SourceRef } from "../../domain/source.ts";
import { addOwnCredential, createCredentialUse, holdCredential } from "./credentials.ts";
import { createMisses } from "./misses.ts";
import { createReputations } from "./reputations.ts";
import { createMoves, findKey, isTaken } from "./moves.ts";
import { removeTraces, removeWithCredential } from "./removal.ts";
import { addAddress, createLinks, nameRepository } from "./repositories.ts";
import { createRetention } from "./retention.ts";
import { makeRoom } from "./room.ts";
import { parse, toLibrary, toLibraryRow } from "./rows.ts";
import { insertRun } from "./runs.ts";
import type { Schema } from "./schema.ts";
import { holdTeamspace, lockLibrary, transact } from "./transaction.ts";
import { createUnserved } from "./unserved.ts";
import { createUploads } from "./uploads.ts";
import { createUsage } from "./usage.ts";
import { createLibraryViews } from "./views.ts";

/** Builds the store of libraries, their versions and refs. */
export function createLibraryStore(db: Kysely<Schema>): LibraryStore {
  return {
    ...createLibraryViews(db),
    ...createUsage(db),
    ...createRetention(db),
    ...createMisses(db),
    ...createReputations(db),
    ...createLinks(db),
    ...createMoves(db),
    ...createUploads(db),
    ...createUnserved(db),
    ...createCredentialUse(db),

    async get(uid) {
      const row = await db.selectFrom("libraries").selectAll().where("uid", "=", uid).executeTakeFirst();
      return row && toLibrary(row);
    },

    create: (library, ref, run, { own, replaces } = {}) =>
      transact(db, async (trx) => {
        const now = library.createdAt;
        if (library.teamspace !== "" && !(await holdTeamspace(trx, library.teamspace)))
          throw new Failure(
            "validation_error",
            `There is no teamspace "${library.teamspace}" any more. Make it first.`,
          );
        const before = await findKey(trx, library).forUpdate().executeTakeFirst();
        if (before) {
          if (await isTaken(trx, before.uid)) return { exists: toLibrary(before) };
          if (before.uid !== replaces)
            return { exists: toLibrary(before), idle: { since: await lastEnd(trx, before.uid) } };
          await removeWithCredential(trx, before, now);
        }
        const { numInsertedOrUpdatedRows } = await trx
          .insertInto("libraries")
          .values(toLibraryRow(library))
          .onConflict((conflict) => conflict.columns(["folded_id", "teamspace"]).doNothing())
          .executeTakeFirstOrThrow();
        if (numInsertedOrUpdatedRows === 0n) return { exists: await otherOf(trx, library) };
        await addAddress(trx, library);
        if (library.repository) await nameRepository(trx, library.uid, library.repository);
        if (own) await addOwnCredential(trx, own);
        else if (library.credential !== null) await holdCredential(trx, library.credential);
        await insertVersion(trx, library.uid, "", ref);
        const opened = await insertRun(trx, library, "", run, now);
        return { created: { joined: false, run: opened } };
      }),

    addVersion: (uid, version, ref, room) =>
      transact(db, async (trx) => {
        // Locked as a whole, so that the versions are counted while no other is added.
        if (!(await lockLibrary(trx, uid)) || (room && !(await makeRoom(trx, uid, version, room)))) return false;
        await insertVersion(trx, uid, version, ref, room?.now);
        return true;
      }),

    remove: (uid, now) =>
      transact(db, async (trx) => {
        const library = await lockLibrary(trx, uid);
        const cancelled = await removeWithCredential(trx, library ?? { uid, credential: null }, now);
        if (library) await removeTraces(trx, library, now);
        return cancelled;
      }),

    async keepRefs(uid, refs, leftOut = 0) {
      const ordered = [...refs.filter(({ kind }) => kind === "tag"), ...refs.filter(({ kind }) => kind !== "tag")];
      const refs_json = JSON.stringify(ordered);
      await db
        .insertInto("refs")
        .columns(["library_uid", "refs_json", "left_out"])
        .expression((eb) =>
          eb
            .selectFrom("libraries")
            .select(["uid", eb.val(refs_json).as("refs_json"), eb.val(leftOut).as("left_out")])
            .where("uid", "=", uid)
            .forKeyShare(),
        )
        .onConflict((conflict) => conflict.column("library_uid").doUpdateSet({ refs_json, left_out: leftOut }))
        .execute();
    },

    async refs(uid) {
      const row = await db.selectFrom("refs").select("refs_json").where("library_uid", "=", uid).executeTakeFirst();
      return row ? parse<readonly SourceRef[]>(row.refs_json) : [];
    },

    async refsLeftOut(uid) {
      const row = await db.selectFrom("refs").select("left_out").where("library_uid", "=", uid).executeTakeFirst();
      return row?.left_out ?? 0;
    },
  };
}

/** When the last run of a library ended. */
async function lastEnd(trx: Transaction<Schema>, uid: string): Promise<number | null> {
  const row = await trx
    .selectFrom("runs")
    .select(({ fn }) => fn.max("closed_at").as("at"))
    .where("library_uid", "=", uid)
    .executeTakeFirst();
  return row?.at ?? null;
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
  askedAt: number | null = null,
): Promise<void> {
  await trx
    .insertInto("versions")
    .values({ library_uid: uid, version, ref, read_at: askedAt })
    .onConflict((conflict) => conflict.columns(["library_uid", "version"]).doNothing())
    .execute();
}
