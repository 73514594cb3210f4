import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { makeFolders, writeWhole } from "../stores/blobs/durable-files.ts";
import { loadConfig, type Config } from "./config.ts";
import { warnAtStart } from "./start-messages.ts";
import type { Given } from "./command.ts";
import { openDataFolder } from "./data-folder.ts";
import { firstAdminKey } from "./first-sign-in.ts";
import { openLog } from "./log.ts";
import { prepareServers } from "./server-setup.ts";
import { reindexAll } from "./reindex.ts";
import { isCluster, openStores, type StoreOptions } from "./stores.ts";

/**
 * `lectern setup`: migrates the catalog, sets up the configured servers, loads everything into a new index of Meilisearch, and generates
 * the first admin key unless one is set. Idempotent.
 */
export async function run(given: Given): Promise<void> {
  const keys = given.text("keys");
  const config = loadConfig(process.env);
  const log = openLog(config.logLevel, { sync: true });
  await warnAtStart(log, { readsGit: false });
  await using closing = new AsyncDisposableStack();
  const data = isCluster(config) ? null : await openDataFolder(config.dataDir);
  closing.defer(() => data?.close());
  const dataFolder = data?.path ?? null;
  const { meili } = await prepareServers(config, log);
  const isWhole = await prepareStores(config, { dataFolder, migrate: true, name: "lectern setup", log });
  if (meili && keys === undefined) {
    console.log(`MEILI_API_KEY   ${meili.api}   (for lectern api)`);
    console.log(`MEILI_API_KEY   ${meili.worker}   (for lectern worker)`);
  } else if (meili && keys !== undefined) {
    await makeFolders(keys);
    for (const [role, value] of Object.entries(meili)) {
      const file = join(keys, `meili-${role}.key`);
      await writeWhole(file, `${file}.${randomUUID()}.tmp`, `${value}\n`);
      console.log(`written         ${file}`);
    }
  }
  // A new index is empty. Generations in the format of an older version are loaded after its last process has stopped.
  if (meili && !isWhole) await reindexAll(config, { dataFolder, name: "lectern setup", log });
  console.log("Everything is set up.");
}

/** Prepares the catalog, and prints the first admin key. Returns whether the index has everything. */
async function prepareStores(config: Config, options: StoreOptions): Promise<boolean> {
  await using closing = new AsyncDisposableStack();
  const stores = await openStores(config, options);
  closing.defer(stores.close);
  const { key } = await firstAdminKey(config, stores.catalog);
  if (key !== null) console.log(`admin key       ${key}   (shown this once: keep it)`);
  return (await stores.libraries.isWhole?.()) ?? true;
}
