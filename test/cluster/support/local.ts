import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, Connection } from "@temporalio/client";
import { expect } from "vitest";
import { repositoryFiles } from "../../../tools/bench/corpus.ts";
import { openPostgresCatalog } from "../../../stores/catalog/postgres.ts";
import { startLocalCluster, type LocalCluster, type Part } from "../../../tools/dev/local-cluster.ts";
import { hasMeilisearch } from "../../../tools/dev/meilisearch.ts";
import { hasPostgres } from "../../../tools/dev/postgres.ts";
import { hasTemporal } from "../../../tools/dev/temporal.ts";
import type { Catalog } from "../../../domain/ports.ts";
import { servedPassages, type Counts } from "../../../domain/generation.ts";
import type { StepName } from "../../../domain/steps.ts";
import { libraryWorkflowId } from "../../../workers/temporal-engine.ts";
import type { GitRepository } from "../../support/git-repository.ts";
import { startGitServer, type GitServer } from "../../support/git-server.ts";

/** How long a server stays away in a test, in seconds: 20, or FAULT_SECONDS. */
export const faultSeconds = Number(process.env["FAULT_SECONDS"] ?? 20);

/** Programs that a local cluster needs and this machine lacks. They have to be killed, so that no URL can replace them. */
export const missingPrograms: readonly string[] = Object.entries({
  postgres: hasPostgres(),
  temporal: hasTemporal(),
  meilisearch: hasMeilisearch(),
}).flatMap(([name, there]) => (there ? [] : [name]));

if (missingPrograms.length > 0)
  process.stdout.write(`skipped: faults on a local cluster, which needs ${missingPrograms.join(", ")} on the PATH\n`);

/** Documents of the repositories that libraries are made of; each document has about 9,000 characters. */
const sizes = [6, 15, 40] as const;
/** Which of them a library is made of. */
export type Size = 0 | 1 | 2;

/** A library that is submitted, read while everything else breaks, and never touched again. */
export const steadyLibrary = "/twin/size-1";

/** An answer of an API process. */
export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  /** Milliseconds that it took. */
  readonly took: number;
}

/** A cluster of real processes, libraries in it that nothing disturbed, and ways to submit more. */
export interface LocalRig extends AsyncDisposable {
  readonly cluster: LocalCluster;
  /** The cluster's folder. */
  readonly folder: string;
  readonly git: GitServer;
  readonly catalog: Catalog;
  /** A request with the admin key to one of the API processes. */
  call(method: string, path: string, body?: unknown, api?: number): Promise<Answer>;
  /** Submits a library under an ID, from the shared repository of that size, and expects it to be accepted. */
  submit(id: string, size: Size): Promise<void>;
  /** Submits one from a repository of its own, whose step to resolve or collect then stands still until it is released. */
  submitHeld(id: string, size: Size, step: "resolve" | "collect"): Promise<{ release(): void }>;
  /** Submits one from a repository of its own, which can change. */
  submitOwn(id: string, size: Size): Promise<void>;
  /** Makes such a library's repository one of another size, and refreshes the library. */
  change(id: string, size: Size): Promise<void>;
  /** Waits until a step of the library's run is with a worker, and answers which one. */
  workerIn(step: StepName, id: string): Promise<Part>;
  /** Waits until no run is open; milliseconds that it took. */
  settled(withinSeconds: number): Promise<number>;
  /**
   * Every library that was submitted is finalized by one run, with what an undisturbed one has, and index and catalog
   * have each once.
   */
  expectAllWhole(): Promise<void>;
  /** Steps of all runs that were begun again because their worker was lost, with how often. */
  lostSteps(): Promise<Readonly<Record<string, number>>>;
}

