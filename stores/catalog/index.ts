import { sql } from "kysely";
import type { Kysely, ExpressionBuilder, SelectQueryBuilder } from "kysely";
import { Failure } from "../../domain/failures.ts";
import type { Catalog, SessionStore, HostStore, AccessRecord, TeamspaceStore } from "../../domain/ports.ts";
import { createAccessStore } from "./access.ts";
import { createGenerationStore } from "./generations.ts";
import { createCredentialStore } from "./credentials.ts";
import { createKeyStore } from "./keys.ts";
import { createMetricsStore } from "./metrics.ts";
import { createLibraryStore } from "./libraries.ts";
import { createRunStore } from "./runs.ts";
import type { Schema, AuditRow, TeamspaceRow } from "./schema.ts";
import { mayBeLost, transact } from "./transaction.ts";
import { troubles } from "../../domain/catalog.ts";
import type { CatalogFigures } from "../../domain/telemetry.ts";
import { hasTrouble } from "./troubles.ts";
import type { AuditFilter, AuditRecord, AuditStore } from "../../domain/audit.ts";
import { parse } from "./rows.ts";

/** Composes the catalog over a database whose schema is up to date. `close` is called by the catalog's own. */
export function createCatalog(db: Kysely<Schema>, close: () => Promise<void>): Catalog {
  return {
    libraries: createLibraryStore(db),
    runs: createRunStore(db),
    generations: createGenerationStore(db),
    teamspaces: createTeamspaceStore(db),
    keys: createKeyStore(db),
    access: createAccessStore(db),
    credentials: createCredentialStore(db),
    hosts: createHostStore(db),
    sessions: createSessionStore(db),
    figures: (now) => readFigures(db, now),
    audit: createAuditStore(db),
    metrics: createMetricsStore(db),
    async ready() {
      try {
        await db.selectFrom("teamspaces").select("id").limit(1).execute();
      } catch (cause) {
        throw new Failure("search_failed", "The catalog's database does not respond. Check it, then try again.", {
          cause,
        });
      }
    },
    close,
  };
}

/** Builds the store of the sessions that were signed out of. */
function createSessionStore(db: Kysely<Schema>): SessionStore {
  return {
    async end(id, until) {
      await db
        .insertInto("ended_sessions")
        .values({ id, until })
        .onConflict((conflict) => conflict.column("id").doNothing())
        .execute();
    },

    async isEnded(id) {
      return (await db.selectFrom("ended_sessions").select("id").where("id", "=", id).executeTakeFirst()) !== undefined;
    },

    async forget(before) {
      await db.deleteFrom("ended_sessions").where("until", "<", before).execute();
    },
  };
}

/** Builds the store of when hosts may be asked next. */
function createHostStore(db: Kysely<Schema>): HostStore {
  return {
    async reserve(host, interval, now) {
      const { next_at } = await db
        .insertInto("hosts")
        .values({ host, next_at: now + interval })
        .onConflict((conflict) =>
          conflict.column("host").doUpdateSet(({ eb, ref, val }) => ({
            next_at: eb(
              eb.case().when("hosts.next_at", ">", now).then(ref("hosts.next_at")).else(val(now)).end(),
              "+",
              interval,
            ),
          })),
        )
        .returning("next_at")
        .modifyEnd(mayBeLost)
        .executeTakeFirstOrThrow();
      return next_at - interval;
    },

    async postpone(host, until) {
      await db
        .insertInto("hosts")
        .values({ host, next_at: until })
        .onConflict((conflict) =>
          conflict.column("host").doUpdateSet({ next_at: until }).where("hosts.next_at", "<", until),
        )
        .execute();
    },

    async forget(before) {
      await db.deleteFrom("hosts").where("next_at", "<", before).execute();
    },
  };
}

/** Requests to one host are a few seconds apart at most; a host whose next one is further away asked for that, in milliseconds. */
const farAway = 60_000;

