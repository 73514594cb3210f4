import { join } from "node:path";
import { ensureDatabase } from "../dev/postgres.ts";
import { adminKey, startLectern } from "../../test/support/lectern-process.ts";
import { createDeployment, firstAnswer } from "./cluster-parts.ts";
import type { ClusterBench, Deployment } from "./cluster-parts.ts";
import { repositoryFiles } from "./corpus.ts";
import { median, printTable, quantile } from "./measure.ts";

/**
 * From the POST to the first answer of a small repository, with the engines and stores taking turns: the embedded
 * program; the same engine on PostgreSQL and Meilisearch, so that the last row differs from it by Temporal alone.
 */
export async function measureOverhead({ cluster, git, folder }: ClusterBench, rounds: number): Promise<void> {
  const { env } = cluster;
  const database = await ensureDatabase(env["DATABASE_URL"] ?? "", "lectern_in_process");
  const own = { FETCH_ALLOW: git.host, LOG_LEVEL: "error" };
  const stores = {
    DATABASE_URL: database,
    MEILI_URL: env["MEILI_URL"] ?? "",
    MEILI_API_KEY: env["MEILI_API_KEY"] ?? "",
    MEILI_PREFIX: "in_process_",
  };
  const embedded = await startLectern(join(folder, "embedded"), own);
  const inProcess = await startLectern(join(folder, "in-process"), { ...own, ...stores });
  const targets: readonly (readonly [string, Deployment])[] = [
    ["in-process engine, SQLite", createDeployment(embedded.url, adminKey)],
    ["in-process engine, PostgreSQL and Meilisearch", createDeployment(inProcess.url, adminKey)],
    ["Temporal, PostgreSQL and Meilisearch", createDeployment(cluster.apis[0]?.url ?? "", cluster.adminKey)],
  ];
  try {
    const seconds = new Map<string, number[]>(targets.map(([name]) => [name, []]));
    for (let round = 0; round <= rounds; round += 1) {
      const name = `bench/small-${round}`;
      const { url } = await git.repository(`${name}.git`, repositoryFiles(round + 1, { documents: 5, sources: 0 }));
      for (const [target, deployment] of targets) {
        const took = await firstAnswer(deployment, url, `/${name}`);
        // The first round warms up.
        if (round > 0) seconds.get(target)?.push(took);
      }
    }
    const local = median(seconds.get(targets[1]?.[0] ?? "") ?? []);
    console.log(`\nA run of a small repository (5 pages), POST to first answer, ${rounds} rounds in turns\n`);
    printTable(
      ["", "median s", "p90 s", "over the in-process engine on the same stores"],
      [...seconds].map(([name, all]) => [
        name,
        median(all).toFixed(3),
        quantile(all, 0.9).toFixed(3),
        (median(all) - local).toFixed(3),
      ]),
    );
  } finally {
    await Promise.all(targets.map(([, deployment]) => deployment.close()));
    await Promise.all([embedded.kill("SIGTERM"), inProcess.kill("SIGTERM")]);
  }
}
