import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { copyLibrariesOfCluster } from "./copied-libraries.ts";
import { createDeployment, type ClusterBench } from "./cluster-parts.ts";
import { createWriter } from "./corpus.ts";
import { drive, median, printTable, quantile, treeMegabytes } from "./measure.ts";
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
  const number = async (query: string): Promise<number> => {
    const { rows } = await catalog.query<{ number: string }>(query);
    return Number(rows[0]?.number);
  };
  const untilNone = async (query: string): Promise<void> => {
    while ((await number(query)) > 0) await sleep(1000);
  };
  try {
    const writer = createWriter(base);
    for (let at = 0; at < base; at += 1) {
      const page = writer.page(`Library ${at}`, characters);
      const { url } = await git.repository(`grown/library-${at}.git`, { "README.md": page });
      const { status, body } = await api.post("/v2/add/repo/git", { docsRepoUrl: url, libraryName: idOf(at) });
      if (status !== 200) throw new Error(`A submission was answered ${status}: ${body}`);
    }
    await untilNone("select count(*) as number from versions where open_run is not null or live_generation is null");
    await copyLibrariesOfCluster(catalog, fileURLToPath(cluster.env["BLOB_URL"] ?? ""), copies);
    const passages = await number(
      "select sum((counts_json::json ->> 'passages')::int) as number from generations where state = 'live'",
    );
    const start = performance.now();
    await untilNone(`select count(*) as number from generations where state = 'live' and unindexed_at is not null`);
    const seconds = (performance.now() - start) / 1000;

    const timesOf = async (pathOf: (id: string) => string): Promise<string> => {
      const { times } = await drive(1, requests, async (at) => {
        const path = pathOf(idOf(at % base, (at * 7) % (copies + 1)));
        const { status, body } = await api.get(path);
        if (status !== 200) throw new Error(`${path} was answered ${status}: ${body}`);
      });
      return [median(times), quantile(times, 0.99)].map((time) => time.toFixed(1)).join(", ");
    };
    const answers = await timesOf((libraryId) => `/v2/context?${parameters({ libraryId, query: writer.question(6) })}`);
    const searches = await timesOf(
      (libraryName) => `/v2/libs/search?${parameters({ libraryName, query: writer.question(3) })}`,
    );
    console.log("\nLibraries that were copied, and loaded into the index by sweeps\n");
    printTable(
      ["libraries", "passages", "s to load", "Meilisearch's tasks", "answer p50, p99 ms", "search p50, p99 ms"],
      [[base * (copies + 1), passages, seconds.toFixed(0), await tasksOf(cluster), answers, searches].map(String)],
    );
    const { postgres, temporal, meilisearch } = cluster.servers;
    const memory = [cluster.apis, cluster.workers, [temporal], [meilisearch], [postgres]].map(async (parts) =>
      (await Promise.all(parts.map((part) => treeMegabytes(part?.pid ?? 0)))).map((each) => each.toFixed(0)).join(", "),
    );
    console.log("\nMemory afterwards with child processes, in MB\n");
    printTable(["APIs", "workers", "Temporal", "Meilisearch", "PostgreSQL"], [await Promise.all(memory)]);
  } finally {
    await api.close();
    await catalog.end();
  }
}

/** The ID of a library or copy. */
function idOf(at: number, copy = 0): string {
  return `/grown/library-${at}${copy === 0 ? "" : `-${copy}`}`;
}

function parameters(values: Record<string, string>): string {
  return new URLSearchParams(values).toString();
}

/** The number of tasks that Meilisearch has had. */
async function tasksOf({ env }: ClusterBench["cluster"]): Promise<number> {
  const headers = { authorization: `Bearer ${env["MEILI_API_KEY"]}` };
  const answer = await fetch(`${env["MEILI_URL"]}/tasks?limit=1`, { headers });
  return ((await answer.json()) as { total: number }).total;
}