/** Counts what monitoring shows of the deployment: a query each, for every scrape. */
async function readFigures(db: Kysely<Schema>, now: number): Promise<CatalogFigures> {
  const count = sql<number>`count(*)`.as("count");
  const libraries = db.selectFrom("libraries").where("redirect", "is", null);
  const open = db.selectFrom("runs").where("closed_at", "is", null);
  const [all, queued, running, hosts, ...byTrouble] = await Promise.all([
    libraries.select(count).executeTakeFirstOrThrow(),
    open
      .where("phase", "=", "queued")
      .select(({ fn }) => [count, fn.min("created_at").as("since")])
      .executeTakeFirstOrThrow(),
    open.where("phase", "!=", "queued").select(count).executeTakeFirstOrThrow(),
    db
      .selectFrom("hosts")
      .where("next_at", ">", now + farAway)
      .select(count)
      .executeTakeFirstOrThrow(),
    ...troubles.map((kind) =>
      libraries
        .where((builder) => hasTrouble(builder, kind, now))
        .select(count)
        .executeTakeFirstOrThrow(),
    ),
  ]);
  return {
    libraries: Number(all.count),
    troubles: Object.fromEntries(troubles.map((kind, index) => [kind, Number(byTrouble[index]?.count ?? 0)])),
    queued: Number(queued.count),
    running: Number(running.count),
    queuedSince: queued.since === null ? null : Number(queued.since),
    postponedHosts: Number(hosts.count),
  };
}

/** Builds the store of who did what. */
function createAuditStore(db: Kysely<Schema>): AuditStore {
  return {
    async add(record) {
      await db.insertInto("audit").values(toRow(record)).execute();
    },

    async end(id, { target, outcome, code }) {
      await db
        .updateTable("audit")
        .set({ target, outcome, code })
        .where("id", "=", id)
        .where("outcome", "=", "begun")
        .execute();
    },

    async list(filter, { limit, cursor }) {
      let matching = meant(db.selectFrom("audit").selectAll(), filter);
      if (cursor !== undefined) {
        const { at, id } = parseCursor(cursor);
        matching = matching.where(({ eb, and, or }) =>
          or([eb("at", "<", at), and([eb("at", "=", at), eb("id", "<", id)])]),
        );
      }
      const rows = await matching
        .orderBy("at", "desc")
        .orderBy("id", "desc")
        .limit(limit + 1)
        .execute();
      const items = rows.slice(0, limit).map(toRecord);
      const last = items.at(-1);
      return { items, next: last && rows.length > limit ? `${last.at}.${last.id}` : null };
    },

    async forget({ before, withoutKey, all }) {
      const old = await db.deleteFrom("audit").where("at", "<", before).executeTakeFirst();
      const anonymous = await removeBeyond(db, withoutKey, true);
      return Number(old.numDeletedRows) + anonymous + (await removeBeyond(db, all, false));
    },
  };
}

/** Removes all but the newest, of callers without a key or in all. */
async function removeBeyond(db: Kysely<Schema>, kept: number, isWithoutKey: boolean): Promise<number> {
  let newest = db.selectFrom("audit").select(["at", "id"]);
  if (isWithoutKey) newest = newest.where("key_id", "is", null);
  const last = await newest.orderBy("at", "desc").orderBy("id", "desc").offset(kept).limit(1).executeTakeFirst();
  if (!last) return 0;
  let beyond = db
    .deleteFrom("audit")
    .where(({ eb, and, or }) => or([eb("at", "<", last.at), and([eb("at", "=", last.at), eb("id", "<=", last.id)])]));
  if (isWithoutKey) beyond = beyond.where("key_id", "is", null);
  return Number((await beyond.executeTakeFirst()).numDeletedRows);
}

type Rows = SelectQueryBuilder<Schema, "audit", AuditRow>;

function meant(rows: Rows, { teamspace, since, until, action, keyId, target, outcome }: AuditFilter): Rows {
  return rows
    .$if(teamspace !== undefined, (query) => query.where("teamspace", "=", teamspace ?? ""))
    .$if(since !== undefined, (query) => query.where("at", ">=", since ?? 0))
    .$if(until !== undefined, (query) => query.where("at", "<=", until ?? 0))
    .$if(action !== undefined, (query) => query.where("action", "=", action ?? ("" as never)))
    .$if(keyId !== undefined, (query) => query.where("key_id", "=", keyId ?? ""))
    .$if(target !== undefined, (query) => query.where((builder) => isTarget(builder, target ?? "")))
    .$if(outcome !== undefined, (query) => query.where("outcome", "=", outcome ?? ("" as never)));
}

/** What has the ID, or is a version of the library that has it: "A" is what follows "@". */
function isTarget({ eb, and, or }: ExpressionBuilder<Schema, "audit">, target: string) {
  return or([eb("target", "=", target), and([eb("target", ">=", `${target}@`), eb("target", "<", `${target}A`)])]);
}

