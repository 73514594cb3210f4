import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repositoryFiles } from "../../tools/bench/corpus.ts";
import { letOthersPass } from "../../tools/dev/local-cluster.ts";
import { hasMeilisearch, startMeilisearch } from "../../tools/dev/meilisearch.ts";
import { ensureDatabase, hasPostgres, startPostgres } from "../../tools/dev/postgres.ts";
import { freePort, type Program } from "../../tools/dev/program.ts";
import { hasTemporal, startTemporal } from "../../tools/dev/temporal.ts";
import { amount, endurance } from "../support/endurance.ts";
import { startGitServer } from "../support/git-server.ts";
import { adminKey, startLectern } from "../support/lectern-process.ts";
import { hasBucketServer, startBucketServer } from "./support/bucket-server.ts";
import { tell } from "./support/local.ts";
import { recoveredAfter, startReaders, summarise } from "./support/readers.ts";
import { suspend } from "./support/suspended.ts";

/** How long a server stays away, in milliseconds. */
const awayTime = 1000 * amount({ short: 8, long: 30 });

/** When a request has its answer at the latest, in milliseconds: a probe of a silent server, and more on a busy machine. */
const answeredWithin = 9000;

/** Every server of a deployment, each of which can be started again at its place. */
type Server = "postgres" | "temporal" | "meilisearch" | "bucket";

/** What is right while a server is away. */
const expected = {
  postgres: { reads: false, ready: 503, submission: [503, "search_failed"] },
  temporal: { reads: true, ready: 200, submission: [503, "service_unavailable"] },
  meilisearch: { reads: false, ready: 503, submission: [200, undefined] },
  bucket: { reads: true, ready: 200, submission: [200, undefined] },
} as const;

const programs = { postgres: hasPostgres(), temporal: hasTemporal(), bucket: hasBucketServer() };
const missing = Object.entries(programs).flatMap(([name, isThere]) => (isThere ? [] : [name]));
if (missing.length > 0) process.stdout.write(`skipped: outages of servers, which need ${missing.join(", ")}\n`);

// That a server is killed is tried in faults-servers and faults-index, too. The bucket's server keeps all in its memory.
const ways = [
  ["temporal", "suspended"],
  ["postgres", "suspended"],
  ["bucket", "suspended"],
  ...(hasMeilisearch() ? ([["meilisearch", "suspended"]] as const) : []),
  ...(endurance
    ? ([
        ["temporal", "killed"],
        ["postgres", "killed"],
        ...(hasMeilisearch() ? ([["meilisearch", "killed"]] as const) : []),
      ] as const)
    : []),
] as const;

