/** `npm run cluster`: a whole cluster on this machine, with installed servers, until a stop signal. */
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { openDataFolder } from "../../cli/data-folder.ts";
import { openLog } from "../../cli/log.ts";
import { takeStopSignals } from "../../cli/stopping.ts";
import { ConfigError, loadConfig } from "../../cli/config.ts";
import { Failure } from "../../domain/failures.ts";
import { letOthersPass, startLocalCluster, type LocalCluster } from "./local-cluster.ts";

/** Maximum time of a stop, in milliseconds: 10 s each for processes and servers. */
const stopDeadline = 21_000;

/** Usual port of Temporal's Web UI. */
const uiPort = 8233;

/** Settings of existing servers, and those that all processes share. */
const passedSettings = [
  "DATABASE_URL",
  "MEILI_URL",
  "MEILI_API_KEY",
  "TEMPORAL_ADDRESS",
  "TEMPORAL_NAMESPACE",
  "BLOB_URL",
  "ENCRYPTION_KEYS",
  "LECTERN_ADMIN_KEY",
  "TEMPORAL_ENCRYPTION",
  "LOG_LEVEL",
];

try {
  await run();
} catch (error) {
  if (!(error instanceof Failure || error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  const config = loadConfig(process.env);
  const data = await openDataFolder(join(config.dataDir, "cluster"));
  await letOthersPass(config.dataDir);
  const env = Object.fromEntries(passedSettings.flatMap(readSetting));
  try {
    console.log("Starting a cluster; its data and logs are in", data.path);
    const cluster = await startLocalCluster({
      folder: data.path,
      env,
      apiPorts: [config.port, config.port === 0 ? 0 : config.port + 1],
      workers: [{ WORKER_QUEUES: "main,git,crawl,load" }, { WORKER_QUEUES: "main,git,crawl,browser,load" }],
      ui: (await isFree(uiPort)) ? uiPort : 0,
    });
    const log = openLog("warn", { sync: true });
    const stop = takeStopSignals({ log, deadline: stopDeadline, onCutShort: cluster.kill });
    describe(cluster, data.path);
    await stop.asked;
    console.log("Stopping. Another Ctrl-C ends everything at once.");
    await cluster.stop();
  } finally {
    await data.close();
  }
}

/** A setting of the environment. The processes get the value of a `_FILE` setting in place of the file. */
function readSetting(name: string): (readonly [string, string])[] {
  const file = process.env[`${name}_FILE`];
  if (file)
    return [
      [name, readFileSync(file, "utf8").trim()],
      [`${name}_FILE`, ""],
    ];
  const value = process.env[name]?.trim();
  return value ? [[name, value]] : [];
}

function describe(cluster: LocalCluster, folder: string): void {
  const { apis, workers, servers, adminKey, ui, env } = cluster;
  const rows = [
    ...[...apis, ...workers, ...Object.values(servers)].map(({ name, url, pid }) => [name, `${url}  (process ${pid})`]),
    ...(ui === null
      ? []
      : [["Temporal Web UI", `${ui}/namespaces/${env["TEMPORAL_NAMESPACE"] ?? "lectern"}/workflows`]]),
    ["admin key", adminKey],
    ["logs", join(folder, "*.log")],
  ];
  console.log(`The cluster is running. Ctrl-C ends all of it.\n`);
  for (const [name = "", value = ""] of rows) console.log(`  ${name.padEnd(16)} ${value}`);
  console.log(`\nSubmit a repository:
  curl -X POST ${apis[0]?.url}/api/v2/add/repo/github -H "Authorization: Bearer ${adminKey}" -H "Content-Type: application/json" \\
    -d '{"docsRepoUrl": "https://github.com/vitejs/vite"}'`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
