/**
 * Time of a question at 7,700 passages with 1, 8 and 64 clients, compared with the same look-up by FTS5 alone: MATCH, bm25 and LIMIT over the
 * same terms. The clients are in this process; the processor time of both processes is shown, as they share the cores. Also the start-up
 * time and idle memory of the server. Run it with `npm run bench:read`. With `--threads 0,1,2` it measures these values of READ_THREADS
 * instead, by processor time, which other load on the machine changes little: of an answer, and of its part on the main thread, which
 * bounds what threads can add.
 */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { DatabaseSync } from "node:sqlite";
import { Pool } from "undici";
import { exportGeneration } from "../../activities/transfer.ts";
import { createFolderBlobStore } from "../../stores/blobs/folder.ts";
import { readPassage, isServed } from "../../domain/passage.ts";
import { analysePassage } from "../../search/ranking/analyse-text.ts";
import { lookedUp } from "../../search/ranking/analyse-question.ts";
import { ranker } from "../../search/ranking/ranker.ts";
import { rarestTerms } from "../../search/candidates.ts";
import { startGitServer } from "../../test/support/git-server.ts";
import { startLectern, temporaryFolder } from "../../test/support/lectern-process.ts";
import { createWriter, repositoryFiles } from "./corpus.ts";
import {
  drive,
  mainThreadSeconds,
  median,
  printTable,
  processorSeconds,
  quantile,
  residentMegabytes,
  type Timing,
} from "./measure.ts";
import { size } from "./size.ts";

const libraryId = "/bench/read";
const requests = size({ full: 2000, small: 64 });
const documents = size({ full: 900, small: 10 });
const starts = size({ full: 5, small: 1 });
/** Time until memory has settled after indexing, in milliseconds. */
const settling = size({ full: 25_000, small: 0 });

const git = await startGitServer();
await using folder = await temporaryFolder();
const repository = await git.repository("bench/read.git", repositoryFiles(3, { documents, sources: 0 }));
const env = { FETCH_ALLOW: new URL(repository.url).host, LOG_LEVEL: "error" };
let server = await startLectern(folder.path, env);
const { threads } = parseArgs({ options: { threads: { type: "string" } } }).values;
try {
  await server.call("POST", "/v2/add/repo/git", { docsRepoUrl: repository.url, libraryName: libraryId });
  const status = await server.settled(libraryId);
  const { id, counts } = status["live"] as { id: string; counts: { passages: number } };
  const live = { generation: id, passages: counts.passages };
  const writer = createWriter(99);
  const questions = Array.from({ length: 500 }, (_, index) => writer.question(4 + (index % 8)));

  if (threads === undefined) await compared(live, questions);
  else await byThreads(threads.split(","), live.passages, questions);
} finally {
  await server.kill("SIGTERM");
  await git.close();
}
if (threads === undefined) await idle();

/** Times with 1, 8 and 64 clients beside those of FTS5. */
async function compared(live: { generation: string; passages: number }, questions: readonly string[]): Promise<void> {
  const bare = await bareTimes(live, questions);
  console.log(`${live.passages} passages, ${requests} questions of 6 to 13 words a row, no answer from a cache\n`);
  const rows = [["FTS5 alone", median(bare).toFixed(2), quantile(bare, 0.99).toFixed(2), "", "1.00", "", ""]];
  for (const clients of [1, 8, 64]) {
    const before = { server: await processorSeconds(server.pid), own: process.cpuUsage() };
    const { times, seconds } = await askAll(clients, questions);
    const served = (await processorSeconds(server.pid)) - before.server;
    const own = process.cpuUsage(before.own);
    rows.push([
      `context, ${clients} client${clients === 1 ? "" : "s"}`,
      median(times).toFixed(2),
      quantile(times, 0.99).toFixed(2),
      (requests / seconds).toFixed(0),
      (median(times) / median(bare)).toFixed(2),
      ((1000 * served) / requests).toFixed(2),
      ((own.user + own.system) / 1000 / requests).toFixed(2),
    ]);
  }
  printTable(
    ["", "p50 ms", "p99 ms", "answers a second", "p50 / alone", "server CPU ms an answer", "clients CPU ms an answer"],
    rows,
  );
  const bytes = { index: await sizeOf(join(folder.path, "index")), blobs: await sizeOf(join(folder.path, "blobs")) };
  console.log(
    `\nbytes on disk a passage: ${Math.round(bytes.index / live.passages)} index, ${Math.round(bytes.blobs / live.passages)} generation`,
  );
}

