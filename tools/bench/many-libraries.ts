/**
 * Costs of thousands of libraries for a server that has indexed them itself: folders of one page, or with `-- --source git` Git
 * repositories of eight, submitted over HTTP, 16 at a time. After 500 and after 5,000 it prints the processor time of the server and its
 * children for each, passages and disk, threads and memory of the process, the time of an answer, of a search and of a restart; at the end
 * what a thousand refreshes cost that are due at once. Run it with `npm run bench:many-libraries`; `-- --counts 300,5000` for other
 * numbers, `-- --characters 100000` for longer pages, `--copies 99` to copy each
 * library 99 times before the end.
 */
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs, promisify } from "node:util";
import { Pool } from "undici";
import { startLectern, temporaryFolder, type LecternProcess } from "../../test/support/lectern-process.ts";
import { startGitServer } from "../../test/support/git-server.ts";
import { copyLibraries } from "./copied-libraries.ts";
import { createWriter } from "./corpus.ts";
import { createLibraries } from "./library-corpus.ts";
import { drive, median, printTable, processorSeconds, quantile, residentMegabytes } from "./measure.ts";
import { size } from "./size.ts";

const { values } = parseArgs({
  options: {
    counts: { type: "string", default: size({ full: "500,5000", small: "4,8" }) },
    source: { type: "string", default: "folder" },
    characters: { type: "string", default: "3000" },
    copies: { type: "string", default: size({ full: "0", small: "1" }) },
  },
});
const characters = Number(values.characters);
const copies = Number(values.copies);
const isGit = values.source === "git";
const counts = values.counts.split(",").map(Number);
const submitters = 16;
/** Interval of polls whether a library can be read, in milliseconds: polling must not cost more than indexing. */
const pollInterval = size({ full: 500, small: 40 });
const requests = size({ full: 1000, small: 20 });
const restarts = size({ full: 3, small: 1 });
/** Time until idle threads have ended and their memory is returned, in milliseconds. */
const settling = size({ full: 70_000, small: 0 });

await using folder = await temporaryFolder();
const [sources, data] = [join(folder.path, "sources"), join(folder.path, "data")];
const most = Math.max(...counts);
const dueAtOnce = Math.min(most * (copies + 1), size({ full: 1000, small: 3 }));
const libraries = createLibraries(most);
const writer = createWriter(11);
const questions = Array.from({ length: 200 }, () => writer.question(6));
const gitHost = isGit ? await startGitServer() : undefined;
for (const [at, { title }] of libraries.entries()) {
  const readme = `${writer.page(title, characters)}## Install\n\n\`\`\`sh\nnpm install library-${at}\n\`\`\`\n`;
  if (gitHost !== undefined) {
    const others = Array.from({ length: 7 }, (_, page) => [`docs/page-${page}.md`, writer.page(title, characters)]);
    await gitHost.repository(idOf(at).slice(1), { "README.md": readme, ...Object.fromEntries(others) });
    continue;
  }
  await mkdir(join(sources, String(at)), { recursive: true });
  await writeFile(join(sources, String(at), "README.md"), readme);
}

const environment = {
  NODE_OPTIONS: "--inspect=127.0.0.1:0",
  FOLDER_ROOTS: sources,
  LOG_LEVEL: "error",
  ...(gitHost && { FETCH_ALLOW: gitHost.host }),
};
let server = await startLectern(data, environment);
const rows: string[][] = [];
let done = 0;
for (const count of counts) {
  const before = await processorSeconds(server.pid, { living: true });
  const added = count - done;
  await drive(submitters, added, async (at) => submit(done + at));
  const cpu = ((await processorSeconds(server.pid, { living: true })) - before) / added;
  done = count;
  rows.push(await measure(count, cpu.toFixed(3)));
}
if (copies > 0) {
  await server.kill("SIGTERM");
  await copyLibraries(data, copies);
  server = await startLectern(data, environment);
  rows.push(await measure(done * (copies + 1), "copied"));
}
const due = await refreshesDueAtOnce();
await server.kill("SIGTERM");
await gitHost?.close();
console.log(
  `${isGit ? "Git repositories of eight pages" : "Folders of one page"}, ${submitters} submitted at a time\n`,
);
printTable(
  [
    "libraries",
    "passages, GB",
    "CPU s each",
    "threads at once, later",
    "MB at most, later",
    "answer p50, p99 ms",
    "search p50, p99 ms",
    "restart: answers, works after s",
  ],
  rows,
);
console.log("\nUnchanged libraries whose refresh is due at once\n");
printTable(["refreshes", "s", "CPU s each", "MB at most", "answer p50, p99 ms meanwhile"], [due]);

/** A row of figures of the server with this number of libraries, which it restarts. */
async function measure(count: number, cost: string): Promise<string[]> {
  const busy = await threads();
  await pause(settling);
  await collectGarbage(server);
  const memory = [await residentMegabytes(server.pid, "peak"), await residentMegabytes(server.pid, "now")];
  const resting = await threads();
  const answers = await answerTimes(count);
  const searches = await searchTimes();
  const restarted: Restart[] = [];
  for (let number = 0; number < restarts; number += 1) {
    await server.kill("SIGTERM");
    const watching = watchHealth(server.url);
    server = await startLectern(data, { ...environment, PORT: new URL(server.url).port });
    restarted.push(await watching());
  }
  return [
    String(count),
    await contents(),
    cost,
    `${busy}, ${resting}`,
    memory.map((megabytes) => megabytes.toFixed(0)).join(", "),
    halfAndNearlyAll(answers),
    halfAndNearlyAll(searches),
    [restarted.map((one) => one.answers), restarted.map((one) => one.works)]
      .map((times) => median(times).toFixed(1))
      .join(", "),
  ];
}

