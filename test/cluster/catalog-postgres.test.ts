import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { catalogMigrations } from "../../stores/catalog/migrations/index.ts";
import { openPostgresCatalog } from "../../stores/catalog/postgres.ts";
import { freePort } from "../../tools/dev/program.ts";
import { runProgram } from "../catalog/run-program.ts";
import { describeCatalogRaces } from "../contracts/catalog-races.ts";
import { addLibrary, publishGeneration, sampleRun } from "../contracts/catalog-samples.ts";
import { describeCatalog } from "../contracts/catalog.ts";
import { ask, searchFailed, timed } from "./support/catalog-asking.ts";
import { freshDatabase, type FreshDatabase } from "./support/database.ts";

const server = inject("postgres");
const superuser = server ?? "";

describe.skipIf(server === null)("on a PostgreSQL server", () => {
  const openFresh = async (count: number) => {
    const database = await freshDatabase(superuser);
    const open = (migrate: boolean) => openPostgresCatalog({ url: database.url, poolSize: 8, migrate });
    const first = await open(true);
    const others = await Promise.all(Array.from({ length: count - 1 }, () => open(false)));
    const catalogs = [first, ...others] as const;
    return {
      catalogs,
      catalog: first,
      async cleanup() {
        await Promise.all(catalogs.map((catalog) => catalog.close()));
        await database.drop();
      },
    };
  };
  describeCatalog("PostgreSQL", () => openFresh(1));
  describeCatalogRaces("PostgreSQL", () => openFresh(2));

  describe("the catalog's database", () => {
    let database: FreshDatabase;
    beforeEach(async () => {
      database = await freshDatabase(superuser);
    });
    afterEach(() => database.drop());
    const open = (changes: Partial<Parameters<typeof openPostgresCatalog>[0]> = {}) =>
      openPostgresCatalog({ url: database.url, poolSize: 4, migrate: true, ...changes });
    const tables = async () =>
      (await ask(database.url, "select table_name from information_schema.tables where table_schema = 'public'"))
        .length;

    it("is migrated and filled by ten processes that start at once on none", async () => {
      const ends = await Promise.all(Array.from({ length: 10 }, () => runProgram("open-and-add.ts", database.url)));
      expect(ends).toEqual(Array.from({ length: 10 }, () => ({ end: 0, errors: "" })));
      const catalog = await open();
      expect((await catalog.libraries.list({ teamspaces: [""], limit: 100 })).total).toBe(10);
      const applied = await ask(database.url, "select name from kysely_migration order by name");
      expect(applied.map(({ name }) => name)).toEqual(Object.keys(catalogMigrations));
      await catalog.close();
    });

    it("has nothing of a migration in which the program was killed, and the next one goes through", async () => {
      expect((await runProgram("die-in-migration.ts", database.url)).end).toBe("SIGKILL");
      expect(await tables()).toBe(0);
      const catalog = await open();
      await addLibrary(catalog, "a");
      await catalog.close();
    });

    it("prepares what is looked up again and again, and goes on when its tables get another column meanwhile", async () => {
      const catalog = await open({ poolSize: 1 });
      const { uid, id } = await addLibrary(catalog, "a");
      const look = async () => [await catalog.libraries.get(uid), await catalog.libraries.find([""], id, "")];
      const [before] = [await look(), await look(), await look()];
      await ask(database.url, "alter table libraries add column later text");
      expect(await look()).toEqual(before);
      expect(await look()).toEqual(before);
      await catalog.close();
    });

    it("tells how large it is", async () => {
      const catalog = await open();
      const [{ size } = {}] = await ask(database.url, "select pg_database_size(current_database())::float as size");
      const told = (await catalog.size?.()) ?? 0;
      expect(told).toBeGreaterThan(1_000_000);
      expect(told).toBeLessThan(2 * Number(size));
      await catalog.close();
    });

    it("is migrated however long another process's migration takes", async () => {
      const other = new pg.Client({ connectionString: database.url });
      await other.connect();
      await other.query("select pg_advisory_lock(x'6c65637465726e'::bigint)");
      let opened = false;
      const opening = open({ statementTimeout: 100 }).finally(() => (opened = true));
      await sleep(1500);
      expect(opened).toBe(false);
      await other.end();
      const catalog = await opening;
      await addLibrary(catalog, "a");
      await catalog.close();
    });

    it("is refused with a sentence that says what to do when it is older, and nothing is changed", async () => {
      await expect(open({ migrate: false })).rejects.toMatchObject({
        name: "Failure",
        message: expect.stringMatching(/not up to date.*Run "lectern setup"/),
      });
      expect(await tables()).toBe(0);
    });

    it("is refused with a sentence that says what to do when a newer program made it", async () => {
      await (await open()).close();
      await ask(database.url, "insert into kysely_migration values ('9999-future', '2999-01-01T00:00:00Z')");
      for (const migrate of [true, false]) {
        await expect(open({ migrate })).rejects.toMatchObject({
          name: "Failure",
          message: expect.stringMatching(/newer version of Lectern.*"9999-future".*Start that version/),
        });
      }
    });

    it("keeps what was written when it is opened again", async () => {
      const first = await open();
      await addLibrary(first, "a");
      await publishGeneration(first, "a", 1);
      const written = await first.libraries.find([""], "/acme/widgets", "");
      await first.close();
      const second = await open({ migrate: false });
      expect(await second.libraries.find([""], "/acme/widgets", "")).toEqual(written);
      await second.close();
    });

    it("lists by bytes whatever the order of the server's language, as SQLite does", async () => {
      const catalog = await open();
      const ids = ["/a/z", "/a/é", "/a/B", "/a/_", "/a/-a", "/a/a", "/a.b/c", "/a/\u{1F600}", "/a/\uFB01"];
      for (const [index, id] of ids.entries()) await addLibrary(catalog, `u${index}`, { id });
      const { items } = await catalog.libraries.list({ teamspaces: [""], limit: 50 });
      const bytes = (id: string) => Buffer.from(id.toLowerCase());
      expect(items.map(({ library }) => library.id)).toEqual(ids.toSorted((a, b) => bytes(a).compare(bytes(b))));
      const collations =
        "select distinct collation_name from information_schema.columns where table_schema = 'public' and table_name in ('libraries', 'versions', 'runs', 'generations', 'reads', 'keys') and data_type = 'text'";
      expect(await ask(database.url, collations)).toEqual([{ collation_name: "C" }]);
      await catalog.close();
    });

    it("takes a NUL character in a question and in a title, where PostgreSQL would refuse it", async () => {
      const catalog = await open();
      await addLibrary(catalog, "a", { title: "odd\0title" });
      expect(await catalog.libraries.get("a")).toMatchObject({ title: "odd\uFFFDtitle" });
      expect((await catalog.libraries.list({ teamspaces: [""], contains: "\0", limit: 5 })).total).toBe(1);
      await catalog.close();
    });

    it("sees no more connections of a process than its pool may have, each named", async () => {
      const catalog = await open({ poolSize: 3, name: "lectern-test" });
      await Promise.all(Array.from({ length: 50 }, () => catalog.libraries.find([""], "/acme/widgets", "")));
      const own = "select count(*)::int as count from pg_stat_activity where application_name = 'lectern-test'";
      // The server forgets a connection a moment after it was closed: here the one that migrated.
      await expect.poll(() => ask(database.url, own)).toEqual([{ count: 3 }]);
      await catalog.close();
      await expect.poll(() => ask(database.url, own)).toEqual([{ count: 0 }]);
    });

    it("ends a statement that takes too long as search_failed, and the catalog goes on", async () => {
      const catalog = await open({ statementTimeout: 300 });
      await addLibrary(catalog, "a");
      const other = new pg.Client({ connectionString: database.url });
      await other.connect();
      await other.query("begin; lock table versions in access exclusive mode");
      const reading = await timed(() => catalog.libraries.find([""], "/acme/widgets", ""));
      expect(reading).toEqual({ error: searchFailed, took: expect.any(Number) as unknown });
      expect((reading.error as Error).message).toMatch(/Timeout of the catalog/);
      expect(reading.took).toBeLessThan(1200);
      const writing = await timed(() => catalog.runs.open("a", "", sampleRun("r"), 2000));
      expect(writing.error).toEqual(searchFailed);
      expect(writing.took).toBeLessThan(1200);
      await other.query("rollback");
      await other.end();
      expect(await catalog.runs.open("a", "", sampleRun("r"), 2000)).toMatchObject({ joined: true });
      await catalog.close();
    });

    it("is search_failed for one that waits too long for a connection of the pool", async () => {
      const catalog = await open({ poolSize: 1, connectionTimeout: 200, statementTimeout: 2000 });
      const other = new pg.Client({ connectionString: database.url });
      await other.connect();
      await other.query("begin; lock table libraries in access exclusive mode");
      const slow = timed(() => catalog.libraries.get("a"));
      const second = await timed(() => catalog.libraries.get("a"));
      expect(second.error).toEqual(searchFailed);
      expect(second.took).toBeLessThan(1000);
      await other.query("rollback");
      await other.end();
      expect((await slow).error).toBeUndefined();
      await catalog.close();
    });

    it("loses no more than what is under way when the server ends its connections, again and again", async () => {
      const lost: Error[] = [];
      const catalog = await open({ name: "lectern-victim", onLost: (error) => lost.push(error) });
      await addLibrary(catalog, "a");
      const admin = new pg.Client({ connectionString: superuser });
      await admin.connect();
      let over = false;
      const seen: unknown[] = [];
      const work = async () => {
        for (let number = 1; !over; number += 1) {
          const ends = await Promise.all([
            timed(() => publishGeneration(catalog, "a", number)),
            timed(() => catalog.libraries.find([""], "/acme/widgets", "")),
            timed(() => catalog.libraries.versionsOf("a")),
          ]);
          // A run that nobody closed any more is closed before the next.
          ends.push(await timed(() => catalog.runs.close(`a-${number}`, { outcome: "cancelled" }, number * 1000 + 2)));
          seen.push(...ends.flatMap(({ error }) => (error === undefined ? [] : [error])));
        }
      };
      const working = work();
      for (let round = 0; round < 15; round += 1) {
        await sleep(40);
        await admin.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'lectern-victim'",
        );
      }
      over = true;
      await working;
      expect(seen.length).toBeGreaterThan(0);
      const notPublished = expect.objectContaining({ message: expect.stringContaining("was not published") });
      for (const error of seen) expect([searchFailed, notPublished]).toContainEqual(error);
      // Idle ones are noticed and replaced before anybody asks.
      await Promise.all(Array.from({ length: 4 }, () => timed(() => catalog.ready())));
      lost.length = 0;
      const { rowCount } = await admin.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'lectern-victim'",
      );
      await admin.end();
      expect(rowCount).toBeGreaterThan(0);
      await expect.poll(() => lost.length).toBe(rowCount);
      const view = await catalog.libraries.find([""], "/acme/widgets", "");
      const live = (await catalog.generations.of("a", "")).filter(({ state }) => state === "live");
      expect(live.map(({ id }) => id)).toEqual(view?.version?.live ? [view.version.live.id] : []);
      await catalog.close();
    });

    it("runs a transaction again that the server ended in favour of another", async () => {
      const catalog = await open();
      await addLibrary(catalog, "a");
      const other = new pg.Client({ connectionString: database.url });
      await other.connect();
      // The other one would wait for ever, so it is the catalog's that ends.
      await other.query("set deadlock_timeout = '1h'; begin; update runs set priority = 5 where id = 'a-1'");
      const closing = catalog.runs.close("a-1", { outcome: "cancelled" }, 2000);
      const waiting =
        "select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
      await expect.poll(() => ask(database.url, waiting)).toEqual([{ count: 1 }]);
      await other.query("update versions set ref = 'x' where library_uid = 'a'");
      const deadlocks = "select deadlocks::int as count from pg_stat_database where datname = current_database()";
      await other.query("commit");
      await other.end();
      await closing;
      await expect.poll(() => ask(database.url, deadlocks), { timeout: 20_000 }).toEqual([{ count: 1 }]);
      const version = (await catalog.libraries.versionsOf("a"))[0];
      expect(version).toMatchObject({ ref: "x", openRun: null, lastRun: { runId: "a-1", priority: 5 } });
      await catalog.close();
    });

    it("is search_failed for ready once it is closed", async () => {
      const catalog = await open();
      await catalog.close();
      await expect(catalog.ready()).rejects.toMatchObject({ code: "search_failed" });
    });

    it("is named without its password in the failure when it cannot be opened", async () => {
      const port = await freePort();
      const nobody = `postgres://lectern:secret-word@127.0.0.1:${port}/lectern`;
      const missing = new URL(database.url);
      missing.pathname = "/no_such_database";
      for (const [url, place] of [
        [nobody, `127.0.0.1:${port}/lectern`],
        [missing.href, "/no_such_database"],
      ] as const) {
        const { error } = await timed(() => open({ url }));
        expect(error).toEqual(searchFailed);
        expect((error as Error).message).toContain(place);
        expect((error as Error).message).not.toContain("secret-word");
      }
    });
  });
});
