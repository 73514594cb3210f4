/**
 * How long a search among 50,000 libraries takes through HTTP with 1 and 8 clients: on SQLite, and on Meilisearch where
 * one is on the PATH. Run it with `npm run bench:libraries`; a number behind it is how many libraries there are.
 */
import { join } from "node:path";
import { Pool } from "undici";
import { hasMeilisearch, startMeilisearch } from "../dev/meilisearch.ts";
import type { LibraryEntry } from "../../domain/ports.ts";
import { createMeilisearch } from "../../search/meilisearch/client.ts";
import { toLibraryDocument } from "../../search/meilisearch/library-index.ts";
import { setupMeilisearch } from "../../search/meilisearch/setup.ts";
import { createSqliteLibraryIndex } from "../../search/sqlite/library-index.ts";
import { startLectern, temporaryFolder } from "../../test/support/lectern-process.ts";
import type { LecternProcess } from "../../test/support/lectern-process.ts";
import { libraryCases } from "../../test/ranking/library-samples.ts";
import { createLibraries, misspelt } from "./library-corpus.ts";
import { drive, median, printTable, processorSeconds, quantile, residentMegabytes } from "./measure.ts";
import type { Timing } from "./measure.ts";
import { size } from "./size.ts";

interface Search {
  readonly libraryName: string;
  readonly query: string;
}

/** `cpu` is what the server took of its processors for one search, in milliseconds: it does not depend on who else is running. */
interface Driven extends Timing {
  readonly cpu: number;
}

const count = Number(process.argv[2] ?? size({ full: 50_000, small: 300 }));
const requests = size({ full: 2000, small: 40 });
const entries = createLibraries(count);
const kinds = searchesByKind(entries);

console.log(`${count} libraries, ${requests} searches a row, no answer from a cache\n`);
const head = ["", "p50 ms", "p99 ms", "most ms", "CPU ms", "answers a second"];
printTable(head, await onSqlite());
if (hasMeilisearch()) printTable(head, await onMeilisearch());

async function onSqlite(): Promise<readonly string[][]> {
  await using folder = await temporaryFolder();
  const server = await startLectern(folder.path, quiet());
  try {
    const index = createSqliteLibraryIndex({ file: join(folder.path, "index", "libraries.sqlite") });
    const start = performance.now();
    for (const entry of entries) await index.put(entry);
    const each = (performance.now() - start) / count;
    index.close();
    const measured = await measure("SQLite", server);
    console.log(`SQLite: ${each.toFixed(2)} ms to put one, ${await memory(server)}`);
    return measured;
  } finally {
    await server.kill("SIGTERM");
  }
}

async function onMeilisearch(): Promise<readonly string[][]> {
  await using folder = await temporaryFolder();
  const key = "a-master-key-for-benchmarks";
  const meilisearch = await startMeilisearch({ folder: join(folder.path, "meilisearch"), key });
  const prefix = "bench_";
  const env = { MEILI_URL: meilisearch.url, MEILI_API_KEY: key, MEILI_INDEX_PREFIX: prefix };
  const client = createMeilisearch({ url: meilisearch.url, apiKey: key, prefix });
  await setupMeilisearch(client);
  const server = await startLectern(join(folder.path, "data"), { ...quiet(), ...env });
  try {
    for (let at = 0; at < count; at += 5000) {
      const documents = entries.slice(at, at + 5000).map(toLibraryDocument);
      await client.finish(await client.write("libraries", (index) => index.addDocuments(documents)));
    }
    const measured = await measure("Meilisearch", server);
    console.log(`Meilisearch: ${await memory(server)}`);
    return measured;
  } finally {
    await server.kill("SIGTERM");
    await meilisearch.stop();
  }
}

/** The environment of a server whose sweep does not come round while it is measured. */
function quiet(): Record<string, string> {
  return { LOG_LEVEL: "error", SWEEP_SECONDS: "3600" };
}

async function memory({ pid }: LecternProcess): Promise<string> {
  return `${(await residentMegabytes(pid, "peak")).toFixed(0)} MB at most in the server`;
}

async function measure(name: string, server: LecternProcess): Promise<readonly string[][]> {
  const all = [...kinds.values()].flat();
  await search(server, 1, all.slice(0, 300));
  const measured: string[][] = [];
  for (const clients of [1, 8]) measured.push(row(`${name}, ${clients} at once`, await search(server, clients, all)));
  for (const [kind, searches] of kinds) {
    measured.push(row(`${name}, 1 at once: ${kind}`, await search(server, 1, searches, requests / 4)));
  }
  return measured;
}

function row(name: string, { times, seconds, cpu }: Driven): string[] {
  const milliseconds = [median(times), quantile(times, 0.99), Math.max(...times), cpu].map((time) => time.toFixed(1));
  return [name, ...milliseconds, (times.length / seconds).toFixed(0)];
}

async function search(
  server: LecternProcess,
  clients: number,
  searches: readonly Search[],
  total = requests,
): Promise<Driven> {
  const pool = new Pool(server.url, { connections: clients });
  const before = await processorSeconds(server.pid);
  const timing = await drive(clients, total, async (at) => {
    const path = `/api/v2/libs/search?${new URLSearchParams({ ...searches[at % searches.length] }).toString()}`;
    const { statusCode, body } = await pool.request({ path, method: "GET" });
    await body.text();
    if (statusCode !== 200) throw new Error(`A search was answered ${statusCode}.`);
  });
  const cpu = (1000 * ((await processorSeconds(server.pid)) - before)) / total;
  await pool.close();
  return { ...timing, cpu };
}

/** Searches as people make them, and for libraries taken at random: by name, by the beginning of one, and misspelt. */
function searchesByKind(libraries: readonly LibraryEntry[]): ReadonlyMap<string, readonly Search[]> {
  const step = Math.max(1, Math.floor(libraries.length / 300));
  const some = libraries.filter((_, at) => at % step === 0);
  const named = some.map(({ title, description }) => ({ libraryName: title, query: description }));
  return new Map([
    ["as people write them", libraryCases().map(({ name, query }) => ({ libraryName: name, query }))],
    ["by name", named],
    ["by a beginning", named.map((one) => ({ ...one, libraryName: one.libraryName.slice(0, 4) }))],
    ["misspelt", named.map((one) => ({ ...one, libraryName: misspelt(one.libraryName) }))],
    ["by what it is for", some.map(({ description }) => ({ libraryName: description, query: description }))],
  ]);
}
