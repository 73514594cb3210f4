import { flushCompileCache } from "node:module";
import { join } from "node:path";
import type { Logger } from "pino";
import { loadConfig, ownDocsFolder } from "../config.ts";
import type { Config } from "../config.ts";
import { foldId } from "../domain/library.ts";
import { isThorough } from "../domain/refreshing.ts";
import { newRun, submitLibrary } from "../domain/submitting.ts";
import { compose } from "./compose.ts";
import type { Lectern } from "./compose.ts";
import { openDataFolder } from "./data-folder.ts";
import { firstAdminKey } from "./first-key.ts";
import { openLog, sayStarted } from "./log.ts";
import { prepareServers } from "./prepare.ts";
import { serveApi } from "./serving.ts";
import { startedLines, startedMessages } from "./started.ts";
import { stopSignal } from "./stop-signal.ts";

/** `lectern serve`: API, engine and index in one process, until it is told to stop. */
export async function run(): Promise<void> {
  const config = loadConfig(process.env);
  const log = openLog(config.logLevel);
  const data = await openDataFolder(config.dataDir);
  if (data.exposed.length > 0) {
    const { path: folder, exposed } = data;
    log.warn({ folder, exposed }, "other users may access data; give it to this user, with mode 0700 or 0600");
  }
  const options = {
    dataFolder: data.path,
    scratch: join(data.path, "work"),
    migrate: true,
    name: "lectern serve",
    log,
  };
  const lectern = await compose(config, options);
  const close = async (): Promise<void> => {
    await lectern.close();
    await data.close();
    log.flush();
  };
  try {
    await prepareServers(config, log);
    const firstKey = await firstAdminKey(config, lectern.stores.catalog);
    const server = await serveApi(config, lectern, log);
    const started = { config, url: server.url, folder: data.path, key: firstKey.key };
    // People read it above the first lines of the log; for machines it means that all has begun.
    sayStarted(startedLines(started), []);
    // It answers by now: a run that was open may be the one that brought the process down.
    if (config.temporalAddress === null) await lectern.sweep({ thorough: true });
    await lectern.open();
    if (config.indexOwnDocs) await indexOwnDocs(lectern, firstKey.first);
    const stopSweeping = keepSweeping(lectern, config, log);
    await data.announce(server.url);
    sayStarted([], startedMessages(started));
    // By default the compile cache is flushed at a clean exit only, and a first start that is killed loses it.
    flushCompileCache();
    const stopped = stopSignal().then((signal) => log.info({ signal }, "shutting down"));
    try {
      await Promise.race([stopped, lectern.ended]);
    } finally {
      await stopSweeping();
      await server.close();
    }
  } finally {
    await close();
  }
}

/** At the first start the project's own docs become a library; later starts bring it up to date, if it is still there. */
async function indexOwnDocs({ ports }: Lectern, first: boolean): Promise<void> {
  const id = "/docs/lectern";
  const caller = { keyId: "serve", teamspace: "default", scopes: ["admin"], libraries: [] } as const;
  const found = await ports.catalog.libraries.find([""], foldId(id), "");
  if (found) {
    const opened = await ports.catalog.runs.open(found.library.uid, "", newRun(ports, "sweep"), Date.now());
    if (opened) await ports.indexing.start(opened.run);
  } else if (first) {
    const selection = { folders: [], excludeFolders: null, excludeFiles: null };
    await submitLibrary(ports, caller, {
      id,
      private: false,
      title: "Lectern",
      description: "Self-hosted documentation retrieval: how to run it, submit sources, ask and operate.",
      source: { kind: "folder", path: ownDocsFolder, selection },
    });
  }
}

/** Sweeps periodically, unless Temporal's Schedule does; the answer stops it and waits for the running sweep. */
function keepSweeping(lectern: Lectern, config: Config, log: Logger): () => Promise<void> {
  let sweeping = Promise.resolve();
  if (config.temporalAddress !== null) return () => sweeping;
  let before = Date.now();
  const sweepOnce = async (): Promise<void> => {
    const now = Date.now();
    const thorough = isThorough(now, before);
    before = now;
    const swept = await lectern.sweep({ thorough });
    const { generations, orphans, refreshes, index, damaged } = swept;
    if (generations + orphans + refreshes.started + (index?.restored ?? 0) + (damaged ?? 0) > 0)
      log.info(swept, "swept");
  };
  const timer = setInterval(() => {
    sweeping = sweeping.then(sweepOnce).catch((error: unknown) => log.error({ err: error }, "sweep failed; retrying"));
  }, config.sweepSeconds * 1000);
  return () => {
    clearInterval(timer);
    return sweeping;
  };
}
