import { join } from "node:path";
import { loadConfig } from "./config.ts";
import { warnAtStart, anonymousAccess } from "./start-messages.ts";
import { compose } from "./compose.ts";
import { openWorkFolder } from "./data-folder.ts";
import { openLog, printStarted } from "./log.ts";
import { checkIndex } from "./server-setup.ts";
import { serveApi } from "./serving.ts";
import { stopDeadline, takeStopSignals } from "./stopping.ts";
import { requireCluster } from "./stores.ts";

/** `lectern api`: answers requests and starts runs that workers execute, until a signal stops it. */
export async function run(): Promise<void> {
  const config = loadConfig(process.env);
  requireCluster(config, "api");
  const log = openLog(config.logLevel);
  await warnAtStart(log, { readsGit: true });
  await openWorkFolder(join(config.dataDir, "work"));
  await using closing = new AsyncDisposableStack();
  closing.defer(() => log.flush());
  const lectern = await compose(config, { dataFolder: null, name: "lectern api", log });
  closing.defer(lectern.close);
  await checkIndex(config, log);
  const drainTime = config.drainSeconds * 1000;
  const stop = takeStopSignals({ log, deadline: drainTime + stopDeadline });
  const server = await serveApi(config, lectern, log, { drainTime });
  lectern.ports.indexing.ready().catch((error: unknown) => {
    log.warn({ err: error }, "Temporal is unreachable: reads work, submissions are refused until it can be reached");
  });
  const open = anonymousAccess(config);
  printStarted([`Lectern's API is running at ${server.url}`, ...(open === null ? [] : [`Open to all: ${open}`])]);
  await stop.asked;
  await server.close();
}