/** Processor time and memory by number of threads. */
async function byThreads(numbers: readonly string[], passages: number, questions: readonly string[]): Promise<void> {
  const rows: string[][] = [];
  for (const number of numbers) {
    await server.kill("SIGTERM");
    server = await startLectern(folder.path, { ...env, READ_THREADS: number });
    // Starts the threads, compiles, and fills the caches of each.
    await askAll(16, questions, requests * Math.max(1, Number(number)));
    const before = [await processorSeconds(server.pid), await mainThreadSeconds(server.pid)] as const;
    await askAll(16, questions);
    const all = (1000 * ((await processorSeconds(server.pid)) - before[0])) / requests;
    const main = (1000 * ((await mainThreadSeconds(server.pid)) - before[1])) / requests;
    const memory = await residentMegabytes(server.pid, "now");
    rows.push([number, all.toFixed(2), main.toFixed(2), (all / main).toFixed(1), memory.toFixed(0)]);
  }
  console.log(`${passages} passages, ${requests} questions by 16 clients\n`);
  printTable(["READ_THREADS", "CPU ms an answer", "of it the main thread", "cores in use at most", "MB"], rows);
}

/** Times of FTS5 for the terms of each question, over the same analysed fields, in milliseconds after a warm-up. */
async function bareTimes(
  live: { generation: string; passages: number },
  questions: readonly string[],
): Promise<readonly number[]> {
  const files = await readdir(join(folder.path, "index"), { recursive: true });
  const file = files.find((name) => name.endsWith(`${live.generation}.sqlite`)) ?? "";
  const database = new DatabaseSync(join(folder.path, "bare.sqlite"));
  database.exec(`
    PRAGMA synchronous = OFF;
    CREATE VIRTUAL TABLE bare USING fts5(
      title, breadcrumb, path, prose, code, subject, content='', tokenize="ascii tokenchars '+#._-='"
    );
    INSERT INTO bare(bare, rank) VALUES ('rank', 'bm25(4.5, 1.5, 1, 1, 1, 4.5)');
    BEGIN;
  `);
  const index = new DatabaseSync(join(folder.path, "index", file), { readOnly: true });
  const insert = database.prepare(
    "INSERT INTO bare(rowid, title, breadcrumb, path, prose, code, subject) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  let row = 0;
  const blobs = createFolderBlobStore({ folder: join(folder.path, "blobs") });
  for await (const line of exportGeneration(blobs, live.generation)) {
    if (!line.includes('"breadcrumb":')) continue;
    const passage = readPassage(line);
    if (!isServed(passage)) continue;
    const { identifiers: _, ...fields } = analysePassage(passage);
    insert.run((row += 1), ...Object.values(fields).map((terms) => terms.join(" ")));
  }
  database.exec("COMMIT; INSERT INTO bare(bare) VALUES ('optimize')");
  const frequencies = new Map(
    index
      .prepare("SELECT term, sum(frequency) AS frequency FROM postings GROUP BY term")
      .all()
      .map(({ term, frequency }) => [String(term), Number(frequency)]),
  );
  index.close();

  const statement = database.prepare("SELECT rowid FROM bare WHERE bare MATCH ? ORDER BY rank LIMIT 100");
  const { title } = (await server.call("GET", `/v2/libs/status?libraryId=${libraryId}`)).body as { title: string };
  const times: number[] = [];
  for (const query of [...questions, ...questions]) {
    const question = ranker.analyseQuestion(query, { id: libraryId, title });
    const asked = new Map(lookedUp(question).map((term) => [term, frequencies.get(term) ?? 0]));
    const terms = rarestTerms(asked, live.passages);
    const expression = terms.map((term) => `"${term}"`).join(" OR ");
    const start = performance.now();
    if (expression !== "") statement.all(expression);
    times.push(performance.now() - start);
  }
  database.close();
  return times.slice(questions.length);
}

async function askAll(clients: number, questions: readonly string[], amount = requests): Promise<Timing> {
  const pool = new Pool(server.url, { connections: clients });
  const timing = await drive(clients, amount, async (at) => {
    const query = questions[at % questions.length] ?? "";
    const path = `/api/v2/context?${new URLSearchParams({ libraryId, query }).toString()}`;
    const { statusCode, body } = await pool.request({ path, method: "GET" });
    await body.text();
    if (statusCode !== 200) throw new Error(`A question was answered ${statusCode}.`);
  });
  await pool.close();
  return timing;
}

async function sizeOf(path: string): Promise<number> {
  const names = await readdir(path, { recursive: true });
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(path, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function idle(): Promise<void> {
  const times: number[] = [];
  let memory = Number.NaN;
  for (let run = 0; run < starts; run += 1) {
    await using fresh = await temporaryFolder();
    const begin = performance.now();
    const started = await startLectern(fresh.path, { INDEX_OWN_DOCS: "on" });
    times.push((performance.now() - begin) / 1000);
    if (run === 0) {
      await started.settled("/docs/lectern");
      await pause(settling);
      memory = await residentMegabytes(started.pid, "now");
    }
    await started.kill("SIGTERM");
  }
  console.log(
    `start-up on an empty data folder: ${median(times).toFixed(2)} s; idle memory after indexing its own docs: ${memory.toFixed(0)} MB`,
  );
}
