import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Writable } from "node:stream";

import { pino } from "pino";

import type { ApiAnswer } from "../../api/answers.ts";
import { createApp } from "../../api/app.ts";
import type { ApiRequest } from "../../api/request.ts";
import { hashKey, makeKey } from "../../api/keys.ts";
import { createMemoryLimiter } from "../../api/memory-limiter.ts";
import type { ApiOptions, ApiSettings } from "../../api/options.ts";
import { createFolderBlobStore } from "../../stores/blobs/folder.ts";
import { screenText } from "../../extract/screen/index.ts";
import { createSecrets } from "../../cli/secrets.ts";
import type { Scope } from "../../domain/access.ts";
import { Failure, type FailureCode } from "../../domain/failures.ts";
import type { SourceSpec } from "../../domain/kinds/index.ts";
import { foldId } from "../../domain/library.ts";
import type { LibraryEntry, RunRecord } from "../../domain/ports.ts";
import { servedSnippets, type Manifest, type Unread } from "../../domain/generation.ts";
import { kindsOf, type Passage } from "../../domain/passage.ts";
import type { SourceSettings } from "../../domain/source.ts";
import { createPolicies } from "../../domain/policies.ts";
import { indexVersion } from "../../domain/refreshing-versions.ts";
import { problemsOf } from "../support/described.ts";
import { catalogOfTest } from "../support/of-test.ts";
import { deployment } from "./deployment.ts";
import { entriesIndex } from "./entries-index.ts";
import { loadedIndex } from "./loaded-index.ts";
import { loadedPages } from "./loaded-pages.ts";
import { createCounts } from "./counts.ts";
import { ranker } from "./ranker.ts";
import { emptyPreview, foundPassages, pageOutcomes } from "./samples.ts";
import { apiSettings, readHere } from "./settings.ts";

export const adminKey = "operator-key-of-the-tests";
const startTime = Date.parse("2026-01-02T03:04:05Z");

/** The parts of a test's request. */
export interface TestRequest {
  readonly body?: unknown;
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Instead of a JSON body. */
  readonly readBody?: () => Promise<Uint8Array>;
  readonly address?: string;
  readonly signal?: AbortSignal;
}

/** A GET request for an app that a test has built itself. */
export function getRequest(target: string, headers: ApiRequest["headers"] = {}): ApiRequest {
  const [path = "", query = ""] = target.split("?");
  return {
    method: "GET",
    path,
    query: new URLSearchParams(query),
    headers: { host: "docs.example.com", ...headers },
    remoteAddress: "192.0.2.1",
    readBody: async () => new Uint8Array(),
    signal: new AbortController().signal,
  };
}

/** A snapshot of an app's data, with which another one can start. */
interface Stored {
  /** The file of the catalog. */
  readonly catalog: Uint8Array;
  readonly loaded: ReadonlyMap<string, readonly Passage[]>;
  readonly entries: ReadonlyMap<string, LibraryEntry>;
  readonly manifests: ReadonlyMap<string, Manifest>;
  /** Number of generated IDs. */
  readonly ids: number;
}

