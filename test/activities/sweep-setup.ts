import { join } from "node:path";
import { pino } from "pino";
import { onTestFinished } from "vitest";
import { announceLibrary } from "../../activities/announce.ts";
import { createPartWriter, writeManifest } from "../../activities/parts.ts";
import type { ReputationSources } from "../../activities/reputation.ts";
import { createActivities } from "../../activities/steps.ts";
import type { SweepPorts } from "../../activities/sweep.ts";
import { createFolderBlobStore } from "../../stores/blobs/folder.ts";
import { createSecrets } from "../../cli/secrets.ts";
import type { NewRun, Source } from "../../domain/ports.ts";
import type { IndexingRequest } from "../../domain/steps.ts";
import { createSqliteLibraryIndex } from "../../search/sqlite/library-index.ts";
import { createSqlitePassageIndex } from "../../search/sqlite/passage-index.ts";
import { ranker } from "../../search/ranking/ranker.ts";
import { createLocalEngine } from "../../workers/local-engine.ts";
import { addLibrary, sampleGeneration } from "../contracts/catalog-samples.ts";
import { codePassage, prosePassage, partOf } from "../contracts/passage-samples.ts";
import { openEmptyCatalog } from "../support/empty-catalog.ts";
import { temporaryFolder } from "../support/lectern-process.ts";

const lines = [codePassage("s1", { title: "Cache", code: "cache()" }), prosePassage("s2", "Caches keep answers.")];
const log = pino({ level: "silent" });
/** Hosts and registries are out of reach. */
const askingNobody: ReputationSources = {
  askHost: async () => undefined,
  askRegistry: async () => undefined,
  hostOf: () => "git",
};
const control = () => ({ signal: new AbortController().signal, report: () => {} });

/** The lines of a generation, of either format; two are served. */
export interface Stored {
  readonly format: 1 | 2;
  readonly lines: readonly object[];
}

/** Embedded adapters with a real engine, unless the test gives another one. */
export async function setup(overrides: Partial<SweepPorts> = {}) {
  const folder = await temporaryFolder();
  const catalog = await openEmptyCatalog(join(folder.path, "catalog.sqlite"));
  const blobs = createFolderBlobStore({ folder: join(folder.path, "blobs") });
  const passages = createSqlitePassageIndex({ folder: join(folder.path, "index") });
  const libraries = createSqliteLibraryIndex({ file: join(folder.path, "libraries.sqlite") });
  const now = Date.now;
  const unread: Source = {
    kind: "git",
    resolve: () => Promise.reject(new Error("No source is read here.")),
    read: () => {
      throw new Error("No source is read here.");
    },
  };
  const activityPorts = {
    catalog,
    blobs,
    passages,
    libraries,
    now,
    secrets: { seal: (plain: string) => plain, open: (sealed: string) => sealed },
    sources: {
      git: unread,
      folder: unread,
      llmstxt: unread,
      openapi: unread,
      website: unread,
      confluence: unread,
      notion: unread,
      package: unread,
      upload: unread,
    },
    parse: () => Promise.reject(new Error("Nothing is parsed here.")),
    scratch: join(folder.path, "work"),
    limits: { pages: 10, bytes: 1e6, pageBytes: 1e6, tokens: 1e6 },
    shrinkLimit: 0.5,
    keepFailed: 5,
    keepGenerations: 1,
    storageUse: async () => 0,
    grace: 0,
    ranker,
    onPendingRename: () => {},
    ...askingNobody,
  };
  const engine = createLocalEngine({
    activities: (step) => createActivities(activityPorts, step),
    catalog,
    owner: "test",
    runsAtOnce: 4,
    log,
    now,
  });
  let runs = 0;
  const problems: unknown[] = [];
  const ports: SweepPorts = {
    catalog,
    blobs,
    passages,
    libraries,
    now,
    indexing: engine,
    refreshes: { atOnce: 10, perHost: 10 },
    looked: new Map(),
    auditDays: 30,
    metricsDays: 30,
    unusedVersionDays: 60,
    unservedDays: 7,
    storageUse: async () => 0,
    grace: 0,
    feedbackDays: 90,
    secrets: createSecrets([{ id: "test", key: Buffer.alloc(32, 7) }]),
    deliver: async () => 0,
    mayBeUnderway: () => false,
    isFresh: () => false,
    ranker,
    ...askingNobody,
    announce: (uid) => announceLibrary({ catalog, blobs, libraries }, uid),
    newRun: (reason, generation): NewRun => {
      runs += 1;
      return { runId: `run-${runs}`, reason, priority: 0, ...(generation !== undefined && { generation }) };
    },
    onProblem: (error) => problems.push(error),
    ...overrides,
  };
  onTestFinished(async () => {
    await engine.close();
    await passages.close();
    libraries.close();
    await catalog.close();
    await folder[Symbol.asyncDispose]();
  });

  /** Stores the generation of a run as it is before it is registered. */
  const store = async (id: string, stored: Stored = { format: 2, lines }): Promise<void> => {
    const writer = createPartWriter(blobs, id, "a1");
    await writer.write(
      { path: "docs/a.md", url: "https://docs.example.com/a", outcome: "indexed" },
      Buffer.from(stored.lines.map((line) => `${JSON.stringify(line)}\n`).join("")),
      stored.lines.length,
    );
    const { parts, pages } = await writer.close();
    const { createdAt: _, libraryUid: __, id: ___, ...rest } = sampleGeneration(id, "x", 1, { counts: figures });
    const source = {
      kind: "folder",
      path: "/srv",
      selection: { folders: [], excludeFolders: null, excludeFiles: null },
    } as const;
    const manifest = {
      ...rest,
      format: stored.format,
      generation: id,
      library: { teamspace: "", id: "/a/b" },
      title: "T",
      description: "D",
    } as const;
    await writeManifest(blobs, { ...manifest, source, parts, pages, language: "ts" });
  };
  const load = async (id: string): Promise<number> =>
    passages.load(
      id,
      (async function* () {
        yield partOf(lines);
      })(),
      { ...control(), language: "ts" },
    );
  return {
    folder: folder.path,
    catalog,
    blobs,
    passages,
    libraries,
    ports,
    steps: createActivities(activityPorts, control),
    engine,
    problems,
    store,
    load,
    /** A library whose first run, and so its live generation, is `<uid>-1`; the index has it unless told otherwise. */
    async published(
      uid: string,
      { loaded = true, stored }: { loaded?: boolean; stored?: Stored } = {},
    ): Promise<string> {
      const id = `${uid}-1`;
      await addLibrary(catalog, uid, { id: `/a/${uid}` });
      await store(id, stored);
      await catalog.generations.stage(sampleGeneration(id, uid, 1, { counts: figures }));
      if (loaded) await load(id);
      await catalog.generations.publish({ runId: id, generation: id, live: null }, now());
      await ports.announce(uid);
      await catalog.runs.close(id, { outcome: "published", revision: "rev-1" }, now());
      return id;
    },
    stored: async (id: string): Promise<boolean> =>
      (await Array.fromAsync(blobs.list(`generations/${id}/`))).length > 0,
  };
}

/** The request of the first run of the library `a`. */
export const firstRequest: IndexingRequest = {
  runId: "a-1",
  teamspace: "",
  libraryUid: "a",
  libraryId: "/a/a",
  version: "",
  reason: "submit",
};

/** The counts of every generation that is stored here. */
export const figures = { ...sampleGeneration("x", "x", 1).counts, code: 1, info: 1 };
