/**
 * What the dashboard's start page costs among 10,000 libraries, and how long the list takes that it asks the API for. One in fifty
 * libraries has something the matter with it. Run it with `npm run bench:dashboard`; a number behind it is how many libraries there are, a second one how often each page is asked for.
 */
import { join } from "node:path";
import { Pool } from "undici";
import { openSqliteCatalog } from "../../stores/catalog/sqlite.ts";
import type { Catalog } from "../../domain/ports.ts";
import { sampleGeneration, sampleLibrary, sampleRun } from "../../test/contracts/catalog-samples.ts";
import { adminKey, startLectern, temporaryFolder } from "../../test/support/lectern-process.ts";
import { createLibraries } from "./library-corpus.ts";
import { median, printTable, processorSeconds, quantile } from "./measure.ts";

const count = Number(process.argv[2] ?? 10_000);
const requests = Number(process.argv[3] ?? 200);
const entries = createLibraries(count);

await using folder = await temporaryFolder();
const server = await startLectern(folder.path, { LOG_LEVEL: "error", SWEEP_SECONDS: "86400" });
const pool = new Pool(server.url, { connections: 1 });
const headers = { authorization: `Bearer ${adminKey}`, accept: "text/html", "accept-encoding": "br" };
try {
  const catalog = await openSqliteCatalog({ file: join(folder.path, "catalog.sqlite") });
  const filling = performance.now();
  for (const [at] of entries.entries()) await fill(catalog, at);
  const filled = ((performance.now() - filling) / 1000).toFixed(0);
  await catalog.close();
  console.log(`${count} libraries, ${requests} requests a row, one at a time; filled in ${filled} s\n`);
  const some = (at: number): string => encodeURIComponent(entries[(at * 7) % count]?.title ?? "");
  const cursor = Buffer.from(JSON.stringify(["/m", ""])).toString("base64url");
  printTable(["", "CPU ms", "p50 ms", "p99 ms", "kB sent"], []);
  const asked: readonly (readonly [name: string, pathOf: (at: number) => string])[] = [
    ["start page", () => "/"],
    ["start page, what wants attention", () => "/?state=any"],
    ["start page, failed", () => "/?state=failed"],
    ["start page, a kind", () => "/?kind=git"],
    ["start page, found by a name", (at) => `/?search=${some(at)}`],
    ["start page, further on", () => `/?cursor=${cursor}`],
    ["list of the API", () => "/api/v2/libs?limit=50"],
    ["list of the API, found by a name", (at) => `/api/v2/libs?search=${some(at)}`],
    ["list of the API, what wants attention", () => "/api/v2/libs?limit=50&state=any"],
  ];
  // Each at once, as a machine that is busy may take long.
  for (const [name, pathOf] of asked) console.log(`| ${(await row(name, pathOf)).join(" | ")} |`);
} finally {
  await pool.close();
  await server.kill("SIGTERM");
}

/** A library with something live, and every fiftieth with something the matter. */
async function fill(catalog: Catalog, at: number): Promise<void> {
  const { id = `/bench/${at}`, title = "", description = "" } = entries[at] ?? {};
  const uid = `bench-${at}`;
  const run = `${uid}-1`;
  const library = sampleLibrary(uid, { id, title, description, createdAt: Date.now() });
  const created = await catalog.libraries.create(library, null, sampleRun(run, { reason: "submit" }));
  if (!("created" in created)) return;
  const fails = at % 200 === 0;
  const counts = { ...sampleGeneration(run, uid, 1).counts, quarantined: at % 200 === 50 ? 2 : 0 };
  await catalog.generations.stage(sampleGeneration(run, uid, 1, { counts, createdAt: Date.now() }));
  await catalog.generations.publish({ runId: run, generation: run, live: null }, Date.now());
  if (at % 200 === 100) await catalog.generations.noteDamage(run, "A part is missing.", Date.now());
  await catalog.runs.close(run, { outcome: fails ? "failed" : "published" }, Date.now());
}

async function row(name: string, pathOf: (at: number) => string): Promise<readonly string[]> {
  const times: number[] = [];
  let bytes = 0;
  let before = 0;
  for (let at = -20; at < requests; at += 1) {
    if (at === 0) before = await processorSeconds(server.pid);
    const start = performance.now();
    const { statusCode, body } = await pool.request({ method: "GET", path: pathOf(Math.abs(at)), headers });
    const sent = await body.bytes();
    if (statusCode !== 200) throw new Error(`${pathOf(at)} was answered ${statusCode}.`);
    bytes = Math.max(bytes, sent.length);
    if (at >= 0) times.push(performance.now() - start);
  }
  const cpu = (((await processorSeconds(server.pid)) - before) * 1000) / requests;
  return [name, cpu.toFixed(1), median(times).toFixed(1), quantile(times, 0.99).toFixed(1), (bytes / 1000).toFixed(1)];
}
