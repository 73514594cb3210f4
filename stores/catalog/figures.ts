import { sql } from "kysely";
import type { Kysely } from "kysely";
import { troubles } from "../../domain/catalog.ts";
import type { CatalogFigures } from "../../domain/telemetry.ts";
import type { Schema } from "./schema.ts";
import { hasTrouble } from "./troubles.ts";

/** Requests to one host are a few seconds apart at most; a host whose next one is further away asked for that, in milliseconds. */
const farAway = 60_000;

/** Counts what monitoring shows of the deployment: a query each, for every scrape. */
export async function readFigures(db: Kysely<Schema>, now: number): Promise<CatalogFigures> {
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
