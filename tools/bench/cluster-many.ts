import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import type { Part } from "../dev/local-cluster.ts";
import { createDeployment } from "./cluster-parts.ts";
import type { ClusterBench, Deployment } from "./cluster-parts.ts";
import { createWriter } from "./corpus.ts";
import { drive, printTable, processorSeconds, residentMegabytes } from "./measure.ts";

/** Submissions that the client has under way. */
const clients = 32;

/**
 * For each of the counts, submits that number of libraries of one page at once and waits until all can be read. A submission
 * that is refused for the moment (429, 503) is sent again, as a client would.
 * @throws Error where a library is not finalized, or was indexed twice
 */
export async function measureMany({ cluster, git }: ClusterBench, counts: readonly number[]): Promise<void> {
  const catalog = new pg.Client({ connectionString: cluster.env["DATABASE_URL"] });
  await catalog.connect();
  const apis = cluster.apis.map(({ url }) => createDeployment(url, cluster.adminKey, clients));
  const blobs = join(fileURLToPath(cluster.env["BLOB_URL"] ?? ""), "generations");
  const rows: string[][] = [];
  const memory: string[][] = [];
  const costs: string[][] = [];
  const processes = [...cluster.apis, ...cluster.workers];
  const pidsOf = (parts: readonly (Part | undefined)[]): number[] => parts.map((part) => part?.pid ?? 0);
  const groups: readonly (readonly number[])[] = [
    pidsOf(cluster.apis),
    pidsOf(cluster.workers),
    ...["temporal", "postgres", "meilisearch"].map((name) => pidsOf([cluster.servers[name]])),
    [process.pid],
  ];
  const spent = (): Promise<number[]> =>
    Promise.all(
      groups.map(async (pids) => {
        // The cluster's processes are children of this one.
        const each = pids.map((pid) => processorSeconds(pid, { living: pid !== process.pid }));
        return (await Promise.all(each)).reduce((sum, one) => sum + one, 0);
      }),
    );
  try {
    for (const count of counts) {
      const writer = createWriter(count);
      const names = Array.from({ length: count }, (_, at) => `many-${count}/library-${at}`);
      const urls: string[] = [];
      await drive(4, count, async (at) => {
        // Some code is in each, as a page of prose that says little is refused.
        const page = `${writer.page(`Library ${at}`, 3000)}## Install\n\n\`\`\`sh\nnpm install library-${at}\n\`\`\`\n`;
        urls[at] = (await git.repository(`${names[at]}.git`, { "README.md": page })).url;
      });
      const before = (await readdir(blobs).catch(() => [])).length;
      const spentBefore = await spent();
      const start = performance.now();
      const submitting = submitAll(apis, names, urls);
      const marks = await watch(catalog, `/many-${count}/`, count, processes);
      const seconds = (performance.now() - start) / 1000;
      await submitting;
      const spentAfter = await spent();
      const perLibrary = spentAfter.map((total, at) => ((total - (spentBefore[at] ?? 0)) * 1000) / count);
      const sum = perLibrary.reduce((all, one) => all + one, 0);
      costs.push([String(count), ...[...perLibrary, sum].map((cost) => cost.toFixed(0))]);
      const tally = await tallyOf(catalog, `/many-${count}/`);
      const generations = (await readdir(blobs)).length - before;
      if (tally.live !== count || tally.runs !== count || generations !== count)
        throw new Error(`${count} libraries were submitted: ${JSON.stringify({ ...tally, generations })}.`);
      rows.push([
        String(count),
        seconds.toFixed(1),
        (seconds / count).toFixed(3),
        ...marks.map(({ seconds: at }) => at.toFixed(1)),
      ]);
      for (const [at, { name }] of processes.entries())
        memory.push([String(count), name, ...marks.map(({ megabytes }) => (megabytes[at] ?? Number.NaN).toFixed(0))]);
    }
  } finally {
    console.log(
      `\nLibraries of one page, submitted at once by ${clients} clients to ${cluster.workers.length} workers;`,
    );
    console.log("of those in the table all are finalized, each by one run that made one generation\n");
    printTable(["libraries", "s in all", "s a library", "s to 10 %", "50 %", "100 %"], rows);
    console.log("\nProcessor time a library in ms\n");
    const head = [
      "APIs",
      "workers and git",
      "Temporal",
      "PostgreSQL",
      "Meilisearch",
      "clients and Git server",
      "in all",
    ];
    printTable(["libraries", ...head], costs);
    console.log("\nResident memory in MB by libraries done\n");
    printTable(["libraries", "process", "10 %", "50 %", "100 %"], memory);
    await Promise.all(apis.map((api) => api.close()));
    await catalog.end();
  }
}

async function submitAll(
  apis: readonly Deployment[],
  names: readonly string[],
  urls: readonly string[],
): Promise<void> {
  await drive(clients, names.length, async (at) => {
    const name = names[at];
    const api = apis[at % apis.length];
    for (let tries = 1; ; tries += 1) {
      const answer = await api?.post("/v2/add/repo/git", { docsRepoUrl: urls[at], libraryName: `/${name}` });
      if (answer?.status === 200) return;
      // One that was answered 503 may have been taken in all the same.
      if (answer?.status === 409 && tries > 1) return;
      if (answer?.status !== 429 && answer?.status !== 503)
        throw new Error(`The submission of ${name} was answered ${answer?.status}: ${answer?.body}`);
      await sleep(1000);
    }
  });
}

interface Mark {
  readonly seconds: number;
  /** Of each process. */
  readonly megabytes: readonly number[];
}

/** Waits until no run of these libraries is open, and notes time and memory at 10, 50 and 100 %. */
async function watch(
  catalog: pg.Client,
  prefix: string,
  count: number,
  processes: readonly Part[],
): Promise<readonly Mark[]> {
  const start = performance.now();
  const marks: Mark[] = [];
  for (const share of [0.1, 0.5, 1]) {
    for (;;) {
      const { failed, closed } = await tallyOf(catalog, prefix);
      if (failed !== null) throw new Error(`Not every run ended published: ${failed}`);
      if (closed >= share * count) break;
      await sleep(200);
    }
    const seconds = (performance.now() - start) / 1000;
    const megabytes = await Promise.all(processes.map(({ pid = 0 }) => residentMegabytes(pid, "now")));
    marks.push({ seconds, megabytes });
  }
  return marks;
}

/** Libraries that can be read, and runs, of IDs that begin like this; and what became of runs that are not published. */
async function tallyOf(
  catalog: pg.Client,
  prefix: string,
): Promise<{ live: number; runs: number; closed: number; failed: string | null }> {
  const { rows } = await catalog.query<{ live: string; runs: string; closed: string; failed: string | null }>(
    `select count(distinct v.library_uid) filter (where v.live_generation is not null) as live, count(r.id) as runs,
       count(r.id) filter (where r.closed_at is not null) as closed,
       string_agg(l.id || ' ' || r.outcome || ' ' || coalesce(r.failure_json, ''), ', ')
         filter (where r.outcome <> 'published') as failed
     from libraries l join versions v on v.library_uid = l.uid left join runs r on r.library_uid = l.uid
     where l.folded_id like $1 || '%'`,
    [prefix],
  );
  const [{ live, runs, closed, failed } = { live: 0, runs: 0, closed: 0, failed: null }] = rows;
  return { live: Number(live), runs: Number(runs), closed: Number(closed), failed };
}
