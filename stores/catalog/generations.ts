import type { Kysely, Transaction } from "kysely";
import type { Counts } from "../../domain/generation.ts";
import type { GenerationRecord, GenerationStore } from "../../domain/ports.ts";
import { notifyOfLibrary } from "./receivers.ts";
import { parse, toGeneration, toRecord, toRow } from "./rows.ts";
import type { GenerationRow, Schema } from "./schema.ts";
import { lockVersion, transact } from "./transaction.ts";

/** Maximum IDs of one statement, as databases limit its parameters. */
const batchSize = 500;

/** Builds the store of generations, with the transactions that change the live one. */
export function createGenerationStore(db: Kysely<Schema>): GenerationStore {
  return {
    async get(id) {
      const row = await findGeneration(db, id);
      return row && toGeneration(row);
    },

    async of(uid, version) {
      const rows = await selectNewest(db, uid, version).execute();
      return rows.map(toGeneration);
    },

    stage: (generation) =>
      transact(db, async (trx) => {
        // A step that ends after its run was closed would stage a generation that nobody removes.
        if (!(await isBeingMade(trx, generation))) return;
        const { id, libraryUid, version, counts, ...others } = generation;
        const figures = { ...toRow(others), counts_json: JSON.stringify(counts) };
        await trx
          .insertInto("generations")
          .values({ id, library_uid: libraryUid, version, state: "staged", ...figures })
          .onConflict((conflict) =>
            conflict.column("id").doUpdateSet(figures).where("generations.state", "=", "staged"),
          )
          .execute();
      }),

    async hold(id, now) {
      await transact(db, async (trx) => {
        if (!(await lockGeneration(trx, id))) return;
        const held = await trx
          .updateTable("generations")
          .set({ state: "held" })
          .where("id", "=", id)
          .where("state", "=", "staged")
          .returning(["library_uid", "version", "revision"])
          .executeTakeFirst();
        if (!held) return;
        await trx
          .updateTable("generations")
          .set({ state: "retired", remove_after: now })
          .where("library_uid", "=", held.library_uid)
          .where("version", "=", held.version)
          .where("state", "=", "held")
          .where("id", "<>", id)
          .execute();
        await trx
          .updateTable("versions")
          .set({ refused_revision: held.revision })
          .where("library_uid", "=", held.library_uid)
          .where("version", "=", held.version)
          .execute();
        const { library_uid: uid, version, revision } = held;
        await notifyOfLibrary(trx, { event: "library.held", uid, version, data: { revision, generation: id } }, now);
      });
    },

    dropHeld: (id, now) =>
      transact(db, async (trx) => {
        const generation = await lockGeneration(trx, id);
        if (generation?.state !== "held") return false;
        await trx
          .updateTable("generations")
          .set({ state: "retired", remove_after: now })
          .where("id", "=", id)
          .execute();
        return true;
      }),

    publish: ({ runId, generation: id, live }, now) =>
      transact(db, async (trx) => {
        const generation = await lockGeneration(trx, id);
        if (!generation) return false;
        if (generation.state === "live") return true;
        // A retried step must not undo an operator's rollback.
        if (generation.state === "retired") return false;
        const current = live === null ? undefined : await findGeneration(trx, live);
        // A newer generation went live after this one was held.
        if (generation.state === "held" && current && current.created_at > generation.created_at) return false;
        const { numUpdatedRows } = await trx
          .updateTable("versions")
          .set({
            live_generation: id,
            refused_revision: null,
            checked_revision: generation.revision,
            followed_revision: null,
          })
          .where("library_uid", "=", generation.library_uid)
          .where("version", "=", generation.version)
          .where("open_run", "=", runId)
          .where("live_generation", "is not distinct from", live)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) return false;
        await exchangeLive(trx, live, id);
        await notifyOfPublished(trx, generation, current, now);
        return true;
      }),

    rollback: (uid, version, now) =>
      transact(db, async (trx) => {
        const locked = await lockVersion(trx, uid, version);
        if (!locked || locked.live_generation === null) return undefined;
        const current = await findGeneration(trx, locked.live_generation);
        const earlier = await selectKept(trx, uid, version).limit(1).executeTakeFirst();
        if (!current || !earlier) return undefined;
        await trx
          .updateTable("versions")
          .set({
            live_generation: earlier.id,
            refused_revision: current.revision,
            checked_revision: null,
            followed_revision: null,
          })
          .where("library_uid", "=", uid)
          .where("version", "=", version)
          .execute();
        await exchangeLive(trx, current.id, earlier.id);
        await notifyOfPublished(trx, earlier, current, now);
        return toGeneration({ ...earlier, state: "live" });
      }),

    async retire(uid, version, keep, removeAfter) {
      await transact(db, async (trx) => {
        await lockVersion(trx, uid, version);
        const retired = await selectKept(trx, uid, version).execute();
        const kept = retired.filter(({ damage }) => damage === null).slice(0, keep);
        const ids = retired.flatMap((generation) => (kept.includes(generation) ? [] : [generation.id]));
        if (ids.length === 0) return;
        await trx.updateTable("generations").set({ remove_after: removeAfter }).where("id", "in", ids).execute();
      });
    },

    async retireAll(removeAfter) {
      const { numUpdatedRows } = await db
        .updateTable("generations")
        .set({ remove_after: removeAfter })
        .where("state", "=", "retired")
        .where("remove_after", "is", null)
        .executeTakeFirstOrThrow();
      return Number(numUpdatedRows);
    },

    async live(filter) {
      const rows = await db
        .selectFrom("versions")
        .innerJoin("generations", (join) =>
          join
            .onRef("generations.id", "=", "versions.live_generation")
            .onRef("generations.library_uid", "=", "versions.library_uid"),
        )
        .select(["generations.id", "versions.library_uid", "versions.version", "generations.counts_json"])
        .select(["generations.damage", "generations.unindexed_at"])
        .$if(filter?.unindexed === true, (query) => query.where("generations.unindexed_at", "is not", null))
        .execute();
      return rows.map(({ counts_json, unindexed_at, ...row }) => ({
        ...toRecord(row),
        counts: parse(counts_json),
        unindexedSince: unindexed_at,
      }));
    },

    async rebuilding() {
      const { libraries, waiting } = await db
        .selectFrom("versions")
        .leftJoin("runs", (join) =>
          join.onRef("runs.id", "=", "versions.open_run").onRef("runs.generation", "=", "versions.live_generation"),
        )
        .where("versions.live_generation", "is not", null)
        .select(({ fn }) => fn.count<number>("versions.library_uid").distinct().as("libraries"))
        .select(({ fn, eb }) =>
          fn
            .count<number>(eb.case().when("runs.id", "is not", null).then(eb.ref("versions.library_uid")).end())
            .distinct()
            .as("waiting"),
        )
        .executeTakeFirstOrThrow();
      return { libraries, waiting };
    },

    async recount(id, counts) {
      await db
        .updateTable("generations")
        .set({ counts_json: JSON.stringify(counts) })
        .where("id", "=", id)
        .execute();
    },

    noteDamage: (id, damage, now) =>
      transact(db, async (trx) => {
        const uid = (await findGeneration(trx, id))?.library_uid ?? "";
        const owner = trx.selectFrom("libraries").select("redirect").where("uid", "=", uid);
        // Locked, so that nobody makes it redirect until the refresh is scheduled.
        const library = await owner.forKeyShare().executeTakeFirst();
        const before = await lockGeneration(trx, id);
        if (!before) return false;
        await trx.updateTable("generations").set({ damage }).where("id", "=", id).execute();
        if (before.state !== "live") return false;
        if (damage !== null && before.damage === null && library?.redirect === null)
          await trx.updateTable("versions").set({ refresh_at: now }).where("live_generation", "=", id).execute();
        return true;
      }),

    async noteUnindexed(ids, isUnindexed, now) {
      for (let first = 0; first < ids.length; first += batchSize)
        await db
          .updateTable("generations")
          .set({ unindexed_at: isUnindexed ? now : null })
          .where("id", "in", ids.slice(first, first + batchSize))
          .where("unindexed_at", isUnindexed ? "is" : "is not", null)
          .execute();
    },

    async removable(now) {
      const rows = await db
        .selectFrom("generations")
        .selectAll()
        .where("remove_after", "<=", now)
        .orderBy("remove_after")
        .orderBy("id")
        .execute();
      return rows.map(toGeneration);
    },

    async forget(id) {
      await db.deleteFrom("generations").where("id", "=", id).where("state", "<>", "live").execute();
    },

    async known(ids) {
      const known = new Set<string>();
      for (let first = 0; first < ids.length; first += batchSize) {
        const some = ids.slice(first, first + batchSize);
        const rows = await db.selectFrom("generations").select("id").where("id", "in", some).execute();
        for (const { id } of rows) known.add(id);
      }
      return known;
    },
  };
}

