import type { Kysely, Transaction } from "kysely";
import { Failure } from "../../domain/failures.ts";
import type { CredentialRecord, CredentialStore, LibraryStore } from "../../domain/ports.ts";
import { notifyOfCredential } from "./receivers.ts";
import { toLibrary, toRecord, toRow } from "./rows.ts";
import type { CredentialRow, Schema } from "./schema.ts";
import { holdTeamspace, lockLibrary, transact } from "./transaction.ts";

/** Builds the store of shared credentials. */
export function createCredentialStore(db: Kysely<Schema>): CredentialStore {
  return {
    add: (credential) =>
      transact(db, async (trx) => {
        if (!(await holdTeamspace(trx, credential.teamspace))) return "no_teamspace";
        const { numInsertedOrUpdatedRows } = await trx
          .insertInto("credentials")
          .values(toCredentialRow(credential))
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirstOrThrow();
        return numInsertedOrUpdatedRows === 1n ? "added" : "duplicate";
      }),

    async get(id) {
      const row = await db.selectFrom("credentials").selectAll().where("id", "=", id).executeTakeFirst();
      return row && toCredential(row);
    },

    async list(teamspace) {
      const rows = await db
        .selectFrom("credentials")
        .selectAll()
        .where("teamspace", "=", teamspace)
        .where("name", "<>", "")
        .orderBy("name")
        .orderBy("kind")
        .execute();
      return rows.map(toCredential);
    },

    async all() {
      const sorted = db.selectFrom("credentials").selectAll().orderBy("teamspace").orderBy("name").orderBy("id");
      return (await sorted.execute()).map(toCredential);
    },

    remove: (id) =>
      transact(db, async (trx) => {
        // A transaction that starts to use it waits for this lock, and then finds it deleted. Earlier uses are counted.
        const row = await trx
          .selectFrom("credentials")
          .select("id")
          .where("id", "=", id)
          .where("name", "<>", "")
          .forUpdate()
          .executeTakeFirst();
        if (!row) return undefined;
        const { uses } = await trx
          .selectFrom("libraries")
          .select(({ fn }) => fn.countAll<number>().as("uses"))
          .where("credential", "=", id)
          .executeTakeFirstOrThrow();
        if (Number(uses) === 0) await trx.deleteFrom("credentials").where("id", "=", id).execute();
        return Number(uses);
      }),

    async reseal(renew) {
      let replaced = 0;
      for (const table of ["credentials", "hooks", "receivers"] as const)
        for (const { id, sealed } of await db.selectFrom(table).select(["id", "sealed"]).execute()) {
          const renewed = renew(sealed);
          if (renewed === undefined) continue;
          const update = db
            .updateTable(table)
            .set({ sealed: renewed })
            .where("id", "=", id)
            .where("sealed", "=", sealed);
          replaced += Number((await update.executeTakeFirstOrThrow()).numUpdatedRows);
        }
      return replaced;
    },
    noteExpiring: (id, days, data, now) =>
      transact(db, async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable("credentials")
          .set({ noticed_days: days })
          .where("id", "=", id)
          .where(({ or, eb }) => or([eb("noticed_days", "is", null), eb("noticed_days", ">", days)]))
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) return false;
        await notifyOfCredential(trx, id, data, now);
        return true;
      }),
  };
}

/** Builds the part of the library store with the credentials of libraries. */
export function createCredentialUse(db: Kysely<Schema>): Pick<LibraryStore, "useCredential" | "usersOf"> {
  return {
    useCredential: (uid, use) =>
      transact(db, async (trx) => {
        const before = await lockLibrary(trx, uid);
        if (!before) return;
        const credential = "own" in use ? use.own.id : use.shared;
        await trx.updateTable("libraries").set({ credential }).where("uid", "=", uid).execute();
        await ("own" in use ? addOwnCredential(trx, use.own) : holdCredential(trx, use.shared));
        if (before.credential !== null) await removeUnusedCredential(trx, before.credential);
      }),

    async usersOf(ids) {
      if (ids.length === 0) return [];
      const rows = await db
        .selectFrom("libraries")
        .selectAll()
        .where("credential", "in", ids)
        .orderBy("folded_id")
        .orderBy("uid")
        .execute();
      return rows.map(toLibrary);
    },
  };
}

/** Adds a library's own credential. */
export async function addOwnCredential(trx: Transaction<Schema>, own: CredentialRecord): Promise<void> {
  await trx.insertInto("credentials").values(toCredentialRow(own)).execute();
}

/** Locks a shared credential against removal until the transaction ends. @throws Failure credential_not_found */
export async function holdCredential(trx: Transaction<Schema>, id: string): Promise<void> {
  const row = await trx
    .selectFrom("credentials")
    .select("id")
    .where("id", "=", id)
    .where("name", "<>", "")
    .forShare()
    .executeTakeFirst();
  if (!row)
    throw new Failure(
      "credential_not_found",
      "The credential was deleted meanwhile. Choose another one, or create it again.",
    );
}

/** Removes a library's own credential, unless a library uses it. */
export async function removeUnusedCredential(trx: Transaction<Schema>, id: string): Promise<void> {
  await trx
    .deleteFrom("credentials")
    .where("id", "=", id)
    .where("name", "=", "")
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("libraries").select("uid").whereRef("libraries.credential", "=", "credentials.id"))),
    )
    .execute();
}

function toCredential({ tenant, expires_at, noticed_days: _noticed, ...row }: CredentialRow): CredentialRecord {
  return {
    ...toRecord(row),
    ...(tenant !== "" && { tenant }),
    ...(expires_at !== null && { expiresAt: expires_at }),
  };
}

function toCredentialRow({ tenant = "", expiresAt, ...credential }: CredentialRecord): CredentialRow {
  return { ...toRow(credential), tenant, expires_at: expiresAt ?? null, noticed_days: null };
}
