import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { openPostgres, openPostgresCatalog } from "../../stores/catalog/postgres.ts";
import { hasPostgres, startPostgres } from "../../tools/dev/postgres.ts";
import { freePort } from "../../tools/dev/program.ts";
import { addLibrary, sampleRun } from "../contracts/catalog-samples.ts";
import { folderOfTest } from "../support/of-test.ts";
import { ask, readDuring, searchFailed, timed } from "./support/catalog-asking.ts";
import { suspend } from "./support/suspended.ts";

describe.skipIf(!hasPostgres())("a PostgreSQL server that goes away", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await folderOfTest();
  });

  it("is search_failed while it is stopped or was killed, and is used again without reopening", async () => {
    const port = await freePort();
    const start = () => startPostgres({ folder, port, password: "lectern", durable: false });
    let running = await start();
    try {
      const catalog = await openPostgresCatalog({ url: running.url, migrate: true, connectionTimeout: 1000 });
      await addLibrary(catalog, "a");
      for (const way of ["stop", "kill"] as const) {
        await running[way]();
        const down = await readDuring(catalog, sleep(1500));
        // What serves a connection outlives a killed server for a moment.
        for (const { error } of down)
          expect(way === "kill" ? [undefined, searchFailed] : [searchFailed]).toContainEqual(error);
        expect(down.at(-1)?.error).toEqual(searchFailed);
        expect(Math.max(...down.map(({ took }) => took))).toBeLessThan(2000);
        const writing = await timed(() => catalog.runs.open("a", "", sampleRun("r"), 2000));
        expect(writing.error).toEqual(searchFailed);
        const starting = start().then((program) => (running = program));
        const back = await readDuring(catalog, starting);
        for (const { error } of back) expect([undefined, searchFailed]).toContainEqual(error);
        expect((await catalog.libraries.find([""], "/acme/widgets", ""))?.library.uid).toBe("a");
        expect(await catalog.runs.open("a", "", sampleRun("r"), 2000)).toMatchObject({ joined: true });
      }
      await catalog.close();
    } finally {
      await running.stop();
    }
  });

  it("says so of a disk without room, and nothing of where it is", async () => {
    const running = await startPostgres({ folder, password: "lectern", durable: false });
    try {
      const catalog = await openPostgresCatalog({ url: running.url, migrate: true });
      await addLibrary(catalog, "a");
      // What the server says where a table cannot grow.
      await ask(
        running.url,
        "create function full_disk() returns trigger language plpgsql as $$ begin raise exception 'could not extend file \"base/1/2\": No space left on device' using errcode = '53100'; end $$",
      );
      await ask(running.url, "create trigger full_disk before insert on libraries execute function full_disk()");
      await expect(addLibrary(catalog, "b", { id: "/acme/b" })).rejects.toMatchObject({
        code: "service_unavailable",
        message: "The catalog's database has no space left on its disk. Free some: runs continue then.",
      });
      expect(await catalog.libraries.get("a")).toBeDefined();
      await catalog.close();
    } finally {
      await running.stop();
    }
  });

  it("is search_failed when it falls silent, and the connections that hang are not used again", async () => {
    const running = await startPostgres({ folder, password: "lectern", durable: false });
    try {
      const options = { url: running.url, poolSize: 2, statementTimeout: 300, connectionTimeout: 500 };
      const catalog = await openPostgresCatalog({ ...options, name: "lectern-hanging", migrate: true });
      await addLibrary(catalog, "a");
      await Promise.all([catalog.ready(), catalog.ready()]);
      const pids = await ask(
        running.url,
        "select pid from pg_stat_activity where application_name = 'lectern-hanging'",
      );
      const all = pids.map(({ pid }) => Number(pid));
      expect(all).toHaveLength(2);
      for (const pid of all) process.kill(pid, "SIGSTOP");
      try {
        const silent = await Promise.all([
          timed(() => catalog.libraries.get("a")),
          timed(() => catalog.runs.open("a", "", sampleRun("r"), 2000)),
        ]);
        expect(silent.map(({ error }) => error)).toEqual([searchFailed, searchFailed]);
        expect(Math.max(...silent.map(({ took }) => took))).toBeLessThan(4000);
        expect(await catalog.libraries.get("a")).toMatchObject({ uid: "a" });
        expect(await catalog.runs.open("a", "", sampleRun("r"), 2000)).toMatchObject({ joined: true });
      } finally {
        for (const pid of all) process.kill(pid, "SIGCONT");
      }
      await catalog.close();
    } finally {
      await running.stop();
    }
  });

  it("is search_failed within 5 s when the whole server hangs, at once from then on, and answers as soon as it does", async () => {
    const running = await startPostgres({ folder, password: "lectern", durable: false });
    try {
      const changes: boolean[] = [];
      const onSilent = (isSilent: boolean): void => void changes.push(isSilent);
      const catalog = await openPostgresCatalog({
        url: running.url,
        statementTimeout: 10_000,
        onSilent,
        migrate: true,
      });
      await addLibrary(catalog, "a");
      const resume = suspend(running.pid);
      try {
        const first = await Promise.all([
          timed(() => catalog.libraries.get("a")),
          timed(() => catalog.runs.open("a", "", sampleRun("r"), 2000)),
          timed(() => catalog.ready()),
        ]);
        expect(first.map(({ error }) => error)).toEqual([searchFailed, searchFailed, searchFailed]);
        expect(Math.max(...first.map(({ took }) => took))).toBeLessThan(5000);
        // As a request does, one after the other.
        for (let times = 0; times < 4; times += 1) {
          const later = await timed(() => catalog.libraries.get("a"));
          expect(later.error).toEqual(searchFailed);
          expect(later.took).toBeLessThan(200);
        }
        const limited = await timed(() => catalog.limiter?.take("a", 5) ?? Promise.reject(new Error("none")));
        expect(limited.error).toBeUndefined();
      } finally {
        resume();
      }
      await expect
        .poll(async () => (await timed(() => catalog.libraries.get("a"))).error, { timeout: 3000 })
        .toBe(undefined);
      expect(await catalog.runs.open("a", "", sampleRun("r"), 2000)).toMatchObject({ joined: true });
      expect(changes).toEqual([true, false]);
      await catalog.close();
    } finally {
      await running.stop();
    }
  });

  it("waits for a slow statement as long as its timeout says", async () => {
    const running = await startPostgres({ folder, password: "lectern", durable: false });
    try {
      const db = openPostgres({ url: running.url, statementTimeout: 10_000 });
      const slow = await timed(() => sql`select pg_sleep(6)`.execute(db));
      expect(slow.error).toBeUndefined();
      expect(slow.took).toBeGreaterThan(6000);
      await db.destroy();
    } finally {
      await running.stop();
    }
  });
});
