import { sql, type Kysely } from "kysely";
import { Failure } from "../../domain/failures.ts";
import type { AgentStore, Catalog, SessionStore, HostStore } from "../../domain/ports.ts";
import { createAccessStore } from "./access.ts";
import { createGenerationStore } from "./generations.ts";
import { createCredentialStore } from "./credentials.ts";
import { createKeyStore } from "./keys.ts";
import { createMetricsStore } from "./metrics.ts";
import { createLibraryStore } from "./libraries.ts";
import { createRunStore } from "./runs.ts";
import type { Schema } from "./schema.ts";
import { unsyncedCommit } from "./transaction.ts";
import { troubles } from "../../domain/catalog.ts";
import type { CatalogFigures } from "../../domain/telemetry.ts";
import { hasTrouble } from "./troubles.ts";
import { createTeamspaceStore } from "./teamspaces.ts";
import { createAuditStore } from "./audit.ts";
import { createFeedbackStore } from "./feedback.ts";
import { createHookStore } from "./hooks.ts";
import { createManifestStore } from "./manifests.ts";
import { createReceiverStore } from "./receivers.ts";
import { toRecord, toRow } from "./rows.ts";

/** Composes the catalog over a database with an up-to-date schema. The catalog's `close` calls the given one. */
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
    feedback: createFeedbackStore(db),
    hooks: createHookStore(db),
    manifests: createManifestStore(db),
    receivers: createReceiverStore(db),
    agents: createAgentStore(db),
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

/** Builds the store of ended sessions. */
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

/** Builds the store of agents that have connected. */
function createAgentStore(db: Kysely<Schema>): AgentStore {
  return {
    async note(agent) {
      const { client, asked_at } = toRow(agent);
      await db
        .insertInto("agents")
        .values(toRow(agent))
        .onConflict((conflict) => conflict.columns(["teamspace", "key_id"]).doUpdateSet({ client, asked_at }))
        .execute();
    },

    async list(teamspaces, limit, keyId) {
      let rows = db.selectFrom("agents").selectAll().where("teamspace", "in", teamspaces);
      if (keyId !== undefined) rows = rows.where("key_id", "=", keyId);
      return (await rows.orderBy("asked_at", "desc").orderBy("key_id").limit(limit).execute()).map(toRecord);
    },

    async forget(before) {
      await db.deleteFrom("agents").where("asked_at", "<", before).execute();
    },
  };
}

/** Builds the store of the next request times of hosts. */
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
        .modifyEnd(unsyncedCommit)
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

/** A host whose next request is further in the future than this, in milliseconds, asked for the pause. */
const postponedBeyond = 60_000;

/** Figures for monitoring: a query each, at every scrape. */
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
      .where("next_at", ">", now + postponedBeyond)
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
