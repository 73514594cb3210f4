/**
 * Measures how long a generated site takes from its submission until it can be read, politeness off, compared with `wget -r` of it and with
 * bare parsing of its pages by the same parser on as many threads, all in one run; then the server's processor time for a refresh of the
 * unchanged site, compared with that of the crawl; and pages that need a browser. Run it with `npm run bench:crawl`; `-- --pages 500` for another size,
 * `-- --browser 100` for pages of scripts (they need Chromium).
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs, promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { startLectern, temporaryFolder } from "../../test/support/lectern-process.ts";
import { median, printTable, processorSeconds, watchMemory } from "./measure.ts";
import { size } from "./size.ts";

const run = promisify(execFile);
const { values } = parseArgs({
  options: {
    pages: { type: "string", default: size({ full: "2000", small: "20" }) },
    runs: { type: "string", default: size({ full: "3", small: "1" }) },
    browser: { type: "string", default: "0" },
  },
});
const [pages, runs, rendered] = [Number(values.pages), Number(values.runs), Number(values.browser)];
const threads = 2;

/** Seconds of a crawl, processor time of the server for it and for a refresh, and the most memory that it had. */
interface Crawled {
  readonly crawl: number;
  readonly processor: number;
  readonly again: number;
  readonly megabytes: number;
}

/** The part of a library's status that is read. */
interface Status {
  readonly live?: { readonly counts: { readonly pages: number } };
  readonly runs: readonly { readonly closedAt: string | null }[];
}

/** Starts a site in its own process. */
async function startSite(...args: readonly string[]): Promise<{ port: number; bytes: number; stop: () => void }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "crawl-site.ts"), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return { ...(JSON.parse(String(line)) as { port: number; bytes: number }), stop: () => void child.kill() };
}

await using folder = await temporaryFolder();
const site = await startSite(String(pages));
const rows: (Crawled & { wget: number; parse: number })[] = [];
for (let number = 0; number < runs; number += 1) {
  const at = join(folder.path, `${number}`);
  const started = performance.now();
  await run("wget", ["-r", "-q", "-l", "100", "-P", at, `http://127.0.0.1:${site.port}/docs/`]);
  const wget = (performance.now() - started) / 1000;
  const files = (await readdir(at, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  if (files.length !== pages) throw new Error(`wget has ${files.length} of ${pages} pages.`);
  const parse = await parseBare(files.map(({ parentPath, name }) => join(parentPath, name)));
  rows.push({ wget, parse, ...(await crawl(site.port, pages, join(folder.path, `data-${number}`))) });
}
site.stop();
const of = (key: keyof (typeof rows)[number]): number => median(rows.map((row) => row[key]));
const slower = Math.max(of("wget"), of("parse"));
const columns = {
  pages: String(pages),
  MB: (site.bytes / 1e6).toFixed(0),
  "crawl s": of("crawl").toFixed(1),
  "pages/s": (pages / of("crawl")).toFixed(0),
  "peak MB": of("megabytes").toFixed(0),
  "wget -r s": of("wget").toFixed(1),
  "bare parsing s": of("parse").toFixed(1),
  "crawl / slower": (of("crawl") / slower).toFixed(2),
  "processor s": of("processor").toFixed(1),
  "processor s again": of("again").toFixed(1),
  "again / first": (of("again") / of("processor")).toFixed(2),
};
printTable(Object.keys(columns), [Object.values(columns)]);
if (rendered > 0) {
  const scripted = await startSite(String(rendered), "scripts");
  const { crawl: seconds, megabytes } = await crawl(scripted.port, rendered, join(folder.path, "rendered"));
  scripted.stop();
  console.log(
    `\n${rendered} pages by a browser: ${seconds.toFixed(1)} s, ${(rendered / seconds).toFixed(1)} pages/s, peak ${megabytes.toFixed(0)} MB with Chromium`,
  );
}

/** Submits the site to its own server and waits; then refreshes it. */
async function crawl(port: number, count: number, data: string): Promise<Crawled> {
  const server = await startLectern(data, {
    FETCH_ALLOW: "127.0.0.1",
    HOST_INTERVAL: "0",
    MAX_TOKENS: "100000000",
    LOG_LEVEL: "error",
    PARSE_THREADS: String(threads),
  });
  const memory = watchMemory(server.pid);
  const libraryName = "/websites/bench";
  const finished = async (): Promise<Status> => {
    for (;;) {
      await pause(50);
      const { body } = await server.call("GET", `/v2/libs/status?libraryId=${libraryName}`);
      if ((body as Status).runs[0]?.closedAt) return body as Status;
    }
  };
  const idle = await processorSeconds(server.pid);
  const started = performance.now();
  const websiteUrl = `http://127.0.0.1:${port}/docs/`;
  await server.call("POST", "/v2/add/website", { websiteUrl, libraryName, maxPages: count, maxDepth: 100 });
  const { live, runs: ended } = await finished();
  const first = (performance.now() - started) / 1000;
  if (live?.counts.pages !== count)
    throw new Error(`${live?.counts.pages} of ${count} pages were indexed: ${JSON.stringify(ended[0])}`);
  const before = await processorSeconds(server.pid);
  await server.call("POST", "/v1/refresh", { libraryName });
  await finished();
  const again = (await processorSeconds(server.pid)) - before;
  const megabytes = await memory();
  await server.kill("SIGTERM");
  return { crawl: first, processor: before - idle, again, megabytes };
}

/** Parses files on threads, each once, and answers the seconds that took. */
async function parseBare(files: readonly string[]): Promise<number> {
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  const code = `
    const { workerData } = require("node:worker_threads");
    import("htmlparser2").then(({ parseDocument }) => { for (const text of workerData) parseDocument(text); });`;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: threads }, async (_, thread) => {
      const own = texts.filter((_text, at) => at % threads === thread);
      await once(new Worker(code, { eval: true, workerData: own }), "exit");
    }),
  );
  return (performance.now() - started) / 1000;
}
