/**
 * The cluster on this machine, with durable writes: what Temporal adds to a run, reads compared with the bare multi-search, and a thousand
 * libraries at once. Run it with `npm run bench:cluster`; `-- --copies 99` measures, in place of these, 100 libraries and 99 copies of each.
 */
import { availableParallelism, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { ensureDatabase } from "../dev/postgres.ts";
import { startLocalCluster } from "../dev/local-cluster.ts";
import { startGitServer } from "../../test/support/git-server.ts";
import { adminKey, startLectern, temporaryFolder } from "../../test/support/lectern-process.ts";
import { measureGrown } from "./cluster-grown.ts";
import { measureMany } from "./cluster-many.ts";
import { createDeployment, firstAnswer, type Deployment } from "./cluster-parts.ts";
import { measureReads } from "./cluster-reads.ts";
import { repositoryFiles } from "./corpus.ts";
import { median, printTable } from "./measure.ts";
import { size } from "./size.ts";

/** Repositories that are indexed with each engine. */
const rounds = size({ full: 7, small: 1 });

await using folder = await temporaryFolder();
await using own = await temporaryFolder();
const git = await startGitServer();
await using closing = new AsyncDisposableStack();
closing.defer(() => git.close());
const cluster = await startLocalCluster({
  folder: folder.path,
  env: {
    FETCH_ALLOW: git.host,
    LOG_LEVEL: "warn",
    RATE_LIMIT_READS: "1000000",
    RATE_LIMIT_SUBMISSIONS: "1000000",
  },
  apiPorts: [0, 0],
  workers: [{ WORKER_QUEUES: "main,git,crawl,load" }, { WORKER_QUEUES: "main,git,crawl,load" }],
  ui: false,
  durable: true,
});
closing.defer(() => cluster.stop());
console.log(
  `${availableParallelism()} cores for the servers, two API processes, two workers and the clients; load at the start ${(loadavg()[0] ?? 0).toFixed(1)}`,
);
const { values } = parseArgs({ options: { copies: { type: "string" } } });
const copies = values.copies ?? size({ full: undefined, small: "1" });
if (values.copies === undefined) {
  await measureOverhead();
  await measureReads({ cluster, git });
  await measureMany({ cluster, git });
}
if (copies !== undefined) await measureGrown({ cluster, git }, Number(copies));

/** Time from the POST to the first answer of a small repository, in turns with the in-process engine on the same stores. */
async function measureOverhead(): Promise<void> {
  const { env } = cluster;
  const server = await startLectern(own.path, {
    FETCH_ALLOW: git.host,
    LOG_LEVEL: "error",
    DATABASE_URL: await ensureDatabase(env["DATABASE_URL"] ?? "", "lectern_in_process"),
    MEILI_URL: env["MEILI_URL"] ?? "",
    MEILI_API_KEY: env["MEILI_API_KEY"] ?? "",
    MEILI_PREFIX: "in_process_",
  });
  const inProcess = createDeployment(server.url, adminKey);
  const temporal = createDeployment(cluster.apis[0]?.url ?? "", cluster.adminKey);
  try {
    const seconds = new Map<Deployment, number[]>([
      [inProcess, []],
      [temporal, []],
    ]);
    for (let round = 0; round <= rounds; round += 1) {
      const name = `bench/small-${round}`;
      const { url } = await git.repository(`${name}.git`, repositoryFiles(round + 1, { documents: 5, sources: 0 }));
      for (const [deployment, all] of seconds) {
        const took = await firstAnswer(deployment, url, `/${name}`);
        // The first round warms up.
        if (round > 0) all.push(took);
      }
    }
    const [local, remote] = [inProcess, temporal].map((deployment) => median(seconds.get(deployment) ?? []));
    console.log(`\nA run of a small repository (5 pages), POST to first answer, ${rounds} rounds\n`);
    printTable(
      ["in-process engine s", "Temporal s", "added s"],
      [[local, remote, (remote ?? Number.NaN) - (local ?? Number.NaN)].map((time) => (time ?? Number.NaN).toFixed(3))],
    );
  } finally {
    await Promise.all([inProcess.close(), temporal.close()]);
    await server.kill("SIGTERM");
  }
}
