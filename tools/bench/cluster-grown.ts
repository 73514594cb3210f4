import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { copyLibrariesOfCluster } from "./copied-libraries.ts";
import { createDeployment, type ClusterBench } from "./cluster-parts.ts";
import { createWriter } from "./corpus.ts";
import { drive, median, printTable, quantile, residentMegabytes, treeMegabytes } from "./measure.ts";
import { size } from "./size.ts";

const base = size({ full: 100, small: 2 });
const characters = size({ full: 220_000, small: 3000 });
const requests = size({ full: 500, small: 10 });

/**
 * Indexes libraries of a long page, copies each `copies` times in catalog and blobs, and waits until the sweeps have loaded all into the
 * index. Prints the time of that, the memory of all parts, Meilisearch's tasks, and times of answers and searches.
 */
export async function measureGrown({ cluster, git }: ClusterBench, copies: number): Promise<void> {
  const api = createDeployment(cluster.apis[0]?.url ?? "", cluster.adminKey);
  const catalog = new pg.Client({ connectionString: cluster.env["DATABASE_URL"] });
  await catalog.connect();
  try {
    const writer = createWriter(base);
    for (let at = 0; at < base; at += 1) {
      const page = writer.page(`Library ${at}`, characters);
      const { url } = await git.repository(`grown/library-${at}.git`, { "README.md": page });
      const { status, body } = await api.post("/v2/add/repo/git", {
        docsRepoUrl: url,
        libraryName: `/grown/library-${at}`,
      });
      if (status !== 200) throw new Error(`A submission was answered ${status}: ${body}`);
    }
    const waiting = async (): Promise<number> => {
      const query = "select count(*) as count from versions where open_run is not null or live_generation is null";
      const { rows } = await catalog.query<{ count: string }>(query);
      return Number(rows[0]?.count);
    };
    const unindexed = async (): Promise<number> => {
      const { rows } = await catalog.query<{ count: string }>(
        "select count(*) as count from generations where state = 'live' and unindexed_at is not null",
      );
      return Number(rows[0]?.count);
    };
    while ((await waiting()) > 0) await sleep(1000);
    await copyLibrariesOfCluster(catalog, fileURLToPath(cluster.env["BLOB_URL"] ?? ""), copies);
    const passages = await catalog.query<{ sum: string }>(
      "select sum((counts_json::json ->> 'passages')::int) as sum from generations where state = 'live'",
    );
    const start = performance.now();
    for (let left = await unindexed(); left > 0; left = await unindexed()) {
      if (process.stderr.isTTY) process.stderr.write(`${left} libraries are not loaded yet\n`);
      await sleep(2000);
    }
    const seconds = (performance.now() - start) / 1000;
    const memory = async (parts: readonly { readonly pid: number | undefined }[]): Promise<string> =>
      (await Promise.all(parts.map(({ pid = 0 }) => residentMegabytes(pid, "now"))))
        .map((mb) => mb.toFixed(0))
        .join(", ");
    const { postgres, temporal, meilisearch } = cluster.servers;
    const stats = await fetch(`${cluster.env["MEILI_URL"]}/tasks?limit=1`, {
      headers: { authorization: `Bearer ${cluster.env["MEILI_API_KEY"]}` },
    });
    const { total } = (await stats.json()) as { total: number };
    const timesOf = async (pathOf: (at: number) => string): Promise<string> => {
      const { times } = await drive(1, requests, async (at) => {
        const { status, body } = await api.get(pathOf(at));
        if (status !== 200) throw new Error(`${pathOf(at)} was answered ${status}: ${body}`);
      });
      return [median(times), quantile(times, 0.99)].map((time) => time.toFixed(1)).join(", ");
    };
    const nameOf = (at: number): string => {
      const copy = (at * 7) % (copies + 1);
      return `library-${at % base}${copy === 0 ? "" : `-${copy}`}`;
    };
    const answers = await timesOf(
      (at) =>
        `/v2/context?${new URLSearchParams({ libraryId: `/grown/${nameOf(at)}`, query: writer.question(6) }).toString()}`,
    );
    const searches = await timesOf(
      (at) =>
        `/v2/libs/search?${new URLSearchParams({ libraryName: nameOf(at), query: writer.question(3) }).toString()}`,
    );
    console.log("\nLibraries that were copied, and loaded into the index by sweeps\n");
    printTable(
      ["libraries", "passages", "s to load", "Meilisearch's tasks", "answer p50, p99 ms", "search p50, p99 ms"],
      [
        [
          String(base * (copies + 1)),
          String(passages.rows[0]?.sum),
          seconds.toFixed(0),
          String(total),
          answers,
          searches,
        ],
      ],
    );
    console.log("\nMemory afterwards, in MB\n");
    printTable(
      ["APIs", "workers", "Temporal", "Meilisearch", "PostgreSQL"],
      [
        [
          await memory(cluster.apis),
          await memory(cluster.workers),
          await memory(temporal ? [temporal] : []),
          await memory(meilisearch ? [meilisearch] : []),
          (await treeMegabytes(postgres?.pid ?? 0)).toFixed(0),
        ],
      ],
    );
  } finally {
    await api.close();
    await catalog.end();
  }
}
