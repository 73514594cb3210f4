import { hostname } from "node:os";
import { join } from "node:path";
import type { Logger } from "pino";
import { announceLibrary } from "../activities/announce.ts";
import { damageOf } from "../activities/damage.ts";
import { findingsOf, readFindings } from "../activities/findings.ts";
import { createFetchClient } from "../sources/lib/fetch/client.ts";
import { createPoliteClient } from "../sources/lib/fetch/polite.ts";
import { createGuard } from "../sources/lib/fetch/guard.ts";
import { createGitHubApps } from "../sources/lib/hosts/github-app.ts";
import { listOwner } from "../sources/lib/hosts/listing.ts";
import { parseOnThread, type ParseInput } from "../activities/parse-page.ts";
import { createPageStore } from "../activities/outline.ts";
import { readManifest } from "../activities/parts.ts";
import { createGitSource } from "../sources/git/index.ts";
import { createPreview } from "../activities/preview.ts";
import { restore } from "../activities/reindex.ts";
import { createActivities } from "../activities/steps.ts";
import { sweep, sweepScratch, type SweepExtent, type SweepPorts, type Swept } from "../activities/sweep.ts";
import { openTelemetry } from "./telemetry/index.ts";
import { observeSteps } from "./telemetry/measured-steps.ts";
import { removeLeftFolders } from "../sources/lib/threads/temporary-folders.ts";
import { createThreadPool, parseText } from "../sources/lib/threads/thread-pool.ts";
import type { RequestedBy } from "../api/options.ts";
import { reachableParts } from "../api/reachable.ts";
import {
  openEmbedder,
  openUpstream,
  openBrowser,
  readRegistries,
  createReputationReader,
  limitsOf,
  openScreen,
  openSources,
} from "./source-adapters.ts";
import type { Config } from "./config.ts";
import { createPolicies } from "../domain/policies.ts";
import type { CredentialOf, SourceSpec } from "../domain/kinds/index.ts";
import type { RepositoryOwner } from "../domain/owner-repositories.ts";
import type { Lockfile } from "../domain/packages.ts";
import type { LibraryRecord, LiveGeneration, StepControl } from "../domain/ports.ts";
import { refreshLimits } from "../domain/scheduling.ts";
import type { IndexingSteps } from "../domain/steps.ts";
import { indexVersion } from "../domain/refreshing-versions.ts";
import { newRun } from "../domain/submitting.ts";
import { extensions } from "../extract/formats.ts";
import { toLanguage } from "../extract/language.ts";
import { ranker } from "../search/ranking/ranker.ts";
import { analysis } from "../search/sqlite/passage-rows.ts";
import { createLocalEngine } from "../workers/local-engine.ts";
import { createDeployment, watchedTimes } from "./deployment.ts";
import { openManifest } from "./manifest.ts";
import { createSizes, createStorageUse, freeShares, writtenFolders } from "./disk-space.ts";
import { timeOfId, newId } from "./ids.ts";
import { resealAll } from "./secrets.ts";
import { createNotifying } from "./notifying.ts";
import { isCluster, openStores } from "./stores.ts";
import { openReadThreads } from "./read-threads.ts";
import { stopDeadline } from "./stopping.ts";
import { createTemporalExecution, openTemporal } from "./temporal.ts";
import { programVersion, userAgent } from "./package-info.ts";

/** Options of `compose`. */
export interface ComposeOptions {
  /** The folder that the process owns, and in which it migrates the catalog; null in a cluster. */
  readonly dataFolder: string | null;
  readonly name: string;
  readonly log: Logger;
}

/** Module that parses lockfiles in threads. */
const lockfiles = { module: new URL("../extract/lockfiles/index.ts", import.meta.url), name: "readLockfile" };

/** Interval of the cleanup of the scratch folder in a cluster, in milliseconds. */
const scratchInterval = 3_600_000;

/** Seconds that a worker has after the grace period of its steps. */
const stopMargin = 4;

/** Interval of measuring the storage if it has a limit, in milliseconds. */
const storageInterval = 60_000;

/** Timeout of an import into a cluster, in milliseconds: older data that the catalog does not know is orphaned. */
const maxImportTime = 86_400_000;

/** Age in milliseconds after which a temporary file of a blob is orphaned: its process died. */
const maxUploadTime = 3_600_000;

/** The composed program. */
export type Lectern = Awaited<ReturnType<typeof compose>>;

