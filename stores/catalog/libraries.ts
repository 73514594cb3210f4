import type { Kysely, Transaction } from "kysely";
import { Failure } from "../../domain/failures.ts";
import type { LibraryRecord, LibraryStore } from "../../domain/ports.ts";
import type { SourceRef } from "../../domain/source.ts";
import { createPushed } from "./hooks.ts";
import { addOwnCredential, createCredentialUse, holdCredential } from "./credentials.ts";
import { declare } from "./manifests.ts";
import { createLibraryChanges, selectById, hasLiveOrOpenVersion } from "./library-changes.ts";
import {
  createUnusedVersions,
  createUnserved,
  evictUnusedVersions,
  removeTraces,
  removeWithCredential,
} from "./removal.ts";
import { addAddress, createLinks, replaceNamedRepository } from "./repositories.ts";
import { parse, toLibrary, toLibraryRow } from "./rows.ts";
import { insertRun, closeRun } from "./runs.ts";
import type { Schema } from "./schema.ts";
import { holdTeamspace, lockLibrary, transact, lockVersion } from "./transaction.ts";
import { createMisses, createUsage } from "./usage.ts";
import { createLibraryViews } from "./views.ts";
import { foldId } from "../../domain/library.ts";

/** Builds the store of libraries, their versions and refs. */
export function createLibraryStore(db: Kysely<Schema>): LibraryStore {
  return {
    ...createLibraryViews(db),
    ...createUsage(db),
    ...createUnusedVersions(db),
    ...createMisses(db),
    ...createReputations(db),
    ...createLinks(db),
    ...createLibraryChanges(db),
    ...createUploads(db),
    ...createUnserved(db),
    ...createCredentialUse(db),
    ...createPushed(db),

    async get(uid) {
      const row = await db.selectFrom("libraries").selectAll().where("uid", "=", uid).executeTakeFirst();
      return row && toLibrary(row);
    },

    create: (library, ref, run, { own, replaces, declaration } = {}) =>
      transact(db, async (trx) => {
        const now = library.createdAt;
        if (library.teamspace !== "" && !(await holdTeamspace(trx, library.teamspace)))
          throw new Failure(
            "validation_error",
            `The teamspace "${library.teamspace}" no longer exists. Create it first.`,
          );
        const before = await selectById(trx, library).forUpdate().executeTakeFirst();
        if (before) {
          if (await hasLiveOrOpenVersion(trx, before.uid)) return { exists: toLibrary(before) };
          if (before.uid !== replaces)
            return { exists: toLibrary(before), idle: { since: await lastEnd(trx, before.uid) } };
          await removeWithCredential(trx, before, now);
        }
        const { numInsertedOrUpdatedRows } = await trx
          .insertInto("libraries")
          .values(toLibraryRow(library))
          .onConflict((conflict) => conflict.columns(["folded_id", "teamspace"]).doNothing())
          .executeTakeFirstOrThrow();
        if (numInsertedOrUpdatedRows === 0n) return { exists: await addedMeanwhile(trx, library) };
        await addAddress(trx, library);
        if (declaration) await declare(trx, library.uid, declaration);
        if (library.repository) await replaceNamedRepository(trx, library.uid, library.repository);
        if (own) await addOwnCredential(trx, own);
        else if (library.credential !== null) await holdCredential(trx, library.credential);
        await insertVersion(trx, library.uid, "", ref);
        const opened = await insertRun(trx, library, "", run, now);
        return { created: { joined: false, run: opened } };
      }),

    addVersion: (uid, version, ref, room) =>
      transact(db, async (trx) => {
        // Locks the library, so that no version is added while they are counted.
        if (!(await lockLibrary(trx, uid)) || (room && !(await evictUnusedVersions(trx, uid, version, room))))
          return false;
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
  const { at } = await trx
    .selectFrom("runs")
    .select(({ fn }) => fn.max("closed_at").as("at"))
    .where("library_uid", "=", uid)
    .executeTakeFirstOrThrow();
  return at;
}

/** The library with the same ID that a concurrent transaction added. */
async function addedMeanwhile(trx: Transaction<Schema>, library: LibraryRecord): Promise<LibraryRecord> {
  const row = await selectById(trx, library).executeTakeFirst();
  if (!row) throw new Failure("internal_error", `${library.id} could not be added. Submit it again.`);
  return toLibrary(row);
}

async function insertVersion(
  trx: Transaction<Schema>,
  uid: string,
  version: string,
  ref: string | null,
  readAt: number | null = null,
): Promise<void> {
  await trx
    .insertInto("versions")
    .values({ library_uid: uid, version, ref, read_at: readAt })
    .onConflict((conflict) => conflict.columns(["library_uid", "version"]).doNothing())
    .execute();
}

/** Builds the part of the library store with uploads. */
function createUploads(db: Kysely<Schema>): Pick<LibraryStore, "replaceUpload" | "uploads"> {
  return {
    replaceUpload: (uid, { source, upload, title, description, chosen }, run, now) =>
      transact(db, async (trx) => {
        const library = await lockLibrary(trx, uid);
        const version = await lockVersion(trx, uid, "");
        if (!library || !version || library.redirect !== null) return undefined;
        await trx
          .updateTable("libraries")
          .set({
            source_json: JSON.stringify(source),
            upload,
            ...(title !== undefined && { title, folded_title: foldId(title) }),
            ...(description !== undefined && { description }),
            ...(chosen && { chosen_json: JSON.stringify(chosen) }),
          })
          .where("uid", "=", uid)
          .execute();
        const superseded =
          version.open_run === null ? undefined : await closeRun(trx, version.open_run, { outcome: "superseded" }, now);
        const opened = await insertRun(trx, { ...toLibrary(library), source }, "", run, now);
        return { run: opened, superseded: superseded ?? null };
      }),

    async uploads() {
      const rows = await db
        .selectFrom("libraries")
        .select("upload")
        .where("upload", "is not", null)
        .$narrowType<{ upload: string }>()
        .execute();
      return new Set(rows.map(({ upload }) => upload));
    },
  };
}

type Reputations = Pick<LibraryStore, "keepSample" | "likeSample" | "withoutReputation" | "namingSite">;

/** Builds the part of the library store for reputations. */
function createReputations(db: Kysely<Schema>): Reputations {
  const readable = db.selectFrom("libraries").selectAll().where("teamspace", "=", "").where("redirect", "is", null);
  return {
    keepSample: (uid, pageKeys) =>
      transact(db, async (trx) => {
        if (!(await lockLibrary(trx, uid))) return;
        await trx.deleteFrom("samples").where("library_uid", "=", uid).execute();
        const rows = pageKeys.map((page_key) => ({ library_uid: uid, page_key }));
        if (rows.length > 0) await trx.insertInto("samples").values(rows).execute();
      }),

    async likeSample(uid, least) {
      const alike = await db
        .selectFrom("samples as own")
        .innerJoin("samples as other", "other.page_key", "own.page_key")
        .where("own.library_uid", "=", uid)
        .where("other.library_uid", "!=", uid)
        .groupBy("other.library_uid")
        .having(({ fn }) => fn.countAll(), ">=", least)
        .select("other.library_uid as uid")
        .orderBy(({ fn }) => fn.countAll(), "desc")
        .orderBy("other.library_uid")
        .execute();
      const uids = alike.map(({ uid }) => uid);
      if (uids.length === 0) return [];
      const rows = await readable.where("uid", "in", uids).execute();
      return rows.map(toLibrary).sort((one, other) => uids.indexOf(one.uid) - uids.indexOf(other.uid));
    },

    async withoutReputation(checkedBefore, limit) {
      const rows = await readable
        .where(({ eb, or }) => or([eb("reputation_at", "is", null), eb("reputation_at", "<", checkedBefore)]))
        .orderBy(({ fn, val }) => fn.coalesce("reputation_at", val(0)))
        .orderBy("uid")
        .limit(limit)
        .execute();
      return rows.map(toLibrary);
    },

    async namingSite(host) {
      const rows = await readable.where("homepage_host", "=", host).orderBy("created_at").execute();
      return rows.map(toLibrary);
    },
  };
}