/** Starts a cluster with two API processes and two workers, and indexes one library of each size in peace. */
export async function openLocalRig(env: Readonly<Record<string, string>> = {}): Promise<LocalRig> {
  const folder = await mkdtemp(join(tmpdir(), "lectern-faults-"));
  const git = await startGitServer();
  const cluster = await startLocalCluster({
    folder,
    env: {
      FETCH_ALLOW: git.host,
      RATE_LIMIT_READS: "1000000",
      RATE_LIMIT_SUBMISSIONS: "1000000",
      SWEEP_SECONDS: "5",
      LOG_LEVEL: "warn",
      ...env,
    },
    apiPorts: [0, 0],
    workers: [{ WORKER_QUEUES: "main,git,crawl,load" }, { WORKER_QUEUES: "main,git,crawl,load" }],
    ui: false,
    durable: false,
  }).catch(async (error: unknown) => {
    await git.close();
    await rm(folder, { recursive: true, force: true });
    throw error;
  });
  const catalog = await openPostgresCatalog({ url: cluster.env["DATABASE_URL"] ?? "", migrate: false });
  const connection = Connection.lazy({ address: cluster.env["TEMPORAL_ADDRESS"] ?? "", interceptors: [] });
  const { workflow } = new Client({ connection, namespace: "lectern" });
  const submitted = new Map<string, Size>();
  const repositories = new Map<string, GitRepository>();
  const undisturbed = new Map<Size, { counts: Counts; contentHash: string }>();
  const contents = sizes.map((documents, at) => repositoryFiles(at + 1, { documents, sources: 0 }));

  const call: LocalRig["call"] = async (method, path, body, api = 0) => {
    const begun = performance.now();
    const answered = await fetch(`${cluster.apis[api]?.url}/api${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${cluster.adminKey}`,
        ...(body !== undefined && { "Content-Type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answered.text();
    return {
      status: answered.status,
      body: JSON.parse(text) as Record<string, unknown>,
      took: performance.now() - begun,
    };
  };
  const status = async (id: string): Promise<Record<string, unknown>> =>
    (await call("GET", `/v2/libs/status?libraryId=${id}`)).body;
  const submitFrom = async (id: string, size: Size, url: string): Promise<void> => {
    const ask = (): Promise<Answer> => call("POST", "/v2/add/repo/git", { docsRepoUrl: url, libraryName: id });
    let answer = await ask();
    // On a busy machine Temporal may not answer in time; a refusal has left nothing behind, or the next one were a 409.
    for (let refused = 0; answer.status === 503 && refused < 5; refused += 1) answer = await ask();
    expect(answer).toMatchObject({ status: 200 });
    submitted.set(id, size);
  };
  const submit: LocalRig["submit"] = (id, size) => submitFrom(id, size, `${git.url}/acme/size-${size}.git`);
  const workerIn: LocalRig["workerIn"] = async (step, id) => {
    const handle = workflow.getHandle(libraryWorkflowId({ teamspace: "", libraryId: id, version: "" }));
    for (const until = Date.now() + 60_000; Date.now() < until; await sleep(3)) {
      const { raw } = await handle.describe();
      const begun = raw.pendingActivities?.find(
        ({ activityType, lastStartedTime }) => activityType?.name === step && lastStartedTime,
      );
      const pid = Number(begun?.lastWorkerIdentity?.split("@")[0]);
      const worker = cluster.workers.find((part) => part.pid === pid);
      if (worker) return worker;
    }
    throw new Error(`No worker was seen in ${step} of ${id}.`);
  };
  const settled: LocalRig["settled"] = async (withinSeconds) => {
    const begun = performance.now();
    for (;;) {
      const open = await catalog.runs.openRuns();
      const took = performance.now() - begun;
      if (open.length === 0) return Math.round(took);
      if (took > withinSeconds * 1000) {
        const stuck = open.map(({ libraryId, phase }) => `${libraryId} in ${phase}`).join(", ");
        throw new Error(`After ${withinSeconds} s runs are still open: ${stuck}`);
      }
      await sleep(100);
    }
  };
  const contentHash = async (liveId: string): Promise<string | undefined> =>
    (await catalog.generations.get(liveId))?.contentHash;

  const rig: LocalRig = {
    cluster,
    folder,
    git,
    catalog,
    call,
    submit,
    workerIn,
    settled,
    async submitOwn(id, size) {
      const repository = await git.repository(`own${id}.git`, contents[size] ?? {});
      repositories.set(id, repository);
      await submitFrom(id, size, repository.url);
    },
    async change(id, size) {
      const before = Object.keys(contents[submitted.get(id) ?? 0] ?? {}).map((path) => [path, null] as const);
      await repositories.get(id)?.commit({ ...Object.fromEntries(before), ...contents[size] });
      expect(await call("POST", "/v1/refresh", { libraryName: id })).toMatchObject({ status: 200 });
      submitted.set(id, size);
    },
    async submitHeld(id, size, step) {
      const name = `own${id}.git`;
      const { url } = await git.repository(name, contents[size] ?? {});
      let gate = git.hold(name);
      await submitFrom(id, size, url);
      await gate.reached;
      // Requests are let through one by one until the step is reached that is wanted.
      while (step === "collect" && (await status(id))["phase"] !== "collecting") {
        const passed = gate;
        passed.release();
        gate = git.hold(name);
        await Promise.race([gate.reached, sleep(100)]);
        await sleep(50);
      }
      await gate.reached;
      return gate;
    },
    async expectAllWhole() {
      const live = await catalog.generations.live();
      for (const [id, size] of submitted) {
        const found = await status(id);
        const expected = undisturbed.get(size);
        const runs = (found["runs"] as { reason: string }[]).filter(({ reason }) => reason === "submit");
        expect({ id, state: found["state"], runs }).toMatchObject({
          id,
          state: "finalized",
          runs: [{ outcome: "published", failure: null }],
        });
        const { id: generation, counts } = found["live"] as { id: string; counts: Counts };
        expect({ id, counts, contentHash: await contentHash(generation) }).toEqual({ id, ...expected });
      }
      expect(live).toHaveLength(submitted.size);
      const libraries = (await call("GET", "/v2/libs?limit=100")).body["libraries"] as { libraryId: string }[];
      expect(libraries.map(({ libraryId }) => libraryId).toSorted()).toEqual([...submitted.keys()].toSorted());
      const served = live.reduce((total, { counts }) => total + servedPassages(counts), 0);
      // What was replaced is gone after the next sweeps.
      await expect
        .poll(() => indexed(cluster), { timeout: 30_000, interval: 500 })
        .toEqual({ snippets: served, generations: submitted.size, libraries: submitted.size });
    },
    async lostSteps() {
      const lost: Record<string, number> = {};
      for (const id of submitted.keys()) {
        const { events } = await workflow
          .getHandle(libraryWorkflowId({ teamspace: "", libraryId: id, version: "" }))
          .fetchHistory();
        const scheduled = new Map(
          events?.map(({ eventId, activityTaskScheduledEventAttributes: attributes }) => [
            String(eventId),
            attributes?.activityType?.name ?? "",
          ]),
        );
        for (const { activityTaskStartedEventAttributes: started } of events ?? []) {
          if (!started?.lastFailure?.timeoutFailureInfo) continue;
          const step = scheduled.get(String(started.scheduledEventId)) ?? "";
          lost[step] = (lost[step] ?? 0) + 1;
        }
      }
      return lost;
    },
    async [Symbol.asyncDispose]() {
      await connection.close();
      await catalog.close();
      await cluster.stop();
      await git.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  try {
    for (const [at, files] of contents.entries()) await git.repository(`acme/size-${at}.git`, files);
    for (const size of [0, 1, 2] as const) await submit(`/twin/size-${size}`, size);
    await settled(60);
    for (const size of [0, 1, 2] as const) {
      const { live } = (await status(`/twin/size-${size}`)) as { live: { id: string; counts: Counts } };
      undisturbed.set(size, { counts: live.counts, contentHash: (await contentHash(live.id)) ?? "" });
    }
    return rig;
  } catch (error) {
    await rig[Symbol.asyncDispose]();
    throw error;
  }
}

/** Submits libraries whose runs are in every stage when something breaks; `release` lets the two go on that are held. */
export async function submitMany(rig: LocalRig, owner: string): Promise<{ release(): void }> {
  const held = [
    await rig.submitHeld(`/${owner}/held-in-resolve`, 0, "resolve"),
    await rig.submitHeld(`/${owner}/held-in-collect`, 1, "collect"),
  ];
  for (let at = 0; at < 10; at += 1) await rig.submit(`/${owner}/library-${at}`, (at % 3) as Size);
  return {
    release() {
      for (const gate of held) gate.release();
    },
  };
}

/** Prints what a fault came to: docs/reference/faults.md is made of these lines. */
export function tell(fault: string, seen: object): void {
  process.stdout.write(`fault: ${fault}: ${JSON.stringify(seen)}\n`);
}

/** How many documents our indexes in Meilisearch have. */
async function indexed(cluster: LocalCluster): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const name of ["snippets", "generations", "libraries"]) {
    const answered = await fetch(`${cluster.env["MEILI_URL"]}/indexes/lectern_${name}/stats`, {
      headers: { Authorization: `Bearer ${cluster.env["MEILI_API_KEY"]}` },
    });
    counts[name] = ((await answered.json()) as { numberOfDocuments: number }).numberOfDocuments;
  }
  return counts;
}
