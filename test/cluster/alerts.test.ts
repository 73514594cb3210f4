import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, describe, inject, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { hasPostgres, startPostgres } from "../../tools/dev/postgres.ts";
import { freePort } from "../../tools/dev/program.ts";
import { day } from "../../domain/days.ts";
import { inPipe } from "../support/command-line.ts";
import { startGitServer } from "../support/git-server.ts";
import { startLectern, type LecternProcess } from "../support/lectern-process.ts";
import { folderOfTest } from "../support/of-test.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import { files } from "../e2e/setup.ts";
import { alertRules, differences, watch, type Watched } from "./support/alerts.ts";
import { startPassage } from "./support/passage.ts";

const promtool = inject("promtool");
const temporal = inject("temporal");

/** Alerts that a test has provoked. */
const provoked = new Set<string>();

/** What promtool says against exactly these alerts after so many minutes in the same state; "" for nothing. */
function otherThan(watched: Watched, minutes: number, ...alerts: readonly string[]): Promise<string> {
  for (const alert of alerts) provoked.add(alert);
  return differences(promtool ?? "", watched, minutes, alerts);
}

/** A server, started in the folder or a new one, that sweeps each second. */
async function start(env: Record<string, string> = {}, folder?: string): Promise<LecternProcess> {
  const settings = { FETCH_ALLOW: "127.0.0.1", SWEEP_SECONDS: "1", ...env };
  const server = await startLectern(folder ?? (await folderOfTest()), settings);
  onTestFinished(() => server.kill("SIGKILL").then(() => undefined));
  return server;
}

async function startGit() {
  const git = await startGitServer();
  onTestFinished(() => git.close());
  return git;
}

const add = (server: LecternProcess, docsRepoUrl: string) => server.call("POST", "/v2/add/repo/git", { docsRepoUrl });
const ask = (server: LecternProcess, libraryId: string) =>
  server.call("GET", `/v2/context?libraryId=${libraryId}&query=widget`);

/** A server with a library, on PostgreSQL behind a passage. */
async function startOnPostgres() {
  const postgres = await startPostgres({ folder: await folderOfTest(), password: "lectern", durable: false });
  onTestFinished(() => postgres.stop());
  const url = new URL(postgres.url);
  const passage = await startPassage(Number(url.port));
  url.port = String(passage.port);
  const [git, server] = [await startGit(), await start({ DATABASE_URL: url.href })];
  await add(server, (await git.repository("acme/widgets", files)).url);
  await server.settled("/acme/widgets");
  return { server, passage };
}

