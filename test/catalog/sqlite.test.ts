import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, it } from "vitest";
import { sql } from "kysely";
import { openSqlite, openSqliteCatalog } from "../../stores/catalog/sqlite.ts";
import { unsyncedCommit } from "../../stores/catalog/transaction.ts";
import {
  addLibrary,
  addTeamspace,
  addressOf,
  publishGeneration,
  sampleCredential,
  sampleGeneration,
  sampleKey,
  sampleLibrary,
  sampleRun,
} from "../contracts/catalog-samples.ts";
import { catalogOfTest, folderOfTest } from "../support/of-test.ts";
import { schemaBefore } from "../support/older-schema.ts";
import { describeCatalogRaces } from "../contracts/catalog-races.ts";
import { describeCatalog } from "../contracts/catalog.ts";
import { runProgram } from "./run-program.ts";

const openFresh = async () => {
  const { catalog } = await catalogOfTest();
  return { catalog, cleanup: async () => {} };
};

describeCatalog("SQLite", openFresh);
// One process owns the file, so there is one catalog.
describeCatalogRaces("SQLite", async () => {
  const { catalog, cleanup } = await openFresh();
  return { catalogs: [catalog], cleanup };
});

describe("the catalog's file", () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await folderOfTest();
    file = join(folder, "data", "catalog.db");
  });

  const inspect = <T>(look: (database: DatabaseSync) => T): T => {
    const database = new DatabaseSync(file);
    try {
      return look(database);
    } finally {
      database.close();
    }
  };
  const integrity = () => inspect((database) => database.prepare("pragma integrity_check").get()?.["integrity_check"]);
  const tables = () => inspect((database) => database.prepare("select name from sqlite_master").all().length);

  it("is created by four programs that start at the same time", async () => {
    const ends = await Promise.all(Array.from({ length: 4 }, () => runProgram("open-and-add.ts", file)));
    expect(ends).toEqual(Array.from({ length: 4 }, () => ({ end: 0, errors: "" })));
    const catalog = await openSqliteCatalog({ file });
    expect((await catalog.libraries.list({ teamspaces: [""], limit: 100 })).total).toBe(4);
    await catalog.close();
    expect(integrity()).toBe("ok");
  });

  it("keeps nothing of a migration during which the program was killed", async () => {
    expect((await runProgram("die-in-migration.ts", file)).end).toBe("SIGKILL");
    expect(tables()).toBe(0);
    const catalog = await openSqliteCatalog({ file });
    await addLibrary(catalog, "a");
    await catalog.close();
    expect(integrity()).toBe("ok");
  });

  it("is read and written by its owner alone", async () => {
    const catalog = await openSqliteCatalog({ file });
    await addLibrary(catalog, "a");
    for (const name of [file, `${file}-wal`, `${file}-shm`]) expect((await stat(name)).mode & 0o777).toBe(0o600);
    await catalog.close();
  });

  it("is refused with a message that says what to do if a newer version wrote it", async () => {
    await (await openSqliteCatalog({ file })).close();
    inspect((database) => database.exec("insert into kysely_migration values ('9999-future', '2999-01-01T00:00:00Z')"));
    await expect(openSqliteCatalog({ file })).rejects.toMatchObject({
      name: "Failure",
      message: expect.stringMatching(/newer version of Lectern.*"9999-future".*Start that version/),
    });
    expect(integrity()).toBe("ok");
  });

  it("keeps what an older version wrote, when it is brought up to date", async () => {
    const catalog = await openSqliteCatalog({ file });
    const library = await addLibrary(catalog, "a");
    await publishGeneration(catalog, "a", 1);
    await addLibrary(catalog, "b", { teamspace: "web" });
    const old = sampleCredential("c1", { name: "", kind: null });
    await catalog.libraries.useCredential("a", { own: sampleCredential("c1", { name: "" }) });
    await addTeamspace(catalog, "mobile");
    await catalog.keys.add(sampleKey("k1", { teamspace: "mobile" }));
    await catalog.close();
    inspect((database) =>
      database.exec(
        `${schemaBefore("0002")}; delete from teamspaces where id <> 'default'; update versions set checked_revision = 'rev-2 docs-1'`,
      ),
    );
    const upgraded = await openSqliteCatalog({ file });
    expect(await upgraded.libraries.get("a")).toEqual({ ...library, submittedBy: null, credential: "c1" });
    expect(await upgraded.credentials.get("c1")).toEqual(old);
    const spec = { kind: "package", registry: "npm", url: "https://registry.example.com/", restricted: false } as const;
    await addLibrary(upgraded, "kit", { id: "/npm/kit", source: { ...spec, name: "kit", version: null } });
    await upgraded.libraries.update("kit", { repository: { url: addressOf("widgets"), isConfirmed: true } });
    expect(await upgraded.libraries.links({ packages: ["kit"] }, [""])).toMatchObject([{ repositoryUid: "a" }]);
    expect(await upgraded.teamspaces.list()).toMatchObject([
      { id: "default", title: "default" },
      { id: "mobile", title: "mobile", createdAt: 1 },
      { id: "web", title: "web", createdAt: 1000 },
    ]);
    expect(await upgraded.libraries.versionsOf("a")).toMatchObject([
      { live: { id: "a-1", damage: null }, readAt: null, checkedRevision: "rev-2", followedRevision: "docs-1" },
    ]);
    await upgraded.close();
  });

  it("cuts an older version's long list of refs to the important ones, and counts the others", async () => {
    const catalog = await openSqliteCatalog({ file });
    await addLibrary(catalog, "a");
    await catalog.libraries.addVersion("a", "v0.7.0", "v0.7.0");
    const refs = Array.from(
      { length: 20_000 },
      (_, at) => ({ kind: "tag", name: `v${at}.7.0`, revision: "r" }) as const,
    );
    await catalog.libraries.keepRefs("a", [...refs, { kind: "branch", name: "main", revision: "r" }]);
    await catalog.close();
    inspect((database) => database.exec(schemaBefore("0008")));
    const upgraded = await openSqliteCatalog({ file });
    const kept = await upgraded.libraries.refs("a");
    expect(kept).toHaveLength(2000);
    expect(kept.map(({ name }) => name)).toEqual(expect.arrayContaining(["v0.7.0", "v19999.7.0", "main"]));
    expect(await upgraded.libraries.refsLeftOut("a")).toBe(18_001);
    await upgraded.close();
  });

  it("keeps what was written when it is opened again", async () => {
    const first = await openSqliteCatalog({ file });
    await addLibrary(first, "a");
    await publishGeneration(first, "a", 1);
    const written = await first.libraries.find([""], "/acme/widgets", "");
    await first.close();
    const second = await openSqliteCatalog({ file });
    expect(await second.libraries.find([""], "/acme/widgets", "")).toEqual(written);
    await second.close();
  });

  it("has the default teamspace from the start, WAL and foreign keys that hold", async () => {
    const catalog = await openSqliteCatalog({ file });
    await addLibrary(catalog, "a");
    await catalog.close();
    inspect((database) => {
      expect(database.prepare("select id from teamspaces").all()).toMatchObject([{ id: "default" }]);
      expect(database.prepare("pragma journal_mode").get()).toMatchObject({ journal_mode: "wal" });
      expect(() => database.exec("insert into versions (library_uid, version) values ('none', '')")).toThrow(/FOREIGN/);
      expect(() =>
        database.exec(
          "insert into runs select 'second', library_uid, teamspace, library_id, version, reason, generation, phase, progress_json, outcome, failure_json, priority, created_at, started_at, closed_at, removed_at, owner, lease_until, claims, journal_json, checkpoint_json, deaths, host, key_id, attempt, last_failure_json, progress_at from runs",
        ),
      ).toThrow(/UNIQUE/);
    });
  });

  it("shows readers the state before or after a publishing, never one between", async () => {
    const catalog = await openSqliteCatalog({ file });
    await addLibrary(catalog, "a");
    await publishGeneration(catalog, "a", 1);
    for (let number = 2; number < 12; number += 1) {
      const [live, id] = [`a-${number - 1}`, `a-${number}`];
      await catalog.runs.open("a", "", sampleRun(id), number);
      await catalog.generations.stage(sampleGeneration(id, "a", number));
      const publishing = catalog.generations.publish({ runId: id, generation: id, live }, number);
      const views = [];
      for (let look = 0; look < 20; look += 1) views.push(await catalog.libraries.find([""], "/acme/widgets", ""));
      expect(await publishing).toBe(true);
      for (const view of views) {
        expect(view?.version?.live?.state).toBe("live");
        expect([live, id]).toContain(view?.version?.live?.id);
      }
      expect(views.at(-1)?.version?.live?.id).toBe(id);
      await catalog.runs.close(id, { outcome: "published" }, number);
    }
    await catalog.close();
  });

  it("writes nothing of a transaction that failed, and takes the next one", async () => {
    const catalog = await openSqliteCatalog({ file });
    await addLibrary(catalog, "a");
    const other = sampleLibrary("b", { id: "/acme/other" });
    await expect(catalog.libraries.create(other, null, sampleRun("a-1"))).rejects.toThrow(/UNIQUE/);
    expect(await catalog.libraries.get("b")).toBeUndefined();
    expect(await catalog.libraries.create(other, null, sampleRun("b-1"))).toMatchObject({ created: { joined: false } });
    await catalog.close();
  });

  it("syncs every commit but those marked as unsynced", async () => {
    const db = await openSqlite(file);
    // 2 is full, 1 is normal (https://sqlite.org/pragma.html#pragma_synchronous).
    const wait = async (end = sql``) =>
      (await sql<{ synchronous: number }>`pragma synchronous ${end}`.execute(db)).rows[0]?.synchronous;
    expect([await wait(), await wait(unsyncedCommit), await wait()]).toEqual([2, 1, 2]);
    await expect(sql`insert into nowhere values (1) ${unsyncedCommit}`.execute(db)).rejects.toThrow("no such table");
    expect(await wait()).toBe(2);
    await db.destroy();
  });

  it("fails ready() with search_failed once it is closed", async () => {
    const catalog = await openSqliteCatalog({ file });
    await catalog.close();
    await expect(catalog.ready()).rejects.toMatchObject({ code: "search_failed" });
  });

  it("is named in the failure if it is a folder, or not a catalog", async () => {
    const text = join(folder, "notes.txt");
    await writeFile(text, "These are notes, and not a database, however long one looks at them. ".repeat(100));
    await expect(openSqliteCatalog({ file: folder })).rejects.toMatchObject({
      code: "search_failed",
      message: expect.stringContaining(`cannot be opened at ${folder}`),
    });
    await expect(openSqliteCatalog({ file: text })).rejects.toMatchObject({
      code: "internal_error",
      message: expect.stringContaining(`The catalog ${text} is damaged, or is not a catalog`),
    });
  });
});
