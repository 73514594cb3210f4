import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Logger } from "pino";
import { announceLibrary } from "../activities/announce.ts";
import { createFetchClient } from "../activities/fetch/client.ts";
import { createGuard } from "../activities/fetch/guard.ts";
import type { Guard } from "../activities/fetch/guard.ts";
import { createParsePool } from "../activities/parse-pool.ts";
import { readManifest } from "../activities/parts.ts";
import { createFolderSource } from "../activities/sources/folder.ts";
import { createGitSource } from "../activities/sources/git/index.ts";
import { createActivities } from "../activities/steps.ts";
import { sweep } from "../activities/sweep.ts";
import type { Swept } from "../activities/sweep.ts";
import { createFolderBlobStore } from "../blobs/folder.ts";
import { openSqliteCatalog } from "../catalog/sqlite.ts";
import { ownDocsFolder } from "../config.ts";
import type { Config } from "../config.ts";
import type { AnsweringPorts } from "../domain/answering.ts";
import type { OperatingPorts } from "../domain/operating.ts";
import type { BlobStore, Source } from "../domain/ports.ts";
import type { Manifest } from "../domain/snippet.ts";
import { indexVersion, newRun } from "../domain/submitting.ts";
import { extensions } from "../extract/index.ts";
import { ranker } from "../ranking/ranker.ts";
import { createSqliteLibraryIndex } from "../search/sqlite/library-index.ts";
import { createSqliteSnippetIndex } from "../search/sqlite/snippet-index.ts";
import { createLocalEngine } from "../workers/local-engine.ts";
import type { LocalEngine } from "../workers/local-engine.ts";
import { createSecrets, loadRing } from "./secrets.ts";

/** Everything that commands use, built from the configuration. */
export interface Lectern {
  readonly ports: AnsweringPorts & OperatingPorts & { manifest(generation: string): Promise<Manifest | undefined> };
  readonly blobs: BlobStore;
  readonly engine: LocalEngine;
  readonly guard: Guard;
  sweep(options: { thorough: boolean }): Promise<Swept>;
  /** Closes everything, the engine first. */
  close(): Promise<void>;
}

/** A half-written blob older than this, in milliseconds, is of a process that died. */
const uploadsTakeAtMost = 3_600_000;

/** An id that sorts by the time it was made: of a run, a library, a credential. */
export function newId(): string {
  return `${Date.now().toString(36).padStart(9, "0")}${randomBytes(10).toString("hex")}`;
}

/** Builds the embedded adapters and the stories' ports over them. `dataFolder` is the process's own. */
export async function compose(config: Config, dataFolder: string, log: Logger): Promise<Lectern> {
  const now = Date.now;
  const guard = createGuard({ allow: config.fetchAllow });
  const client = createFetchClient({ guard, userAgent: "Lectern/0.1 (+https://github.com/lectern-docs/lectern)" });
  const catalog = await openSqliteCatalog({ file: join(dataFolder, "catalog.sqlite") });
  const blobs = createFolderBlobStore({ folder: join(dataFolder, "blobs") });
  const snippets = createSqliteSnippetIndex({ folder: join(dataFolder, "index") });
  const libraries = createSqliteLibraryIndex({ file: join(dataFolder, "libraries.sqlite") });
  const secrets = createSecrets(
    await loadRing({ configured: config.encryptionKeys, file: join(dataFolder, "encryption.key") }),
  );
  const pool = createParsePool({ threads: config.parseThreads });
  const scratch = join(dataFolder, "work");

  const activityPorts = {
    catalog,
    blobs,
    snippets,
    libraries,
    secrets,
    sources: {
      git: createGitSource({ client, guard, gitBinary: config.gitBinary, extensions }) as Source,
      folder: createFolderSource({ roots: [...config.folderRoots, ownDocsFolder], extensions }) as Source,
    },
    parse: pool.parse,
    scratch,
    limits: {
      pages: config.maxPages,
      bytes: config.maxBytes,
      pageBytes: config.maxPageBytes,
      tokens: config.maxTokens,
    },
    shrinkLimit: config.shrinkLimit,
    keepGenerations: config.keepGenerations,
    grace: config.graceSeconds * 1000,
    now,
  };
  const engine = createLocalEngine({
    catalog,
    activities: (step) => createActivities(activityPorts, step),
    owner: `${hostname()}:${process.pid}:${newId()}`,
    runsAtOnce: config.runsAtOnce,
    log,
    now,
    onRun: pool.warm,
  });
  const submitting = { catalog, indexing: engine, secrets, newId, now };
  const ports = {
    ...submitting,
    snippets,
    libraries,
    ranker,
    announce: (uid: string) => announceLibrary({ catalog, blobs, libraries }, uid),
    indexVersion: indexVersion.bind(undefined, submitting),
    manifest: (generation: string) => readManifest(blobs, generation),
  };
  return {
    ports,
    blobs,
    engine,
    guard,
    async sweep(options) {
      if (options.thorough) await blobs.sweepTemporary(now() - uploadsTakeAtMost);
      return sweep({ ...ports, blobs, scratch, newRun: newRun.bind(undefined, submitting) }, options);
    },
    async close() {
      await engine.close();
      await pool.close();
      await client.close();
      await snippets.close();
      libraries.close();
      await catalog.close();
    },
  };
}
