/**
 * What keys and rate limits cost a read, whether limits are exact over two processes, and what a noisy key does to the answers of another
 * one; with the catalog in SQLite and in PostgreSQL. Run it with `npm run bench:limits`, behind `--` the number of pages.
 */
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { ensureDatabase, hasPostgres, startPostgres } from "../../dev/postgres.ts";
import { temporaryFolder } from "../../../test/support/lectern-process.ts";
import { size } from "../size.ts";
import { measureCost } from "./cost.ts";
import { measureExactness } from "./exactness.ts";
import { measureNoise } from "./noise.ts";
import { prepareWorld } from "./world.ts";
import type { Place } from "./world.ts";

/** The pages of the library, eleven passages each. */
const documents = Number(process.argv[2] ?? size({ full: 900, small: 5 }));
const keyCount = size({ full: 10_000, small: 200 });

async function measure(name: string, place: Place): Promise<void> {
  const keys = await prepareWorld(place, { documents, keys: keyCount });
  await measureCost(name, place, keys);
  await measureNoise(name, place, keys);
  if (place.databaseUrl !== undefined) await measureExactness(place, keys);
}

await using folder = await temporaryFolder();
// PostgreSQL runs as a user of its own, who has to get through.
await chmod(folder.path, 0o711);
// The small form has one catalog, and on PostgreSQL it measures most.
if (size({ full: true, small: !hasPostgres() })) await measure("SQLite", { folder: join(folder.path, "embedded") });
if (hasPostgres()) {
  const password = "bench";
  const postgres = await startPostgres({ folder: join(folder.path, "postgres"), password });
  try {
    const databaseUrl = await ensureDatabase(postgres.url, "lectern");
    await measure("PostgreSQL", { folder: join(folder.path, "shared"), databaseUrl });
  } finally {
    await postgres.stop();
  }
} else console.log("PostgreSQL is not installed: nothing is measured on it.");
