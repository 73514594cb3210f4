/**
 * Time of a search among 50,000 libraries through HTTP with one client, by name and by content: on SQLite, and on Meilisearch if it is on
 * the PATH. Run it with `npm run bench:libraries`; `-- --count 10000` for another number.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Pool } from "undici";
import { hasMeilisearch, startMeilisearch } from "../dev/meilisearch.ts";
import { createMeilisearch } from "../../search/meilisearch/client.ts";
import { toLibraryDocument } from "../../search/meilisearch/library-index.ts";
import { setupMeilisearch } from "../../search/meilisearch/setup.ts";
import { createSqliteLibraryIndex } from "../../search/sqlite/library-index.ts";
import { startLectern, temporaryFolder, type LecternProcess } from "../../test/support/lectern-process.ts";
import { libraryCases } from "../../test/ranking/library-samples.ts";
import { createLibraries, createQuestions, createSubjects, misspelt } from "./library-corpus.ts";
import { drive, median, printTable, quantile } from "./measure.ts";
import { size } from "./size.ts";

const { values } = parseArgs({
  options: { count: { type: "string", default: size({ full: "50000", small: "300" }) } },
});
const count = Number(values.count);
const requests = size({ full: 2000, small: 40 });
const entries = createLibraries(count);
const searches = searchesFor();
const questions = createQuestions(300).map((query) => ({ libraryName: query, query }));
/** Without a sweep during the measurement. */
const settings = { LOG_LEVEL: "error", SWEEP_SECONDS: "3600" };

console.log(`${count} libraries, ${requests} searches, none answered from a cache\n`);
const rows = [await onSqlite()];
if (hasMeilisearch()) rows.push(await onMeilisearch());
printTable(["", "by name: p50 ms", "p99 ms", "by content: p50 ms", "p99 ms"], rows);

async function onSqlite(): Promise<readonly string[]> {
  await using folder = await temporaryFolder();
  const server = await startLectern(folder.path, settings);
  try {
    const index = createSqliteLibraryIndex({ file: join(folder.path, "index", "libraries.sqlite") });
    const subject = createSubjects();
    for (const entry of entries) await index.put(entry, subject());
    index.close();
    return await measure("SQLite", server);
  } finally {
    await server.kill("SIGTERM");
  }
}

async function onMeilisearch(): Promise<readonly string[]> {
  await using folder = await temporaryFolder();
  const key = "a-master-key-for-benchmarks";
  const meilisearch = await startMeilisearch({ folder: join(folder.path, "meilisearch"), key });
  const prefix = "bench_";
  const env = { MEILI_URL: meilisearch.url, MEILI_API_KEY: key, MEILI_INDEX_PREFIX: prefix };
  const client = createMeilisearch({ url: meilisearch.url, apiKey: key, prefix });
  await setupMeilisearch(client);
  const server = await startLectern(join(folder.path, "data"), { ...settings, ...env });
  try {
    const subject = createSubjects();
    for (let at = 0; at < count; at += 5000) {
      const documents = entries.slice(at, at + 5000).map((entry) => toLibraryDocument(entry, subject()));
      await client.finish(await client.write("libraries", (index) => index.addDocuments(documents)));
    }
    return await measure("Meilisearch", server);
  } finally {
    await server.kill("SIGTERM");
    await meilisearch.stop();
  }
}

/** A row of figures, each after a warm-up. */
async function measure(name: string, { url }: LecternProcess): Promise<readonly string[]> {
  const pool = new Pool(url, { connections: 1 });
  const measured: number[] = [];
  for (const asked of [searches, questions]) {
    const search = async (at: number): Promise<void> => {
      const path = `/api/v2/libs/search?${new URLSearchParams(asked[at % asked.length]).toString()}`;
      const { statusCode, body } = await pool.request({ path, method: "GET" });
      await body.text();
      if (statusCode !== 200) throw new Error(`A search was answered ${statusCode}.`);
    };
    await drive(1, Math.min(requests, 300), search);
    const { times } = await drive(1, requests, search);
    measured.push(median(times), quantile(times, 0.99));
  }
  await pool.close();
  return [name, ...measured.map((time) => time.toFixed(1))];
}

/** Searches as people write them, and for a sample of libraries: by name, by its beginning, misspelt, and by purpose. */
function searchesFor(): readonly Record<"libraryName" | "query", string>[] {
  const step = Math.max(1, Math.floor(entries.length / 300));
  const sample = entries.filter((_, at) => at % step === 0);
  const named = sample.map(({ title, description }) => ({ libraryName: title, query: description }));
  return [
    ...libraryCases().map(({ name, query }) => ({ libraryName: name, query })),
    ...named,
    ...named.map((one) => ({ ...one, libraryName: one.libraryName.slice(0, 4) })),
    ...named.map((one) => ({ ...one, libraryName: misspelt(one.libraryName) })),
    ...sample.map(({ description }) => ({ libraryName: description, query: description })),
  ];
}