function parseCursor(cursor: string): { readonly at: number; readonly id: string } {
  const [, at, id] = /^(\d{1,15})\.(.+)$/s.exec(cursor) ?? [];
  if (at === undefined || id === undefined)
    throw new Failure("validation_error", "cursor is wrong. Start again without it.");
  return { at: Number(at), id };
}

function toRow({ keyId, requestId, ...record }: AuditRecord): AuditRow {
  return { ...record, key_id: keyId, request_id: requestId };
}

function toRecord({ key_id, request_id, ...row }: AuditRow): AuditRecord {
  return { ...row, keyId: key_id, requestId: request_id };
}

const accessColumns = ["policy_revision", "policy_json", "rules_json"] as const;

/** Builds the store of teamspaces. */
function createTeamspaceStore(db: Kysely<Schema>): TeamspaceStore {
  // Every search asks for it: it is made once.
  const readRevision = db.selectFrom("teamspaces").select("policy_revision").where("id", "=", "").compile();
  return {
    async add({ id, title, createdAt }) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto("teamspaces")
        .values({ id, title, created_at: createdAt })
        .onConflict((conflict) => conflict.column("id").doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },

    async list() {
      const rows = await db.selectFrom("teamspaces").select(["id", "title", "created_at"]).orderBy("id").execute();
      return rows.map(({ id, title, created_at }) => ({ id, title, createdAt: created_at }));
    },

    async revision(id) {
      const { rows } = await db.executeQuery<{ readonly policy_revision: number }>({
        ...readRevision,
        parameters: [id],
      });
      return rows[0]?.policy_revision ?? 0;
    },

    async access(id) {
      const row = await db.selectFrom("teamspaces").select(accessColumns).where("id", "=", id).executeTakeFirst();
      return toAccess(row);
    },

    changeAccess: (id, change, now) =>
      transact(db, async (trx) => {
        const row = await trx
          .selectFrom("teamspaces")
          .select(accessColumns)
          .where("id", "=", id)
          .forUpdate()
          .executeTakeFirst();
        if (!row) return undefined;
        const before = toAccess(row);
        const { policy, rules } = { ...before, ...change(before) };
        const changed = { policy_json: policy && JSON.stringify(policy), rules_json: rules && JSON.stringify(rules) };
        if (changed.policy_json === row.policy_json && changed.rules_json === row.rules_json) return before;
        // By the clock, as one that is made again after it was removed must not have the revisions of the one before.
        const revision = Math.max(before.revision + 1, now);
        await trx
          .updateTable("teamspaces")
          .set({ ...changed, policy_revision: revision })
          .where("id", "=", id)
          .execute();
        return { revision, policy, rules };
      }),

    remove: (id) =>
      transact(db, async (trx) => {
        // A transaction that adds a key, a credential or a library to it waits for this lock, and then finds it gone.
        const row = await trx.selectFrom("teamspaces").select("id").where("id", "=", id).forUpdate().executeTakeFirst();
        if (!row) return undefined;
        const count = async (table: "libraries" | "keys"): Promise<number> => {
          let owned = trx.selectFrom(table).where("teamspace", "=", id);
          if (table === "keys") owned = owned.where("revoked_at", "is", null);
          const { total } = await owned.select(({ fn }) => fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
          return Number(total);
        };
        const left = { libraries: await count("libraries"), keys: await count("keys") };
        if (left.libraries + left.keys > 0) return left;
        await trx.deleteFrom("keys").where("teamspace", "=", id).execute();
        await trx.deleteFrom("access_rules").where("teamspace", "=", id).execute();
        await trx.deleteFrom("group_grants").where("teamspace", "=", id).execute();
        await trx.deleteFrom("credentials").where("teamspace", "=", id).execute();
        await trx.deleteFrom("teamspaces").where("id", "=", id).execute();
        return left;
      }),
  };
}

/** What a teamspace's row says of its access; nothing of one that is not there. */
function toAccess(
  row: (Pick<TeamspaceRow, "policy_json" | "rules_json"> & { readonly policy_revision: number }) | undefined,
): AccessRecord {
  if (!row) return { revision: 0, policy: null, rules: null };
  return {
    revision: row.policy_revision,
    policy: row.policy_json === null ? null : parse(row.policy_json),
    rules: row.rules_json === null ? null : parse(row.rules_json),
  };
}
