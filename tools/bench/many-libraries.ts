/**
 * Costs of thousands of small libraries for a server that has indexed them itself: folders of one page, or with `-- --source git` Git
 * repositories of eight, submitted over HTTP, 16 at a time. After 500 and after 5,000 it prints the processor time of the server and its
 * children for each, threads and memory of the process, the time of an answer and of a restart. Run it with `npm run bench:many-libraries`;
 * `-- --counts 300,5000` for other numbers.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Pool } from "undici";
import { startLectern, temporaryFolder, type LecternProcess } from "../../test/support/lectern-process.ts";
import { startGitServer } from "../../test/support/git-server.ts";
import { createWriter } from "./corpus.ts";
import { createLibraries } from "./library-corpus.ts";
import { drive, median, printTable, processorSeconds, quantile, residentMegabytes } from "./measure.ts";
import { size } from "./size.ts";

const { values } = parseArgs({
  options: {
    counts: { type: "string", default: size({ full: "500,5000", small: "4,8" }) },
    source: { type: "string", default: "folder" },
  },
});
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
const libraries = createLibraries(Math.max(...counts));
const writer = createWriter(11);
const questions = Array.from({ length: 200 }, () => writer.question(6));
const gitHost = isGit ? await startGitServer() : undefined;
for (const [at, { title }] of libraries.entries()) {
  const readme = `${writer.page(title, 3000)}## Install\n\n\`\`\`sh\nnpm install library-${at}\n\`\`\`\n`;
  if (gitHost !== undefined) {
    const others = Array.from({ length: 7 }, (_, page) => [`docs/page-${page}.md`, writer.page(title, 3000)]);
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
  const busy = await threads();
  await pause(settling);
  await collectGarbage(server);
  const memory = [await residentMegabytes(server.pid, "peak"), await residentMegabytes(server.pid, "now")];
  const resting = await threads();
  const answers = await answerTimes(count);
  const restarted: Restart[] = [];
  for (let number = 0; number < restarts; number += 1) {
    await server.kill("SIGTERM");
    const watching = watchHealth(server.url);
    server = await startLectern(data, { ...environment, PORT: new URL(server.url).port });
    restarted.push(await watching());
  }
  rows.push([
    String(count),
    cpu.toFixed(3),
    `${busy}, ${resting}`,
    memory.map((megabytes) => megabytes.toFixed(0)).join(", "),
    [median(answers), quantile(answers, 0.99)].map((time) => time.toFixed(1)).join(", "),
    [restarted.map((one) => one.answers), restarted.map((one) => one.works)]
      .map((times) => median(times).toFixed(1))
      .join(", "),
  ]);
}
await server.kill("SIGTERM");
await gitHost?.close();
console.log(
  `${isGit ? "Git repositories of eight pages" : "Folders of one page"}, ${submitters} submitted at a time\n`,
);
printTable(
  [
    "libraries",
    "CPU s each",
    "threads at once, later",
    "MB at most, later",
    "answer p50, p99 ms",
    "restart: answers, works after s",
  ],
  rows,
);

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

/** The ID of a library, in the namespace of its kind of source. */
function idOf(at: number): string {
  return `/${isGit ? "team" : "docs"}/library-${at}`;
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
async function answerTimes(count: number): Promise<readonly number[]> {
  const pool = new Pool(server.url, { connections: 1 });
  const timing = await drive(1, requests, async (at) => {
    const query = questions[at % questions.length] ?? "";
    const path = `/api/v2/context?${new URLSearchParams({ libraryId: idOf((at * 7) % count), query }).toString()}`;
    const { statusCode, body } = await pool.request({ path, method: "GET" });
    await body.text();
    if (statusCode !== 200) throw new Error(`A question was answered ${statusCode}.`);
  });
  await pool.close();
  return timing.times;
}
