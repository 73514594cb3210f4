/**
 * The API of a data folder twice in one process, so that both have the same index and the same processor: as it is, and without what is
 * measured: nothing is counted, and callers have no key. Prints both addresses as a line of JSON.
 */
import { compose } from "../../../cli/compose.ts";
import type { Lectern } from "../../../cli/composed.ts";
import { openLog } from "../../../cli/log.ts";
import { listen, openApp } from "../../../cli/serving.ts";
import { loadConfig } from "../../../cli/config.ts";
import type { Limiter } from "../../../domain/ports.ts";

const config = loadConfig(process.env);
const log = openLog(config.logLevel);
const lectern = await compose(config, { dataFolder: config.dataDir, name: "limits", log });

const free = async (_bucket: string, limit: number) => ({ allowed: true, limit, remaining: limit, resetIn: 1000 });
const uncounted: Limiter = { take: free, look: free, forget: async () => {} };
const { ports } = lectern;
const bare: Lectern = { ...lectern, ports: { ...ports, catalog: { ...ports.catalog, limiter: uncounted } } };

const urls: Record<string, string> = {};
for (const [name, served] of Object.entries({ full: lectern, bare })) {
  const { answer } = await openApp(config, served, log);
  urls[name] = (await listen(answer, config, 0, log)).url;
}
process.stdout.write(`${JSON.stringify(urls)}\n`);
