/**
 * What counting answers costs, and whether the sums are right. Run it with `npm run bench:metrics`; `-- --quick` is a short run, and
 * `-- --only cost,processes,http` some of it.
 *
 * - Pairs of answers with and without counting, in one process without a socket, so that the share is the largest that it can be; the
 *   counts are written behind every 300 answers, 40 times as often as a server does at that pace.
 * - A million answers by four processes on PostgreSQL, two of which are killed.
 * - 100,000 requests by HTTP to one server, which is then told to stop.
 */
import { publicRegistries } from "../domain/packages.ts";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { pino } from "pino";
import { Pool } from "undici";
import { createApp } from "../api/app.ts";
import { createMemoryLimiter } from "../api/memory-limiter.ts";
import { createMetrics } from "../api/metrics.ts";
import { openPostgresCatalog } from "../catalog/postgres.ts";
import { openSqliteCatalog } from "../catalog/sqlite.ts";
import { compose } from "../cli/compose.ts";
import { newId } from "../cli/ids.ts";
import { loadConfig, ownDocsFolder } from "../config.ts";
import { operator } from "../domain/access.ts";
import { surfaces } from "../domain/metrics.ts";
import { submitLibrary } from "../domain/submitting.ts";
import { hasPostgres, startPostgres } from "../dev/postgres.ts";
import { addLibrary } from "../test/contracts/catalog-samples.ts";
import { startLectern, temporaryFolder } from "../test/support/lectern-process.ts";
import { createWriter } from "./corpus.ts";
import { drive, median, printTable } from "./measure.ts";

const { values } = parseArgs({
  options: { quick: { type: "boolean", default: false }, only: { type: "string", default: "cost,processes,http" } },
});
const { quick } = values;
const only = new Set(values.only.split(","));
const libraryId = "/docs/lectern";
const writer = createWriter(7);
const questions = Array.from({ length: 300 }, (_, at) => `${writer.question(3 + (at % 5))} settings`);

if (only.has("cost")) await measureCost();
if (only.has("processes") && hasPostgres()) await countByProcesses();
if (only.has("http")) await countByHttp();

async function measureCost(): Promise<void> {
  await using folder = await temporaryFolder();
  const config = loadConfig({ DATA_DIR: folder.path, RATE_LIMIT_ANONYMOUS: "1000000", LOG_LEVEL: "silent" });
  const log = pino({ level: "silent" });
  const scratch = join(folder.path, "work");
  const lectern = await compose(config, { dataFolder: folder.path, scratch, migrate: true, name: "bench", log });
  const { ports } = lectern;
  await lectern.open();
  const selection = { folders: [], excludeFolders: null, excludeFiles: null };
  const source = { kind: "folder", path: ownDocsFolder, selection } as const;
  const shown = { title: "Lectern", description: "" };
  const { runId } = await submitLibrary(ports, operator, { id: libraryId, private: false, source, ...shown });
  while ((await ports.catalog.runs.get(runId))?.state === "open") await new Promise((done) => setTimeout(done, 100));
  const metrics = createMetrics({
    record: (batch) => ports.catalog.metrics.add(batch),
    every: 3_600_000,
    now: Date.now,
    newId,
    log,
  });
  const appWith = (countAnswer: typeof metrics.count) =>
    createApp({
      version: "bench",
      ports,
      limiter: createMemoryLimiter(),
      log,
      checkUrl: () => {},
      checkFolder: async (path) => path,
      readLockfile: lectern.readLockfile,
      countRead: () => {},
      noteMiss: () => {},
      countAnswer,
      adminKeyHash: null,
      settings: {
        ...config,
        registries: publicRegistries,
        loopback: false,
        gitHosts: { github: [], gitlab: [], bitbucket: [], gitea: [] },
      },
      openapi: {},
    });
  const [counting, bare] = [appWith(metrics.count), appWith(() => {})];
  const block = async (app: typeof bare): Promise<number> => {
    const before = process.cpuUsage();
    for (const [at, query] of questions.entries()) {
      const { status } = await app({
        method: "GET",
        path: "/api/v2/context",
        query: new URLSearchParams({ libraryId, query }),
        headers: { host: "docs.example.com", "x-context7-source": "mcp-server", "x-context7-client-ide": "cursor" },
        remoteAddress: `10.0.${at % 7}.${at % 251}`,
        readBody: async () => new Uint8Array(),
        signal: new AbortController().signal,
      });
      if (status !== 200) throw new Error(`Answered ${status}.`);
    }
    if (app === counting) await metrics.flush();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 / questions.length;
  };
  for (const app of [counting, bare, counting, bare]) await block(app);
  const rounds = quick ? 7 : 25;
  const pairs: { readonly bare: number; readonly counting: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const first = round % 2 === 0 ? await block(counting) : await block(bare);
    const second = round % 2 === 0 ? await block(bare) : await block(counting);
    pairs.push(round % 2 === 0 ? { counting: first, bare: second } : { counting: second, bare: first });
  }
  await metrics.close();
  await lectern.close();
  console.log(`${rounds} pairs of ${questions.length} answers\n`);
  printTable(
    ["", "CPU ms an answer (median)", "with / without (median of pairs)"],
    [
      ["without counting", median(pairs.map((pair) => pair.bare)).toFixed(3), "1.000"],
      [
        "with counting",
        median(pairs.map((pair) => pair.counting)).toFixed(3),
        median(pairs.map((pair) => pair.counting / pair.bare)).toFixed(3),
      ],
    ],
  );
}

