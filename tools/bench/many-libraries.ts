/**
 * What thousands of small libraries cost a server that has indexed them itself: folders of one page, or with `-- --source git` Git
 * repositories of eight, submitted over HTTP, 16 at a time, each through a whole run. After 500 and after 5,000 it prints the processor
 * time of the server and its children for each, the longest turns of its event loop meanwhile, threads and memory of the process, how
 * long a search, an answer and a restart take, and the longest answer of `health` while the first sweep looks at all of them. The Git
 * host is in the benchmark's own process. Run it with `npm run bench:many-libraries`; `-- --counts 100,200` for other numbers,
 * `-- --snapshots <folder>` writes a heap snapshot at each.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Pool } from "undici";
import { startLectern, temporaryFolder } from "../../test/support/lectern-process.ts";
import type { LecternProcess } from "../../test/support/lectern-process.ts";
import { startGitServer } from "../../test/support/git-server.ts";
import { createWriter } from "./corpus.ts";
import { inspect, inspected } from "./inspector.ts";
import { createLibraries } from "./library-corpus.ts";
import { drive, median, printTable, processorSeconds, quantile, residentMegabytes } from "./measure.ts";
import { size } from "./size.ts";

const { values } = parseArgs({
  options: {
    counts: { type: "string", default: size({ full: "500,5000", small: "4,8" }) },
    snapshots: { type: "string" },
    source: { type: "string", default: "folder" },
  },
});
const isGit = values.source === "git";
const counts = values.counts.split(",").map(Number);
const submitters = 16;
/** Milliseconds between two looks whether a library can be read: looking must not cost more than indexing. */
const lookEvery = size({ full: 500, small: 40 });
const requests = size({ full: 1000, small: 20 });
const restarts = size({ full: 3, small: 1 });
/** Until threads that have nothing to do have ended, and what they held is returned, in milliseconds. */
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
  ...inspected,
  FOLDER_ROOTS: sources,
  LOG_LEVEL: "error",
  ...(gitHost && { FETCH_ALLOW: gitHost.host }),
};
let server = await startLectern(data, environment);
const rows: string[][] = [];
let done = 0;
for (const count of counts) {
  const inspector = await inspect(server);
  const before = await processorSeconds(server.pid, { living: true });
  const added = count - done;
  await inspector.turns();
  const { seconds } = await drive(submitters, added, async (at) => submit(server, done + at));
  const turns = await inspector.turns();
  const cpu = ((await processorSeconds(server.pid, { living: true })) - before) / added;
  done = count;
  const busy = await threads(server.pid);
  await pause(settling);
  // What the garbage collector gives back here would come back by itself, only later.
  const heap = await inspector.heapMegabytes();
  if (values.snapshots !== undefined) await inspector.snapshot(join(values.snapshots, `${count}.heapsnapshot`));
  const memory = [await residentMegabytes(server.pid, "peak"), await residentMegabytes(server.pid, "now"), heap];
  const resting = await threads(server.pid);
  const some = libraries.slice(0, count);
  const searched = await times(server, (at) => {
    const { title, description } = some[(at * 7) % count] ?? { title: "", description: "" };
    return `/api/v2/libs/search?${new URLSearchParams({ libraryName: title, query: description }).toString()}`;
  });
  const answered = await times(server, (at) => {
    const query = questions[at % questions.length] ?? "";
    return `/api/v2/context?${new URLSearchParams({ libraryId: idOf((at * 7) % count), query }).toString()}`;
  });
  inspector.close();
  const restarted: Restart[] = [];
  for (let number = 0; number < restarts; number += 1) {
    await server.kill("SIGTERM");
    const watching = watchHealth(server.url);
    const port = new URL(server.url).port;
    server = await startLectern(data, { ...environment, PORT: port });
    restarted.push(await watching());
  }
  const restart = (key: keyof Restart): number => median(restarted.map((one) => one[key]));
  rows.push([
    String(count),
    (seconds / added).toFixed(3),
    cpu.toFixed(3),
    [turns.longest, turns.p999].map((milliseconds) => milliseconds.toFixed(0)).join(", "),
    `${busy}, ${resting}`,
    ...memory.map((megabytes) => megabytes.toFixed(0)),
    ...[searched, answered].map((all) => `${median(all).toFixed(1)}, ${quantile(all, 0.99).toFixed(1)}`),
    `${restart("answers").toFixed(1)}, ${restart("works").toFixed(1)}`,
    restart("slowest").toFixed(0),
  ]);
}
await server.kill("SIGTERM");
await gitHost?.close();
console.log(
  `${isGit ? "Git repositories of eight pages" : "Folders of one page"}, ${submitters} submitted at a time; ${requests} searches and answers, one at a time\n`,
);
printTable(
  [
    "libraries",
    "s each",
    "CPU s each",
    "longest turn, 99.9 % ms",
    "threads at once, later",
    "peak MB",
    "MB",
    "heap MB",
    "search p50, p99 ms",
    "answer p50, p99 ms",
    "restart: answers, works after s",
    "health ms at most between",
  ],
  rows,
);

/** Submits a library and waits until it can be read. */
async function submit(to: LecternProcess, at: number): Promise<void> {
  const { title = "", description = "" } = libraries[at] ?? {};
  const id = idOf(at);
  const [route, where] = gitHost
    ? ["/v2/add/repo/git", { docsRepoUrl: `${gitHost.url}${id}` }]
    : ["/v2/add/folder", { path: join(sources, String(at)) }];
  const { status, body } = await to.call("POST", route, { ...where, title, description, libraryName: id });
  if (status !== 200) throw new Error(`The submission of ${id} was answered ${status}: ${JSON.stringify(body)}`);
  const { live } = await to.settled(id, lookEvery);
  if (!live) throw new Error(`${id} was not indexed.`);
}

/** The ID of a library, as its kind of source wants it. */
function idOf(at: number): string {
  return `/${isGit ? "team" : "docs"}/library-${at}`;
}

async function threads(pid: number): Promise<number> {
  return Number(/Threads:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1]);
}

/** When a server answers that is started, when it has looked at all libraries and begins to work, and the longest answer between, in milliseconds. */
interface Restart {
  readonly answers: number;
  readonly works: number;
  readonly slowest: number;
}

/** Asks a server that is being started for `health` until it is told that it works. */
function watchHealth(url: string): () => Promise<Restart> {
  const start = performance.now();
  const since = (): number => (performance.now() - start) / 1000;
  let [answers, slowest, works] = [Number.NaN, 0, Number.NaN];
  const watching = (async () => {
    for (; Number.isNaN(works); await pause(5)) {
      const begin = performance.now();
      const answered = await fetch(`${url}/api/health`).then(
        (answer) => answer.text(),
        () => undefined,
      );
      if (answered === undefined) continue;
      if (Number.isNaN(answers)) answers = since();
      else slowest = Math.max(slowest, performance.now() - begin);
    }
  })();
  return async () => {
    works = since();
    await watching;
    return { answers, works, slowest };
  };
}

/** How long requests take, one after the other, in milliseconds. */
async function times(from: LecternProcess, pathOf: (at: number) => string): Promise<readonly number[]> {
  const pool = new Pool(from.url, { connections: 1 });
  const timing = await drive(1, requests, async (at) => {
    const { statusCode, body } = await pool.request({ path: pathOf(at), method: "GET" });
    await body.text();
    if (statusCode !== 200) throw new Error(`A request was answered ${statusCode}.`);
  });
  await pool.close();
  return timing.times;
}
