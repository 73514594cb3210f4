import { describe, expect, inject, it, onTestFinished } from "vitest";
import { openPostgresCatalog } from "../../stores/catalog/postgres.ts";
import type { Catalog } from "../../domain/ports.ts";
import { addLibrary, publishGeneration, sampleCredential, sampleKey, sampleRun } from "../contracts/catalog-samples.ts";
import { ask } from "./support/catalog-asking.ts";
import { freshDatabase } from "./support/database.ts";

const superuser = inject("postgres");

/** What processes do with a catalog all the time, under names of its own. */
async function work(catalog: Catalog, name: string): Promise<void> {
  await addLibrary(catalog, name, { id: `/acme/${name}` });
  await publishGeneration(catalog, name, 1);
  await catalog.libraries.useCredential(name, { own: sampleCredential(`c-${name}`, { name: "" }) });
  await catalog.keys.add(sampleKey(`k-${name}`));
  await catalog.runs.open(name, "", sampleRun(`${name}-2`), 5);
  await catalog.runs.report(`${name}-2`, { phase: "collecting" }, 5);
  await catalog.runs.close(`${name}-2`, { outcome: "unchanged" }, 6);
  await catalog.libraries.update(name, { title: `Title of ${name}` });
  await catalog.libraries.countReads([{ libraryUid: name, version: "", day: "2026-01-01", reads: 1 }], 7);
  expect(await catalog.libraries.find([""], `/acme/${name}`, "")).toMatchObject({
    version: { live: { id: `${name}-1` } },
  });
  expect(await catalog.credentials.get(`c-${name}`)).toMatchObject({ id: `c-${name}` });
}

describe.skipIf(superuser === null)("a process of the version before", () => {
  it("goes on with everything while the schema is migrated under it, and afterwards", async () => {
    const database = await freshDatabase(superuser ?? "");
    const catalog = await openPostgresCatalog({ url: database.url, poolSize: 4, migrate: true });
    onTestFinished(async () => {
      await catalog.close();
      await database.drop();
    });
    // Until statements are prepared on all connections.
    for (let round = 0; round < 4; round += 1)
      await Promise.all([0, 1, 2, 3].map((lane) => work(catalog, `before-${round}-${lane}`)));
    const tables = await ask(
      database.url,
      "select table_name from information_schema.tables where table_schema = 'public' and table_name not like 'kysely%'",
    );
    expect(tables.length).toBeGreaterThan(8);
    const working = [0, 1, 2, 3].map(async (lane) => {
      for (let round = 0; round < 4; round += 1) await work(catalog, `during-${round}-${lane}`);
    });
    for (const { table_name: table } of tables)
      await ask(database.url, `alter table ${String(table)} add column later text not null default ''`);
    await Promise.all(working);
    await Promise.all([0, 1, 2, 3].map((lane) => work(catalog, `after-${lane}`)));
  });
});
