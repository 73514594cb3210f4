import { flushCompileCache } from "node:module";
import { loadConfig } from "./config.ts";
import { warnAtStart, startedLines, startedMessages } from "./start-messages.ts";
import { compose } from "./compose.ts";
import { openDataFolder } from "./data-folder.ts";
import { firstAdminKey, terminalSignIn } from "./first-sign-in.ts";
import { openLog, printStarted } from "./log.ts";
import { keepOwnDocs } from "./own-docs.ts";
import { prepareMeilisearch } from "./server-setup.ts";
import { serveApi } from "./serving.ts";
import { takeStopSignals } from "./stopping.ts";
import { keepSweeping } from "./sweeping.ts";

/** `lectern serve`: API, engine and index in one process, until a signal stops it. */
export async function run(): Promise<void> {
  const config = loadConfig(process.env);
  const log = openLog(config.logLevel);
  await warnAtStart(log, { readsGit: config.temporalAddress === null || config.workerQueues.includes("git") });
  await using closing = new AsyncDisposableStack();
  closing.defer(() => log.flush());
  const data = await openDataFolder(config.dataDir);
  closing.defer(data.close);
  if (data.exposed.length > 0) {
    const { path: folder, exposed } = data;
    log.warn({ folder, exposed }, "other users may access data; give it to this user, with mode 0700 or 0600");
  }
  const lectern = await compose(config, { dataFolder: data.path, name: "lectern serve", log });
  closing.defer(lectern.close);
  await prepareMeilisearch(config);
  const firstKey = await firstAdminKey(config, lectern.stores.catalog);
  const signIn = terminalSignIn(config, firstKey.key, process.stdout.isTTY);
  const server = await serveApi(config, lectern, log, { signIn });
  const link = signIn && server.url + signIn.link.path;
  const started = { config, url: server.url, folder: data.path, key: firstKey.key, link };
  // People see this before the first log lines; for machines it would mean that everything has started.
  printStarted(startedLines(started), []);
  // After the server has started, as an open run may have ended the last process. With Temporal, its Schedule sweeps.
  const first = config.temporalAddress === null ? await lectern.sweep({ thorough: true }) : undefined;
  // Before runs are claimed: after that, a signal without a handler would count as a death of the process.
  const stop = takeStopSignals({ log, deadline: lectern.stopDeadline });
  await lectern.open();
  const { ports, sweep } = lectern;
  const stopDocs = config.indexOwnDocs ? await keepOwnDocs({ ports, first: firstKey.first, log }) : undefined;
  const every = config.sweepSeconds * 1000;
  const stopSweeping = first && keepSweeping({ sweep, first, every, generations: ports.catalog.generations, log });
  await data.announce(server.url);
  printStarted([], startedMessages(started));
  // Flushed now, as a killed process would lose the compile cache.
  flushCompileCache();
  try {
    await Promise.race([stop.asked, lectern.ended]);
  } finally {
    stop.begin();
    await Promise.all([lectern.rest(), stopDocs?.(), stopSweeping?.(), server.close()]);
  }
}