/** Builds the adapters that the settings select, and the ports on top of them. */
export async function compose(config: Config, options: ComposeOptions) {
  const { dataFolder, log } = options;
  const { storageLimit } = config;
  const scratch = join(dataFolder ?? config.dataDir, "work");
  const now = Date.now;
  log.info({ version: programVersion, node: process.version }, `${options.name} ${programVersion} starts`);
  await removeLeftFolders((error) =>
    log.warn({ err: error }, "a temporary folder of a killed process cannot be removed"),
  );
  const guard = createGuard({ allow: config.fetchAllow });
  const client = createFetchClient({ guard, userAgent, resolveLocally: config.resolveLocally });
  const browser = openBrowser(config, { guard, userAgent, log });
  const pool = createThreadPool({ maxThreads: config.parseThreads });
  // Does nothing before the first sweep, which restores everything anyway.
  let refill = (): void => {};
  const stores = await openStores(config, {
    ...options,
    migrate: dataFolder !== null,
    onLibrariesLost(cause) {
      log.warn({ err: cause }, "libraries.sqlite was damaged and is rebuilt from the catalog");
      refill();
    },
    analyse: (batch, signal) => pool.run(analysis, batch, { signal, group: signal, transfer: [batch.lines.buffer] }),
  });
  const { catalog, blobs, passages, libraries, secrets } = stores;

  const onUnmeasured = (error: unknown): void => log.warn({ err: error }, "a metric cannot be measured");
  const sizes = createSizes(config, dataFolder, {
    servers: { catalog: catalog.size, index: passages.size, blobs: storageLimit === null ? undefined : blobs.size },
    ...(storageLimit !== null && { lifetime: storageInterval }),
    now,
    onProblem: onUnmeasured,
  });
  const storage = createStorageUse(storageLimit, sizes);
  const registries = readRegistries(config);
  const asking = createReputationReader(config, { client, pool, routeOf: registries.routeOf });
  const reading = { client, guard, pool, extensions };
  const politeClient = () => createPoliteClient({ client, hosts: catalog.hosts, interval: config.hostInterval, now });
  const sources = openSources(config, { ...reading, politeClient, browser: () => browser, registries });
  const manifest = openManifest(config, createGitSource(reading), { scratch, hostOf: asking.hostOf });
  const folders = writtenFolders(config, dataFolder ?? scratch);
  const temporal = await openTemporal(config, { catalog, ring: stores.ring, log, now });
  const telemetry = await openTelemetry({
    name: options.name,
    version: programVersion,
    environment: process.env,
    figures: (at) => catalog.figures(at),
    // Not logged, as every scrape would log it; the gauge shows it.
    reachable: () => reachableParts({ catalog, passages, indexing: engine }, () => undefined),
    queues: temporal?.queues,
    freeDisk: () => freeShares(folders),
    sizes: () => sizes.read(),
    ...watchedTimes(stores),
    now,
    onProblem: onUnmeasured,
  });
  const screen = openScreen(config, log);
  const embedder = openEmbedder(config, { telemetry, log });
  const onUnembedded = (error: unknown): void =>
    log.warn({ err: error }, "passages are loaded without embeddings: the sweep embeds them later");

  const activityPorts = {
    ...stores,
    ranker,
    embedding: embedder && { embedder, onUnembedded },
    screen,
    sources,
    parse: (input: ParseInput, signal: AbortSignal) => parseOnThread(pool, input, signal, config.maxPageSeconds * 1000),
    scratch,
    limits: limitsOf(config),
    shrinkLimit: config.shrinkLimit,
    keepFailed: config.keepFailedPages,
    keepGenerations: config.keepGenerations,
    grace: config.graceSeconds * 1000,
    storageUse: storage.share,
    now,
    ...asking,
    onPendingRename: ({ id, teamspace, pendingRename }: LibraryRecord, runId: string) =>
      log.warn({ runId, library: id, teamspace, pendingRename }, "a rename waits for an administrator"),
  };
  const observing = {
    telemetry,
    catalog,
    now,
    onProblem: (error: unknown) => log.warn({ err: error }, "telemetry of a run failed"),
  };
  const notifying = createNotifying({ catalog, secrets, client, newId, now, log });
  const activities = (step: () => StepControl): IndexingSteps =>
    notifying.after(observeSteps(createActivities(activityPorts, step), observing));

  const local = createLocalEngine({
    catalog,
    activities,
    owner: `${hostname()}:${process.pid}:${newId()}`,
    runsAtOnce: config.runsAtOnce,
    log,
    now,
  });
  const engine = temporal?.engine ?? local;

  const apps = createGitHubApps(client);
  const readThreads = openReadThreads(config, dataFolder);
  const upstream = openUpstream(config, { client, telemetry, log, now });
  const policies = createPolicies(catalog.teamspaces, now);
  const submitting = { catalog, policies, indexing: engine, secrets, blobs, checkToken: guard.checkToken, newId, now };
  const ports = {
    ...submitting,
    passages,
    libraries,
    ranker,
    ...(embedder && { embedder }),
    ...(upstream && { upstream }),
    toLanguage,
    announce: (uid: string) => announceLibrary({ catalog, blobs, libraries }, uid),
    indexVersion: indexVersion.bind(undefined, submitting),
    restore: (generation: LiveGeneration) => restoreLost(generation),
    manifest: (generation: string) => readManifest(blobs, generation),
    pages: createPageStore(blobs),
    findings: (generation: string) => readFindings(blobs, generation),
    damageOf: (generation: string) => damageOf(blobs, generation),
    previewOf: createPreview(activityPorts),
    screenText: (text: string) => findingsOf(screen, text),
    testReceiver: notifying.test,
    resolveSource: (source: SourceSpec, credential: object, signal: AbortSignal) =>
      sources[source.kind].resolve(source, null, { credential, signal }),
    repositoriesOf: (owner: RepositoryOwner, credential: object | null, signal: AbortSignal) =>
      listOwner({ client, apps }, owner, credential as CredentialOf<"git"> | null, signal),
  };
  const sweepPorts: SweepPorts = {
    ...ports,
    ...asking,
    refreshes: refreshLimits,
    looked: new Map(),
    auditDays: config.auditDays,
    metricsDays: config.metricsDays,
    unusedVersionDays: config.unusedVersionDays,
    unservedDays: config.unservedDays,
    storageUse: storage.share,
    grace: config.graceSeconds * 1000,
    feedbackDays: config.feedbackDays,
    // Outside a cluster no sweep runs during an import, which locks the data folder.
    mayBeUnderway: (id) => isCluster(config) && timeOfId(id) > now() - maxImportTime,
    isFresh: (upload) => timeOfId(upload) > now() - maxImportTime,
    newRun: newRun.bind(undefined, submitting),
    deliver: notifying.deliver,
    onProblem: (error) => log.warn({ err: error }, "the sweep found a problem"),
  };
  /** Called by a read that finds a loss. If it fails, the sweep tries again. */
  const restoreLost = async (generation: LiveGeneration): Promise<void> => {
    const subject = { generation: generation.id, library: generation.libraryUid, version: generation.version };
    log.warn(subject, "the index has lost a library, which is loaded again");
    await catalog.generations.noteUnindexed([generation.id], true, now());
    const outcome = await restore(sweepPorts, generation).catch((error: unknown) => error);
    if (typeof outcome !== "string") log.warn({ err: outcome, ...subject }, "a lost library cannot be loaded yet");
  };
  let sweptAt: number | undefined;
  const sweepAll = async (how: SweepExtent, control?: StepControl): Promise<Swept> => {
    if (how.thorough)
      await Promise.all([blobs.sweepTemporary(now() - maxUploadTime), resealAll(catalog, stores.ring, log)]);
    const swept = await sweep(sweepPorts, how, control);
    sweptAt = now();
    telemetry.swept(sweptAt);
    refill = () =>
      void sweepAll({ thorough: false }).catch((error: unknown) => log.warn({ err: error }, "sweep failed; retrying"));
    return swept;
  };
  const execution = temporal
    ? createTemporalExecution(config, temporal, { activities, sweep: sweepAll, catalog, log, now }, dataFolder !== null)
    : { ...local, ended: new Promise<void>(() => {}), working: () => true };
  const cleanScratch = (): void =>
    void sweepScratch({ catalog, scratch, now }).catch((error: unknown) =>
      log.warn({ err: error }, "cleanup of the scratch folder failed"),
    );
  // Deletes files of steps and previews that failed, or whose process was killed.
  const cleaning = dataFolder === null ? setInterval(cleanScratch, scratchInterval).unref() : undefined;
  let resting: Promise<void> | undefined;
  const rest = (): Promise<void> => (resting ??= execution.close());
  return {
    ports,
    stores,
    guard,
    registries,
    manifest,
    screen,
    sweepPorts,
    /** Parses a lockfile, by its name, off the event loop. @throws Failure validation_error */
    readLockfile: (name: string, bytes: Uint8Array, { client, hasKey, signal }: RequestedBy): Promise<Lockfile> =>
      parseText(
        { pool, signal, sharing: { client, group: hasKey ? client : "requests without a key" } },
        lockfiles,
        { name, bytes },
        "The lockfile",
      ),
    codec: temporal?.codec,
    telemetry,
    upstream,
    readThreads,
    deployment: createDeployment({
      config,
      catalog,
      engine,
      temporal,
      sweptAt: () => sweptAt,
      sizes: () => sizes.read(),
      folders,
      now,
      log,
    }),
    storageWarnings: storage.warnings,
    sweep: sweepAll,
    /** Starts executing runs in this process. Call it once. */
    async open(): Promise<void> {
      // A single process owns its folder, so all data without an open run is orphaned.
      await sweepScratch({ catalog, scratch, now }, dataFolder === null ? {} : { olderThan: 0 });
      await execution.open();
    },
    /** Rejects when this process can no longer execute runs. */
    ended: execution.ended,
    /** Whether the task queues are polled. */
    working: execution.working,
    /** Maximum time of a stop, in milliseconds. */
    stopDeadline: temporal ? Math.max(stopDeadline, (config.shutdownGraceSeconds + stopMargin) * 1000) : stopDeadline,
    /** Stops executing runs in this process; other processes, or its next start, continue them. Idempotent. */
    rest,
    /** Closes everything, the execution of runs first. */
    async close(): Promise<void> {
      clearInterval(cleaning);
      await rest();
      await notifying.close();
      await browser?.close();
      await upstream?.close();
      await readThreads?.close();
      await pool.close();
      await client.close();
      await temporal?.close();
      await telemetry.close();
      await stores.close();
    },
  };
}
