import { watchManifest } from "./manifest.ts";
import { startPushed } from "../domain/hooks.ts";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Logger } from "pino";
import { createProxyCheck, isLoopback } from "../api/ip-addresses.ts";
import type { ApiAnswer } from "../api/answers.ts";
import { createApp } from "../api/app.ts";
import type { ApiRequest } from "../api/request.ts";
import { hashKey } from "../api/keys.ts";
import { createMemoryLimiter } from "../api/memory-limiter.ts";
import { startServer, type Server } from "../api/server.ts";
import type { ApiOptions } from "../api/options.ts";
import { createMisses, createUsage } from "../api/usage.ts";
import { createMetrics } from "../api/metrics.ts";
import type { Config } from "./config.ts";
import { createOidc } from "../api/dashboard/oidc.ts";
import { createPages } from "../api/dashboard/routes.ts";
import type { SignInLink } from "../api/dashboard/sign-in-link.ts";
import { Failure } from "../domain/failures.ts";
import { noteReads } from "../domain/scheduling.ts";
import { folderInRoots } from "../sources/folder/index.ts";
import { openAuditLog } from "./audit-log.ts";
import type { Lectern } from "./compose.ts";
import { watchDisks, writtenFolders } from "./disk-space.ts";
import { openIssuer } from "./issuer.ts";
import { gitHostsOf } from "./source-adapters.ts";
import type { TerminalSignIn } from "./first-sign-in.ts";
import { createSoon } from "./soon.ts";
import { programVersion } from "./package-info.ts";

const root = join(import.meta.dirname, "..");

/** Flush interval of counts, in milliseconds. */
const flushInterval = 60_000;

/** Milliseconds from a delivery of a host to its refreshes, so that deliveries in a row make one run. */
const pushDelay = 3000;

/**
 * The API and the dashboard as a function, until it is closed. Also watches the disks. `adminKeyHash` is the hash of the key with all rights; null: none.
 */
export async function openApp(
  config: Config,
  lectern: Lectern,
  log: Logger,
  adminKeyHash = config.adminKey === null ? null : hashKey(config.adminKey),
  link?: SignInLink,
) {
  const openapi = JSON.parse(await readFile(join(root, "docs", "openapi.json"), "utf8")) as object;
  const { catalog, newId, secrets, now } = lectern.ports;
  const flushing = { every: flushInterval, now, log };
  const usage = createUsage({ record: (reads) => noteReads(lectern.ports, reads), ...flushing });
  const misses = createMisses({ record: (batch) => catalog.libraries.noteMisses(batch), ...flushing });
  const metrics = createMetrics({ record: (batch) => catalog.metrics.add(batch), newId, ...flushing });
  const pushing = createSoon({
    action: () => startPushed(lectern.sweepPorts),
    delay: pushDelay,
    problem: "refreshes that hosts requested could not be started; the sweep starts them",
    log,
  });
  let isStopping = false;
  const disks = watchDisks(writtenFolders(config, config.dataDir), config.minFreeDisk, log);
  const signingIn = openIssuer(config, log);
  // Starts the threads in advance, so that the first request does not wait; an error also appears in its response.
  lectern.upstream?.warm().catch((error: unknown) => log.warn({ err: error }, "the upstream's answers cannot be read"));
  const oidc = signingIn?.oidc && createOidc(signingIn.oidc);
  const pageOptions = {
    secrets,
    ended: catalog.sessions,
    now,
    publicUrl: config.publicUrl,
    version: programVersion,
    ...(link && { link }),
    ...(oidc && { oidc }),
  };
  const options: ApiOptions = {
    version: programVersion,
    ports: lectern.ports,
    diskWarnings: async () => [...(await disks.warnings()), ...(await lectern.storageWarnings())],
    isStopping: () => isStopping,
    limiter: catalog.limiter ?? createMemoryLimiter(),
    log,
    checkUrl: lectern.guard.checkAddress,
    async checkFolder(path) {
      const folder = await folderInRoots(resolve(path), config.folderRoots);
      if (folder !== undefined) return folder;
      // The message is the same for missing folders and those outside the roots, so that it discloses nothing about the disk.
      const message = `This server may not read "${path}", or it is no folder. Set FOLDER_ROOTS to it, or to a folder above it, and restart the server; or upload it as an archive.`;
      throw new Failure("validation_error", message);
    },
    countRead: usage.count,
    countAnswer: metrics.count,
    noteMiss: config.feedbackDays === 0 ? () => {} : misses.note,
    ...(lectern.readThreads && { computeElsewhere: lectern.readThreads.compute }),
    onPushed: pushing.requested,
    ...(lectern.manifest && { watched: { ...lectern.manifest, requested: () => watching?.requested() } }),
    telemetry: lectern.telemetry,
    scrape: lectern.telemetry.render,
    deployment: lectern.deployment,
    ...(config.auditLog !== null && { onAudited: openAuditLog(config.auditLog) }),
    readLockfile: lectern.readLockfile,
    adminKeyHash,
    settings: {
      ...config,
      loopback: isLoopback(config.host),
      registries: lectern.registries,
      gitHosts: gitHostsOf(config),
    },
    openapi,
    ...(lectern.codec && { codec: lectern.codec }),
    ...(signingIn && { issuer: signingIn.issuer }),
  };
  const answer = createApp(options, config.dashboard ? createPages(pageOptions) : []);
  const watching =
    lectern.manifest &&
    watchManifest({
      manifest: lectern.manifest,
      manifests: catalog.manifests,
      answer,
      every: config.manifestSeconds * 1000,
      now,
      log,
    });
  return {
    answer,
    /** From now on it is not ready; it still answers. */
    stopping(): void {
      isStopping = true;
    },
    /** Flushes the counts. */
    async close(): Promise<void> {
      disks.close();
      await watching?.close();
      await pushing.close();
      await usage.close();
      await misses.close();
      await signingIn?.close();
      await metrics.close();
    },
  };
}

/** Serves the API on a socket. `drainTime` is in milliseconds. @throws Failure service_unavailable */
export async function serveApi(
  config: Config,
  lectern: Lectern,
  log: Logger,
  { signIn, drainTime = 0 }: { readonly signIn?: TerminalSignIn | undefined; readonly drainTime?: number } = {},
): Promise<Server> {
  await using opened = new AsyncDisposableStack();
  const app = await openApp(config, lectern, log, signIn?.adminKeyHash, signIn?.link);
  opened.defer(app.close);
  const server = await listen(app.answer, config, config.port, log, drainTime);
  const closing = opened.move();
  return {
    url: server.url,
    async close() {
      app.stopping();
      await server.close();
      await closing.disposeAsync();
    },
  };
}

/** Listens at HOST. @throws Failure service_unavailable if the address is in use or invalid */
export async function listen(
  answer: (request: ApiRequest) => Promise<ApiAnswer>,
  config: Config,
  port: number,
  log: Logger,
  drainTime = 0,
): Promise<Server> {
  const { host, maxConnections, maxConnectionsPerAddress } = config;
  const options = {
    host,
    port,
    log,
    drainTime,
    maxConnections,
    maxConnectionsPerAddress,
    isProxy: createProxyCheck(config.trustedProxies),
    answerTimeout: config.answerTimeoutSeconds * 1000,
  };
  return startServer(answer, options).catch((cause: unknown) => {
    const reason = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
    throw new Failure(
      "service_unavailable",
      `Cannot listen on ${host} port ${port} (${reason}). Choose another HOST or PORT.`,
      { cause },
    );
  });
}