/** Submits a library and waits until it can be read. */
async function submit(at: number): Promise<void> {
  const { title = "", description = "" } = libraries[at] ?? {};
  const id = idOf(at);
  const [route, where] = gitHost
    ? ["/v2/add/repo/git", { docsRepoUrl: `${gitHost.url}${id}` }]
    : ["/v2/add/folder", { path: join(sources, String(at)) }];
  const { status, body } = await server.call("POST", route, { ...where, title, description, libraryName: id });
  if (status !== 200) throw new Error(`The submission of ${id} was answered ${status}: ${JSON.stringify(body)}`);
  const { live } = await server.settled(id, pollInterval);
  if (!live) throw new Error(`${id} was not indexed.`);
}

/** The ID of a library or copy, in the namespace of its kind of source. */
function idOf(at: number): string {
  const [number, copy] = [at % most, Math.floor(at / most)];
  return `/${isGit ? "team" : "docs"}/library-${number}${copy === 0 ? "" : `-${copy}`}`;
}

/** Passages of all libraries, and GB of the data folder. */
async function contents(): Promise<string> {
  const passages = inCatalog(
    `select sum(json_extract(counts_json, '$.passages')) as number from generations
     join versions on versions.live_generation = generations.id`,
  );
  const { stdout } = await promisify(execFile)("du", ["-s", "--block-size=1M", data]);
  return `${passages}, ${(Number.parseInt(stdout, 10) / 1000).toFixed(1)}`;
}

/** The `number` of the first row of a query of the server's catalog. */
function inCatalog(query: string): number {
  using catalog = new DatabaseSync(join(data, "catalog.sqlite"));
  return Number(catalog.prepare(query).get()?.["number"] ?? 0);
}

/** Restarts the server when many refreshes are due. Returns a row of figures: until all have ended, with questions meanwhile. */
async function refreshesDueAtOnce(): Promise<string[]> {
  await server.kill("SIGTERM");
  inCatalog(
    `update versions set refresh_at = 1 where library_uid in (select uid from libraries order by uid limit ${dueAtOnce})`,
  );
  const started = Date.now();
  server = await startLectern(data, environment);
  const before = await processorSeconds(server.pid, { living: true });
  const times: number[] = [];
  const waiting = "select count(*) as number from versions where refresh_at = 1 or open_run is not null";
  while (inCatalog(waiting) > 0) {
    times.push(...(await answerTimes(most * (copies + 1), 20)));
    await pause(pollInterval);
  }
  return [
    String(dueAtOnce),
    ((Date.now() - started) / 1000).toFixed(0),
    (((await processorSeconds(server.pid, { living: true })) - before) / dueAtOnce).toFixed(3),
    (await residentMegabytes(server.pid, "peak")).toFixed(0),
    halfAndNearlyAll(times),
  ];
}

function halfAndNearlyAll(times: readonly number[]): string {
  return [median(times), quantile(times, 0.99)].map((time) => time.toFixed(1)).join(", ");
}

async function threads(): Promise<number> {
  return Number(/Threads:\s+(\d+)/.exec(await readFile(`/proc/${server.pid}/status`, "utf8"))?.[1]);
}

/** Runs a full garbage collection by the server's inspector: it would come by itself, but later. */
async function collectGarbage({ stderr }: LecternProcess): Promise<void> {
  // A server replaces its process once at its start, so the last address counts.
  const address = [...stderr().matchAll(/ws:\/\/127\.0\.0\.1:\d+\/[\w-]+/g)].at(-1)?.[0] ?? "";
  const socket = new WebSocket(address);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.addEventListener("open", () => socket.send(JSON.stringify({ id: 1, method: "HeapProfiler.collectGarbage" })));
  socket.addEventListener("message", () => resolve());
  socket.addEventListener("error", () => reject(new Error(`The inspector at ${address} does not answer.`)));
  await promise;
  socket.close();
}

/** When a server that is started answers, and when it has read all libraries and begins to work, in seconds. */
interface Restart {
  readonly answers: number;
  readonly works: number;
}

/** Polls `health` of a starting server until the returned function is called, when the server works. */
function watchHealth(url: string): () => Promise<Restart> {
  const start = performance.now();
  const since = (): number => (performance.now() - start) / 1000;
  const watching = (async () => {
    for (; ; await pause(5)) {
      const answered = await fetch(`${url}/api/health`).then(
        (answer) => answer.text(),
        () => undefined,
      );
      if (answered !== undefined) return since();
    }
  })();
  return async () => {
    const works = since();
    return { answers: await watching, works };
  };
}

/** Times of answers in sequence, in milliseconds. */
function answerTimes(count: number, asked = requests): Promise<readonly number[]> {
  return requestTimes(asked, (at) => {
    const query = questions[at % questions.length] ?? "";
    return `context?${new URLSearchParams({ libraryId: idOf((at * 7) % count), query }).toString()}`;
  });
}

/** Times of searches for libraries by name in sequence, in milliseconds. */
function searchTimes(): Promise<readonly number[]> {
  return requestTimes(requests, (at) => {
    const { title = "", description = "" } = libraries[(at * 7) % libraries.length] ?? {};
    return `libs/search?${new URLSearchParams({ libraryName: title, query: description }).toString()}`;
  });
}

async function requestTimes(number: number, pathOf: (at: number) => string): Promise<readonly number[]> {
  const pool = new Pool(server.url, { connections: 1 });
  const timing = await drive(1, number, async (at) => {
    const { statusCode, body } = await pool.request({ path: `/api/v2/${pathOf(at)}`, method: "GET" });
    await body.text();
    if (statusCode !== 200) throw new Error(`${pathOf(at)} was answered ${statusCode}.`);
  });
  await pool.close();
  return timing.times;
}