async function countByProcesses(): Promise<void> {
  await using folder = await temporaryFolder();
  const server = await startPostgres({ folder: folder.path, password: "lectern", durable: false });
  const each = quick ? 25_000 : 250_000;
  const every = 1000;
  try {
    const catalog = await openPostgresCatalog({ url: server.url, poolSize: 2, migrate: true });
    const uids = ["stays-1", "stays-2", "killed-1", "killed-2"];
    for (const uid of uids) await addLibrary(catalog, uid, { id: `/bench/${uid}` });
    const ended = await Promise.all(
      uids.map((uid, at) => runCounter(server.url, uid, { each, every, share: 0.4 + at / 10 })),
    );
    const rows: string[][] = [];
    for (const [at, uid] of uids.entries()) {
      const { total } = await catalog.metrics.of(uid, { since: "2000-01-01", atMost: 1 });
      const kept = surfaces.reduce((sum, surface) => sum + total[surface], 0);
      const told = ended[at] ?? [];
      const last = told.at(-1) ?? { at: 0, counted: 0, written: 0 };
      // What it said was written is there, and nothing that it has not counted.
      const isRight = uid.startsWith("killed")
        ? kept >= last.written && kept <= last.counted + 500
        : kept === each && last.counted === each;
      const unwritten = told.find(({ counted }) => counted > kept)?.at ?? last.at;
      const lost = `${last.counted - kept} (${((last.at - unwritten) / 1000).toFixed(1)} s)`;
      rows.push([uid, String(last.counted), String(kept), lost, isRight ? "right" : "WRONG"]);
    }
    await catalog.close();
    console.log(`\nfour processes on PostgreSQL, ${each} answers each, written every ${every} ms\n`);
    printTable(["process", "counted", "in the catalog", "lost (of the last)", "sum"], rows);
  } finally {
    await server.stop();
  }
}

interface Told {
  readonly counted: number;
  readonly written: number;
  /** When it was told, in milliseconds. */
  readonly at: number;
}

/** Runs a counter, and kills it after a share of its answers if its name says so; answers what it has told. */
async function runCounter(
  url: string,
  uid: string,
  { each, every, share }: { readonly each: number; readonly every: number; readonly share: number },
): Promise<readonly Told[]> {
  const program = join(import.meta.dirname, "metrics-counter.ts");
  const child = spawn(process.execPath, [program, url, uid, String(each), String(every)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const told: Told[] = [];
  const closed = new Promise((resolve) => child.on("close", resolve));
  for await (const line of createInterface({ input: child.stdout })) {
    const said = JSON.parse(line) as Omit<Told, "at">;
    told.push({ ...said, at: performance.now() });
    if (uid.startsWith("killed") && said.counted > each * share) child.kill("SIGKILL");
  }
  await closed;
  return told;
}

async function countByHttp(): Promise<void> {
  await using folder = await temporaryFolder();
  const server = await startLectern(folder.path, { INDEX_OWN_DOCS: "on", LOG_LEVEL: "error" });
  const requests = quick ? 1200 : 100_000;
  await server.settled(libraryId);
  const pool = new Pool(server.url, { connections: 8 });
  const sources = ["mcp-server", "cli", "none"];
  await drive(8, requests, async (at) => {
    const query = new URLSearchParams({ libraryId, query: questions[at % 20] ?? "settings" }).toString();
    const headers = { "x-context7-source": sources[at % 3] ?? "none" };
    const { statusCode, body } = await pool.request({ method: "GET", path: `/api/v2/context?${query}`, headers });
    await body.dump();
    if (statusCode !== 200) throw new Error(`Answered ${statusCode}.`);
  });
  await pool.close();
  await server.kill("SIGTERM");
  const catalog = await openSqliteCatalog({ file: join(folder.path, "catalog.sqlite") });
  const { uid = "" } = (await catalog.libraries.find([""], libraryId, ""))?.library ?? {};
  const { total } = await catalog.metrics.of(uid, { since: "2000-01-01", atMost: 1 });
  await catalog.close();
  console.log(
    `\n${requests} requests by HTTP, from agents, command lines and others in turn: ${JSON.stringify(total)}`,
  );
}
