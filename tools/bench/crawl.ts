/**
 * Time of a generated site from its submission until it can be read, politeness off, compared with `wget -r` of it and with parsing its pages
 * on as many threads, all in one run; then the processor time of a refresh of the unchanged site, compared with that of the crawl. Run it with
 * `npm run bench:crawl`.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { startLectern, temporaryFolder } from "../../test/support/lectern-process.ts";
import { median, printTable, processorSeconds, watchMemory } from "./measure.ts";
import { size } from "./size.ts";

const pages = size({ full: 2000, small: 20 });
const runs = size({ full: 3, small: 1 });
const threads = 2;

/** Seconds of a crawl, processor time of the server for it and for a refresh, and peak memory. */
interface Crawled {
  readonly crawl: number;
  readonly processor: number;
  readonly refresh: number;
  readonly megabytes: number;
}

/** Fields of a library's status that are used here. */
interface Status {
  readonly live?: { readonly counts: { readonly pages: number } };
  readonly runs: readonly { readonly closedAt: string | null }[];
}

await using folder = await temporaryFolder();
const site = spawn(process.execPath, [join(import.meta.dirname, "crawl-site.ts"), String(pages)], {
  stdio: ["ignore", "pipe", "inherit"],
});
const [port] = (await once(site.stdout, "data")) as [Buffer];
const websiteUrl = `http://127.0.0.1:${Number(String(port))}/docs/`;
const measured: (Crawled & { wget: number; parse: number })[] = [];
for (let run = 0; run < runs; run += 1) {
  const copy = join(folder.path, `${run}`);
  const start = performance.now();
  await promisify(execFile)("wget", ["-r", "-q", "-l", "100", "-P", copy, websiteUrl]);
  const wget = (performance.now() - start) / 1000;
  const files = (await readdir(copy, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  if (files.length !== pages) throw new Error(`wget has ${files.length} of ${pages} pages.`);
  const parse = await parseBare(files.map(({ parentPath, name }) => join(parentPath, name)));
  measured.push({ wget, parse, ...(await crawl(join(folder.path, `data-${run}`))) });
}
site.kill();
const of = (key: keyof (typeof measured)[number]): number => median(measured.map((row) => row[key]));
const columns = {
  pages: String(pages),
  "crawl s": of("crawl").toFixed(1),
  "pages/s": (pages / of("crawl")).toFixed(0),
  "peak MB": of("megabytes").toFixed(0),
  "wget -r s": of("wget").toFixed(1),
  "bare parsing s": of("parse").toFixed(1),
  "crawl / slower": (of("crawl") / Math.max(of("wget"), of("parse"))).toFixed(2),
  "refresh / first, processor": (of("refresh") / of("processor")).toFixed(2),
};
printTable(Object.keys(columns), [Object.values(columns)]);

/** Submits the site to a fresh server and waits; then refreshes it. */
async function crawl(data: string): Promise<Crawled> {
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
  const start = performance.now();
  await server.call("POST", "/v2/add/website", { websiteUrl, libraryName, maxPages: pages, maxDepth: 100 });
  const { live, runs: ended } = await finished();
  const seconds = (performance.now() - start) / 1000;
  if (live?.counts.pages !== pages)
    throw new Error(`${live?.counts.pages} of ${pages} pages were indexed: ${JSON.stringify(ended[0])}`);
  const before = await processorSeconds(server.pid);
  await server.call("POST", "/v1/refresh", { libraryName });
  await finished();
  const refresh = (await processorSeconds(server.pid)) - before;
  const megabytes = await memory();
  await server.kill("SIGTERM");
  return { crawl: seconds, processor: before - idle, refresh, megabytes };
}

/** Parses files on threads, each once. Returns seconds. */
async function parseBare(files: readonly string[]): Promise<number> {
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  const code = `
    const { workerData } = require("node:worker_threads");
    import("htmlparser2").then(({ parseDocument }) => { for (const text of workerData) parseDocument(text); });`;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: threads }, async (_, thread) => {
      const own = texts.filter((_text, at) => at % threads === thread);
      await once(new Worker(code, { eval: true, workerData: own }), "exit");
    }),
  );
  return (performance.now() - start) / 1000;
}