describe.skipIf(missing.length > 0)(`lectern serve whose servers are away for ${awayTime / 1000} s each`, () => {
  const running = new Map<Server, Program>();
  const starts = new Map<Server, () => Promise<Program>>();
  let folder: string;
  let git: Awaited<ReturnType<typeof startGitServer>>;
  let lectern: Awaited<ReturnType<typeof startLectern>>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "lectern-outages-"));
    await letOthersPass(folder);
    git = await startGitServer();
    const [port, temporalPort, meiliPort] = [await freePort(), await freePort(), await freePort()];
    let database = "";
    starts.set("postgres", async () => {
      const postgres = await startPostgres({ folder: join(folder, "postgres"), port, password: "p", durable: false });
      database = await ensureDatabase(postgres.url, "lectern");
      return postgres;
    });
    starts.set("temporal", () => startTemporal({ folder: join(folder, "temporal"), port: temporalPort, ui: false }));
    const masterKey = "a-master-key-for-tests-only";
    if (hasMeilisearch())
      starts.set("meilisearch", () =>
        startMeilisearch({ folder: join(folder, "meilisearch"), port: meiliPort, key: masterKey }),
      );
    await Promise.all([...starts].map(async ([name, start]) => running.set(name, await start())));
    const bucket = await startBucketServer({ folder });
    running.set("bucket", bucket);
    const credentials = { AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test" };
    const s3 = new S3Client({
      endpoint: bucket.url,
      region: "us-east-1",
      forcePathStyle: true,
      credentials: { accessKeyId: "test", secretAccessKey: "test" },
    });
    await s3.send(new CreateBucketCommand({ Bucket: "docs-of-tests" }));
    s3.destroy();
    lectern = await startLectern(join(folder, "data"), {
      ...credentials,
      DATABASE_URL: database,
      TEMPORAL_ADDRESS: `127.0.0.1:${temporalPort}`,
      BLOB_URL: `s3://docs-of-tests/blobs?endpoint=${bucket.url}&region=us-east-1`,
      ...(hasMeilisearch() && { MEILI_URL: `http://127.0.0.1:${meiliPort}`, MEILI_API_KEY: masterKey }),
      FETCH_ALLOW: git.host,
      SWEEP_SECONDS: "5",
      LOG_LEVEL: "warn",
    });
    await git.repository("acme/steady.git", repositoryFiles(1, { documents: 15, sources: 0 }));
    await submit("/acme/steady", "acme/steady");
    await lectern.settled("/acme/steady");
  }, 300_000);
  afterAll(async () => {
    await lectern?.kill("SIGTERM");
    await Promise.all([...running.values()].map((program) => program.stop()));
    await git?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const submit = (id: string, repository: string) =>
    lectern.call("POST", "/v2/add/repo/git", { docsRepoUrl: `${git.url}/${repository}.git`, libraryName: id });

  /** Asks until the time is over; every answer with the milliseconds that it took. */
  const askUntil = async <T>(
    until: number,
    ask: (at: number) => Promise<T>,
  ): Promise<{ answer: T; took: number }[]> => {
    const seen: { answer: T; took: number }[] = [];
    for (let at = 0; performance.now() < until; at += 1) {
      const begun = performance.now();
      seen.push({ answer: await ask(at), took: performance.now() - begun });
      await sleep(500);
    }
    return seen;
  };

  it.each(ways)("%s %s", { timeout: 300_000 }, async (server, way) => {
    const { reads, ready, submission } = expected[server];
    const [status, error] = submission;
    const readers = await startReaders([{ name: "serve", url: lectern.url }], adminKey, "/acme/steady");
    // One run is in its first step when the server goes, others are wherever they are by then.
    const own = `acme/held-${server}-${way}`;
    await git.repository(`${own}.git`, repositoryFiles(2, { documents: 6, sources: 0 }));
    const gate = git.hold(`${own}.git`);
    const accepted = [`/${server}/held-${way}`, `/${server}/one-${way}`, `/${server}/two-${way}`];
    for (const [at, id] of accepted.entries())
      expect(await submit(id, at === 0 ? own : "acme/steady")).toMatchObject({ status: 200 });
    await gate.reached;

    const program = running.get(server);
    if (!program) throw new Error(`${server} does not run.`);
    const begun = performance.now();
    const resume = way === "suspended" ? suspend(program.pid) : undefined;
    if (!resume) await program.kill();
    setTimeout(() => gate.release(), 1000);
    const until = begun + awayTime;
    const [submissions, readiness] = await Promise.all([
      askUntil(until, (at) => submit(`/${server}/meanwhile-${way}-${at}`, "acme/steady")),
      askUntil(until, () => lectern.call("GET", "/ready")),
    ]);
    const ended = performance.now();
    if (resume) resume();
    else running.set(server, (await starts.get(server)?.()) ?? program);
    const back = performance.now();

    for (const [at, { answer }] of submissions.entries())
      if (answer.status === 200) accepted.push(`/${server}/meanwhile-${way}-${at}`);
    const states = await Promise.all(accepted.map((id) => lectern.settled(id, 250)));
    const settled = Math.round(performance.now() - back);
    await readers.stop();
    const { readings } = readers;
    const away = summarise(readings.filter((one) => one.begun > begun + 500 && one.ended < ended));
    const all = summarise(readings);
    const slowest = (of: readonly { took: number }[]) => Math.round(Math.max(...of.map(({ took }) => took)));
    tell(`${server} ${way}, away for ${awayTime / 1000} s`, {
      away,
      all,
      submissions: submissions.length,
      slowestSubmission: slowest(submissions),
      slowestReadiness: slowest(readiness),
      readsRightAfter: recoveredAfter(readings, back),
      runsSettledAfter: settled,
    });

    expect(all).toMatchObject({ wrong: [], unreachable: 0, ...(reads && { refused: 0 }) });
    if (!reads) expect(away).toMatchObject({ right: 0 });
    expect(all.slowest).toBeLessThan(answeredWithin);
    for (const { answer, took } of submissions) {
      expect(answer).toMatchObject({ status, ...(error && { body: { error } }) });
      expect(took).toBeLessThan(answeredWithin);
    }
    for (const { answer, took } of readiness.slice(1)) {
      expect(answer.status).toBe(ready);
      if (server === "temporal") expect(answer.body).toMatchObject({ checks: { engine: "unreachable" } });
      expect(took).toBeLessThan(answeredWithin);
    }
    expect(states.map(({ state, runs }) => [state, runs])).toEqual(
      states.map(() => ["finalized", [expect.objectContaining({ outcome: "published" })]]),
    );
    expect((await lectern.call("GET", "/ready")).body).toMatchObject({ checks: { engine: "ok" } });
    expect(recoveredAfter(readings, back)).toBeLessThan(answeredWithin);
  });
});
