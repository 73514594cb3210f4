import { reindex } from "../activities/reindex.ts";
import { loadConfig, type Config } from "./config.ts";
import { compose, type ComposeOptions } from "./compose.ts";
import { openDataFolder } from "./data-folder.ts";
import { openLog } from "./log.ts";
import { prepareServers } from "./server-setup.ts";
import { isCluster } from "./stores.ts";

/**
 * `lectern reindex`: prepares the index and opens a run for every live generation that it lacks. Reads no sources. The workers of a cluster
 * execute the runs; without a cluster, the data folder must be free, and its next start executes them.
 */
export async function run(): Promise<void> {
  const config = loadConfig(process.env);
  const log = openLog("warn", { sync: true });
  await using closing = new AsyncDisposableStack();
  const data = isCluster(config) ? null : await openDataFolder(config.dataDir);
  closing.defer(() => data?.close());
  await prepareServers(config, log);
  const problems = await reindexAll(config, { dataFolder: data?.path ?? null, name: "lectern reindex", log });
  if (problems > 0) process.exitCode = 1;
}

/** Opens runs for everything that the index lacks, and prints a summary. Returns the number of problems. */
export async function reindexAll(config: Config, options: ComposeOptions): Promise<number> {
  await using closing = new AsyncDisposableStack();
  const lectern = await compose(config, options);
  closing.defer(lectern.close);
  const { live, restored, busy, lost, announced, problems } = await reindex(lectern.sweepPorts);
  console.log(`${live} live generations: ${restored} are being loaded again, ${announced} entries were restored.`);
  if (busy > 0) console.log(`${busy} have an open run already; the sweep reloads them when it has ended.`);
  if (lost > 0) console.log(`${lost} are damaged and cannot be loaded; the sweep reads their sources again.`);
  for (const problem of problems) console.error(problem);
  return problems.length;
}