/** The app on a SQLite catalog, with a fake index, engine and clock. */
export async function setup(settings: Partial<ApiSettings> = {}, overrides: Partial<ApiOptions> = {}, begin?: Stored) {
  const { catalog, folder } = await catalogOfTest(begin?.catalog);
  const blobs = createFolderBlobStore({ folder: join(folder, "blobs") });
  const clock = { now: startTime };
  const loaded = new Map(begin?.loaded);
  const entries = new Map(begin?.entries);
  const manifests = new Map(begin?.manifests);
  const engine = { started: [] as RunRecord[], cancelled: [] as string[], down: false, isAway: false };
  const sourceHost = { asked: [] as { source: SourceSpec; credential: object }[], refusal: null as Error | null };
  const logged: string[] = [];
  const lost: string[] = [];
  const { counts, counting } = createCounts();
  let ids = begin?.ids ?? 0;
  const newId = (): string => `id-${String((ids += 1)).padStart(6, "0")}`;

  const passages = loadedIndex(loaded, { onQuery: () => (counts.answered += 1), isDown: () => engine.down });
  const libraries = entriesIndex(entries);
  const submitting = {
    catalog,
    policies: createPolicies(catalog.teamspaces, () => clock.now),
    blobs,
    secrets: createSecrets([{ id: "test", key: Buffer.alloc(32, 7) }]),
    async checkToken(url: URL) {
      if (url.protocol === "http:" && url.hostname !== "localhost")
        throw new Failure("address_not_allowed", `A token for ${url.host} would be sent over plain http.`);
    },
    newId,
    now: () => clock.now,
    indexing: {
      start: async (run: RunRecord) => void engine.started.push(run),
      cancel: async (run: RunRecord) => void engine.cancelled.push(run.runId),
      async ready() {
        if (!engine.down && !engine.isAway) return;
        const message = "The engine is stopping. Try again in a moment.";
        throw new Failure("service_unavailable", message, { retryAfter: 5 });
      },
    },
  };
  const options: ApiOptions = {
    version: "1.2.3",
    ports: {
      ...submitting,
      passages,
      pages: loadedPages(loaded),
      libraries,
      ranker,
      toLanguage: (name) => (name === "javascript" ? "js" : name),
      announce: async () => {},
      indexVersion: (library, ref) => indexVersion(submitting, library, ref),
      async restore(generation) {
        lost.push(generation.id);
        await catalog.generations.noteUnindexed([generation.id], true, clock.now);
      },
      manifest: async (generation) => manifests.get(generation),
      findings: async () => foundPassages,
      damageOf: async () => undefined,
      async resolveSource(source, credential) {
        sourceHost.asked.push({ source, credential });
        if (sourceHost.refusal) throw sourceHost.refusal;
      },
      repositoriesOf: async () => ({ repositories: [], isComplete: true }),
      screenText: async (text) => screenText(text),
      testReceiver: async ({ url }) =>
        url.includes("gone")
          ? { outcome: "gone", result: "It answered 410." }
          : { outcome: "accepted", result: "It answered 204." },
      async previewOf(source, credential) {
        sourceHost.asked.push({ source, credential: credential ?? {} });
        if (sourceHost.refusal) throw sourceHost.refusal;
        return emptyPreview;
      },
    },
    limiter: createMemoryLimiter(),
    log: pino({ level: "debug" }, new Writable({ write: (line, _, done) => done(void logged.push(String(line))) })),
    checkUrl(url) {
      if (url.hostname === "10.0.0.1")
        throw new Failure("address_not_allowed", "10.0.0.1 is not public. Add it to FETCH_ALLOW to permit it.");
    },
    async checkFolder(path) {
      if (path.startsWith("/srv/docs")) return path;
      throw new Failure("validation_error", "The folder is not inside FOLDER_ROOTS. Move it there, or add its root.");
    },
    ...counting,
    readLockfile: readHere,
    deployment: async () => deployment,
    adminKeyHash: hashKey(adminKey),
    settings: { ...apiSettings, ...settings },
    openapi: { openapi: "3.1.0", info: { title: "Lectern", version: "1.0.0" }, tags: [], paths: {}, components: {} },
    ...overrides,
  };
  const answer = createApp(options);

  /** The app; throws if an answer does not match its description. */
  async function app(request: ApiRequest): Promise<ApiAnswer> {
    const response = await answer(request);
    const { status, headers, body } = response;
    const problems = problemsOf(request.method, request.path, { status, type: headers["Content-Type"], body });
    if (problems.length === 0) return response;
    throw new Error(`${request.method} ${request.path}, ${status}: ${problems.join("; ")}`);
  }

  /** Sends a request; by default with the admin key, with `key: null` without one. */
  async function send(method: string, target: string, request: TestRequest = {}): Promise<ApiAnswer> {
    const [path = "", query = ""] = target.split("?");
    const bytes = request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body));
    const key = request.key === undefined ? adminKey : request.key;
    return app({
      method,
      path: `/api${path}`,
      query: new URLSearchParams(query),
      headers: {
        host: "docs.example.com",
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(bytes && { "content-type": "application/json", "content-length": String(bytes.length) }),
        ...request.headers,
      },
      remoteAddress: request.address ?? "192.0.2.1",
      readBody: request.readBody ?? (async () => bytes ?? new Uint8Array()),
      signal: request.signal ?? new AbortController().signal,
    });
  }

  /** Adds a key to the catalog. */
  async function addKey(
    scopes: readonly Scope[],
    more: { teamspace?: string; libraries?: readonly string[]; expiresAt?: number } = {},
  ): Promise<{ key: string; id: string }> {
    const { key, hash, hint } = makeKey();
    const id = newId();
    const teamspace = more.teamspace ?? "default";
    await catalog.teamspaces.add({ id: teamspace, title: teamspace, createdAt: clock.now });
    await catalog.keys.add({
      id,
      teamspace,
      name: "test",
      hash,
      hint,
      scopes,
      libraries: more.libraries ?? [],
      createdAt: clock.now,
      expiresAt: more.expiresAt ?? null,
      revokedAt: null,
    });
    return { key, id };
  }

  /** Submits a repository with the admin key; returns the run's ID. */
  async function submit(id: string, fields: object = {}): Promise<string> {
    const body = { docsRepoUrl: `https://git.example.com${id}`, ...fields };
    const { status, body: answer } = await send("POST", "/v2/add/repo/git", { body });
    if (status !== 200) throw new Error(JSON.stringify(answer));
    return (answer as { runId: string }).runId;
  }

  /** Plays the engine: stages a generation, and publishes or holds it. */
  async function finish(runId: string, served: readonly Passage[], held = false): Promise<void> {
    const run = await catalog.runs.get(runId);
    const library = run && (await catalog.libraries.get(run.libraryUid));
    if (!run || !library) throw new Error(`There is no run ${runId}.`);
    const figures = {
      pages: 3,
      pagesSkipped: 1,
      pagesFailed: 1,
      passages: served.length,
      code: served.flatMap(({ blocks }) => blocks).filter(({ type }) => type === "code").length,
      info: served.filter((passage) => kindsOf(passage).includes("info")).length,
      quarantined: 0,
      duplicates: 0,
      tokens: served.reduce((sum, { tokens }) => sum + tokens, 0),
      bytes: 2048,
    };
    const common = {
      revision: "c0ffee",
      ref: "main",
      optionsHash: "options",
      extractor: "1",
      contentHash: `content-${runId}`,
      counts: figures,
    };
    const { libraryUid, version } = run;
    const live = (await catalog.libraries.versionsOf(libraryUid)).find((one) => one.version === version)?.live ?? null;
    await catalog.generations.stage({ id: runId, libraryUid, version, createdAt: clock.now, ...common });
    loaded.set(runId, served);
    manifests.set(runId, {
      format: 2,
      generation: runId,
      library: { teamspace: library.teamspace, id: library.id },
      version,
      title: library.title,
      description: "",
      source: library.source,
      parts: [],
      language: "",
      pages: pageOutcomes,
      ...common,
    });
    if (held) await catalog.generations.hold(runId, clock.now);
    else await catalog.generations.publish({ runId, generation: runId, live: live?.id ?? null }, clock.now);
    await catalog.runs.close(runId, { outcome: held ? "held" : "published", revision: "c0ffee" }, clock.now);
    entries.set(libraryUid, {
      uid: libraryUid,
      key: { teamspace: library.teamspace, id: foldId(library.id) },
      id: library.id,
      title: library.title,
      description: library.description,
      aliases: [],
      source: "https://git.example.com/x",
      branch: "main",
      versions: ["", "v1.0"],
      totalSnippets: servedSnippets(figures),
      totalTokens: figures.tokens,
      trust: 7,
      updatedAt: clock.now,
    });
  }

  /** Plays the engine: fails a run. */
  async function fail(runId: string, code: FailureCode, message: string): Promise<void> {
    await catalog.runs.close(runId, { outcome: "failed", failure: { code, message } }, clock.now);
  }

  /** Sets the settings of the library's own file in a generation, and what was not read. */
  function own(generation: string, settings: SourceSettings, unread?: Unread): void {
    const manifest = manifests.get(generation);
    if (manifest) manifests.set(generation, { ...manifest, settings, ...(unread && { unread }) });
  }

  /** Takes a snapshot. */
  async function stored(): Promise<Stored> {
    const copy = join(folder, "copy.sqlite");
    using opened = new DatabaseSync(join(folder, "catalog.sqlite"));
    opened.exec(`VACUUM INTO '${copy}'`);
    return { catalog: await readFile(copy), loaded, entries, manifests, ids };
  }

  return {
    app,
    stored,
    options,
    send,
    addKey,
    submit,
    finish,
    fail,
    own,
    catalog,
    engine,
    sourceHost,
    clock,
    logged,
    counts,
    loaded,
    lost,
  };
}
