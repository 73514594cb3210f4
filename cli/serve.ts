import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pino } from "pino";
import type { Logger } from "pino";
import { createApp } from "../api/app.ts";
import { hashKey, makeKey } from "../api/keys.ts";
import { createMemoryLimiter } from "../api/memory-limiter.ts";
import { startServer } from "../api/server.ts";
import type { Server } from "../api/server.ts";
import { loadConfig, ownDocsFolder } from "../config.ts";
import type { Config } from "../config.ts";
import { Failure } from "../domain/failures.ts";
import { foldId } from "../domain/library.ts";
import { newRun, submitLibrary } from "../domain/submitting.ts";
import { compose, newId } from "./compose.ts";
import type { Lectern } from "./compose.ts";
import { openDataFolder } from "./data-folder.ts";
import { createFolderCheck } from "./folder-roots.ts";

const root = join(import.meta.dirname, "..");
const thoroughEvery = 60;

/** `lectern serve`: API, engine and index in one process, until it is told to stop. */
export async function run(): Promise<void> {
  const config = loadConfig(process.env);
  const log = pino({ level: config.logLevel }, pino.destination({ fd: 2, sync: false }));
  const data = await openDataFolder(config.dataDir);
  const lectern = await compose(config, data.path, log);
  const close = async (): Promise<void> => {
    await lectern.close();
    await data.close();
    log.flush();
  };
  try {
    const firstKey = await firstAdminKey(config, lectern);
    await lectern.sweep({ thorough: true });
    const server = await listen(config, await app(config, lectern, log), log);
    await lectern.engine.open();
    if (config.indexOwnDocs) await indexOwnDocs(lectern, firstKey.first);
    const stopSweeping = keepSweeping(lectern, config.sweepSeconds, log);
    await data.announce(server.url);
    announce(config, server.url, data.path, firstKey.key);
    onStopSignal(async (signal) => {
      log.info({ signal }, "stopping");
      await stopSweeping();
      await server.close();
      await close();
    });
  } catch (error) {
    await close();
    throw error;
  }
}

/** @throws Failure service_unavailable where the address cannot be had */
async function listen(config: Config, answer: Awaited<ReturnType<typeof app>>, log: Logger): Promise<Server> {
  const { host, port } = config;
  return startServer(answer, { host, port, log }).catch((cause: unknown) => {
    const reason = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
    throw new Failure(
      "service_unavailable",
      `Cannot listen on ${host} port ${port} (${reason}). Choose another HOST or PORT.`,
      { cause },
    );
  });
}

/** Stops once, at the first signal; a second one while stopping changes nothing. */
function onStopSignal(stop: (signal: string) => Promise<void>): void {
  let stopping: Promise<void> | undefined;
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void (stopping ??= stop(signal)));
}

async function app(config: Config, lectern: Lectern, log: Logger): Promise<ReturnType<typeof createApp>> {
  const openapi = JSON.parse(await readFile(join(root, "docs", "openapi.json"), "utf8")) as object;
  return createApp({
    ports: lectern.ports,
    limiter: createMemoryLimiter(),
    log,
    checkUrl: lectern.guard.checkUrl,
    checkFolder: createFolderCheck(config.folderRoots),
    adminKeyHash: config.adminKey === null ? null : hashKey(config.adminKey),
    settings: {
      ...config,
      loopback: ["127.0.0.1", "::1", "localhost"].includes(config.host),
      gitHosts: { github: config.githubHosts, gitlab: config.gitlabHosts, bitbucket: config.bitbucketHosts },
    },
    openapi,
  });
}

/** Makes the first admin key where the operator has set none. It is shown once and kept as a hash. */
async function firstAdminKey(config: Config, { ports }: Lectern): Promise<{ first: boolean; key: string | null }> {
  const keys = await ports.catalog.keys.list("default");
  if (keys.length > 0) return { first: false, key: null };
  const { key, hash, hint } = makeKey();
  await ports.catalog.keys.add({
    id: newId(),
    teamspace: "default",
    name: "first admin key",
    hash,
    hint,
    scopes: ["admin"],
    libraries: [],
    createdAt: Date.now(),
    expiresAt: null,
    // Kept even where LECTERN_ADMIN_KEY is set, as the sign of a data folder that was started before, but not usable then.
    revokedAt: config.adminKey === null ? null : Date.now(),
  });
  return { first: true, key: config.adminKey === null ? key : null };
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

/** Sweeps now and then; the answer stops it and waits for the sweep under way. */
function keepSweeping(lectern: Lectern, seconds: number, log: Logger): () => Promise<void> {
  let sweeping = Promise.resolve();
  let count = 0;
  const sweepOnce = async (): Promise<void> => {
    count += 1;
    const swept = await lectern.sweep({ thorough: count % thoroughEvery === 0 });
    if (swept.generations + swept.orphans + swept.restored > 0) log.info(swept, "swept");
  };
  const timer = setInterval(() => {
    sweeping = sweeping
      .then(sweepOnce)
      .catch((error: unknown) => log.error({ err: error }, "the sweep failed and is tried again"));
  }, seconds * 1000);
  return () => {
    clearInterval(timer);
    return sweeping;
  };
}

function announce(config: Config, url: string, folder: string, key: string | null): void {
  const shown = key ?? (config.adminKey === null ? "<your admin key>" : "$LECTERN_ADMIN_KEY");
  const lines = [
    `Lectern is running at ${url}`,
    `  data folder  ${folder}`,
    ...(key === null ? [] : [`  admin key    ${key}   (shown this once: keep it)`]),
    "",
    "Submit a repository:",
    `  curl -X POST ${url}/api/v2/add/repo/github -H "Authorization: Bearer ${shown}" -H "Content-Type: application/json" \\`,
    `    -d '{"docsRepoUrl": "https://github.com/vitejs/vite"}'`,
    "Ask:",
    `  curl "${url}/api/v2/context?libraryId=/docs/lectern&query=How+do+I+add+a+repository"`,
  ];
  console.log(lines.join("\n"));
}