async function findGeneration(db: Kysely<Schema>, id: string): Promise<GenerationRow | undefined> {
  return db.selectFrom("generations").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Locks the version of a generation, then reads the generation; undefined if there is none. */
async function lockGeneration(trx: Transaction<Schema>, id: string): Promise<GenerationRow | undefined> {
  const unlocked = await findGeneration(trx, id);
  if (!unlocked) return undefined;
  await lockVersion(trx, unlocked.library_uid, unlocked.version);
  return findGeneration(trx, id);
}

/** Whether the version's open run makes or loads this generation. Locks the version. */
async function isBeingMade(
  trx: Transaction<Schema>,
  { id, libraryUid, version }: Pick<GenerationRecord, "id" | "libraryUid" | "version">,
): Promise<boolean> {
  const open = (await lockVersion(trx, libraryUid, version))?.open_run ?? null;
  if (open === null) return false;
  if (open === id) return true;
  const run = await trx.selectFrom("runs").select("generation").where("id", "=", open).executeTakeFirst();
  return run?.generation === id;
}

/** Records the notifications of a generation that was published, and of passages that it has in quarantine beyond those of the last one. */
async function notifyOfPublished(
  trx: Transaction<Schema>,
  { id, library_uid: uid, version, revision, counts_json }: GenerationRow,
  before: GenerationRow | undefined,
  now: number,
): Promise<void> {
  const { pages, quarantined } = parse<Counts>(counts_json);
  const data = { revision, generation: id, pages };
  await notifyOfLibrary(trx, { event: "library.published", uid, version, data }, now);
  const quarantinedBefore = before === undefined ? 0 : parse<Counts>(before.counts_json).quarantined;
  if (quarantined > quarantinedBefore)
    await notifyOfLibrary(
      trx,
      { event: "library.quarantined", uid, version, data: { ...data, quarantined, quarantinedBefore } },
      now,
    );
}

function selectNewest(db: Kysely<Schema>, uid: string, version: string) {
  return db
    .selectFrom("generations")
    .selectAll()
    .where("library_uid", "=", uid)
    .where("version", "=", version)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc");
}

/** Previous generations kept for a rollback, newest first. */
function selectKept(db: Kysely<Schema>, uid: string, version: string) {
  return selectNewest(db, uid, version).where("state", "=", "retired").where("remove_after", "is", null);
}

async function exchangeLive(trx: Transaction<Schema>, before: string | null, after: string): Promise<void> {
  await trx.updateTable("generations").set({ state: "live", remove_after: null }).where("id", "=", after).execute();
  if (before === null) return;
  await trx.updateTable("generations").set({ state: "retired", remove_after: null }).where("id", "=", before).execute();
}