describe.skipIf(promtool === null)("the alerts", () => {
  it("are silent about a server that works, for hours", async () => {
    const [git, server] = [await startGit(), await start()];
    await add(server, (await git.repository("acme/widgets", files)).url);
    await server.settled("/acme/widgets");
    const watched = await watch(server.url, async () => {
      for (let time = 0; time < 30; time += 1) expect((await ask(server, "/acme/widgets")).status).toBe(200);
      await sleep(3000);
    });
    expect(await otherThan(watched, 30)).toBe("");
    expect(await otherThan(watched, 300)).toBe("");
  });

  it("tell of a process that is gone", async () => {
    const server = await start();
    const watched = await watch(server.url, () => server.kill("SIGKILL"));
    expect(await otherThan(watched, 1)).toBe("");
    expect(await otherThan(watched, 5, "LecternDown")).toBe("");
  });

  it("tell of runs that fail", async () => {
    const [git, server] = [await startGit(), await start()];
    const watched = await watch(server.url, async () => {
      for (const name of ["a", "b"]) await add(server, `${git.url}/missing/${name}`);
      for (const name of ["a", "b"]) expect(await server.settled(`/missing/${name}`)).toMatchObject({ state: "error" });
    });
    expect(await otherThan(watched, 130, "LecternRunsFail")).toBe("");
  });

  it("tell of runs that are not begun", async () => {
    const [git, server] = [await startGit(), await start({ RUNS_AT_ONCE: "1" })];
    const held = git.hold("acme/held");
    await add(server, `${git.url}/acme/held`);
    await held.reached;
    await add(server, `${git.url}/acme/waiting`);
    const watched = await watch(server.url);
    held.release();
    expect(await otherThan(watched, 29)).toBe("");
    expect(await otherThan(watched, 45, "LecternQueueWaits")).toBe("");
  });

  it("tell of a library whose run is suspended, as the server died twice in it", async () => {
    const [git, folder] = [await startGit(), await folderOfTest()];
    const held = git.hold("acme/held");
    let server = await start({}, folder);
    await add(server, `${git.url}/acme/held`);
    for (const _ of [1, 2]) {
      await expect.poll(() => git.requests.length).toBeGreaterThan(0);
      await server.kill("SIGKILL");
      git.requests.length = 0;
      server = await start({}, folder);
    }
    const watched = await watch(server.url);
    held.release();
    expect(await otherThan(watched, 60)).toBe("");
    expect(await otherThan(watched, 150, "LecternLibrariesTroubled")).toBe("");
  });

  it("tell of a disk that is nearly full", async (context) => {
    const disk = await mountSmallDisk(32);
    if (!disk) return context.skip("no disk can be mounted");
    onTestFinished(() => disk[Symbol.asyncDispose]());
    const server = await start({}, disk.path);
    await disk.fill(1_000_000);
    expect(await otherThan(await watch(server.url), 10, "LecternDiskFull")).toBe("");
    await server.kill("SIGKILL");
  });

  it("tell of a backup that is two days old", async () => {
    const folder = await folderOfTest();
    const server = await start({}, folder);
    const { code } = await inPipe(["backup", await folderOfTest()], { env: { DATA_DIR: folder } });
    expect(code).toBe(0);
    expect((await server.call("GET", "/v2/system")).body).toMatchObject({ backedUpAt: expect.any(String) });
    expect(await otherThan(await watch(server.url), 30)).toBe("");
    const catalog = new DatabaseSync(join(folder, "catalog.sqlite"));
    catalog.prepare("update audit set at = at - ? where action = 'backup.make'").run(2 * day);
    catalog.close();
    expect(await otherThan(await watch(server.url), 30, "LecternNoBackup")).toBe("");
  });

  it("tell of a credential that expires soon", async () => {
    const server = await start();
    const expiring = (name: string, days: number) => {
      const expiresAt = new Date(Date.now() + days * day).toISOString();
      const credential = { kind: "git", name, host: "git.example.com", expiresAt, data: { token: "s3cr3t" } };
      return server.call("POST", "/v2/credentials", credential);
    };
    expect((await expiring("later", 20)).status).toBe(200);
    expect(await otherThan(await watch(server.url), 30)).toBe("");
    expect((await expiring("soon", 10)).status).toBe(200);
    expect(await otherThan(await watch(server.url), 30, "LecternCredentialExpires")).toBe("");
  });

  it("tell of an upstream that does not answer", async () => {
    const server = await start({ UPSTREAM_URL: `http://127.0.0.1:${await freePort()}/api` });
    await server.call("PATCH", "/v2/policies", { upstream: { enabled: true } });
    const watched = await watch(server.url, async () => {
      for (let time = 0; time < 3; time += 1) await ask(server, "/acme/elsewhere");
      for (let time = 0; time < 100; time += 1) await server.call("GET", "/v2/libs");
    });
    expect(await otherThan(watched, 30, "LecternUpstreamAway")).toBe("");
  });

  it.skipIf(!hasPostgres())("tell of answers that take long", async () => {
    const { server, passage } = await startOnPostgres();
    passage.slow(300);
    const watched = await watch(server.url, async () => {
      for (let time = 0; time < 3; time += 1) expect((await ask(server, "/acme/widgets")).status).toBe(200);
    });
    expect(await otherThan(watched, 30, "LecternSlowAnswers")).toBe("");
  });

  it.skipIf(!hasPostgres())("tell of a catalog that is away, and of all that fails without it", async () => {
    const { server, passage } = await startOnPostgres();
    passage.cut();
    const watched = await watch(server.url, async () => {
      for (let time = 0; time < 20; time += 1) expect((await ask(server, "/acme/widgets")).status).toBe(503);
    });
    expect(await otherThan(watched, 30, "LecternErrors", "LecternStoreAway")).toBe("");
  });

  it.skipIf(temporal === null)(
    "tell of a task queue without a worker, of an engine that is away, and that nothing is swept without it",
    async () => {
      const [host = "", port] = (temporal ?? "").split(":");
      const passage = await startPassage(Number(port));
      const engine = { TEMPORAL_ADDRESS: `${host}:${passage.port}`, TEMPORAL_NAMESPACE: `alerts-${passage.port}` };
      const [git, server] = [await startGit(), await start({ ...engine, WORKER_QUEUES: "main,load" })];
      const { url } = await git.repository("acme/widgets", files);
      await expect.poll(async () => (await add(server, url)).status).toBe(200);
      const waiting = /^lectern_queue_waiting\{queue="git"\} [1-9]/m;
      await expect.poll(async () => (await fetch(`${server.url}/metrics`)).text()).toMatch(waiting);
      expect(await otherThan(await watch(server.url), 10, "LecternNoWorker")).toBe("");
      const sweptAt = async () =>
        /^lectern_sweep_last_seconds .*$/m.exec(await (await fetch(`${server.url}/metrics`)).text())?.[0];
      await expect.poll(sweptAt).toBeDefined();
      passage.cut();
      // A sweep that is under way may still end.
      await expect.poll(async () => (await sweptAt()) === (await sleep(2500).then(sweptAt))).toBe(true);
      const watched = await watch(server.url);
      expect(await otherThan(watched, 10, "LecternEngineAway")).toBe("");
      expect(await otherThan(watched, 240, "LecternEngineAway", "LecternNoSweep")).toBe("");
    },
  );

  it("are all provoked by these tests", () => {
    const { groups } = parse(readFileSync(alertRules, "utf8")) as { groups: { rules: { alert: string }[] }[] };
    const names = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
    expect(names.toSorted()).toEqual([...provoked].toSorted());
  });
});
