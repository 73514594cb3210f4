import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { expect, inject, it, onTestFinished } from "vitest";
import { startLocalCluster } from "../../tools/dev/local-cluster.ts";
import { hasMeilisearch } from "../../tools/dev/meilisearch.ts";
import { hasTemporal } from "../../tools/dev/temporal.ts";
import { inPipe, jsonLines } from "../support/command-line.ts";
import { files } from "../e2e/setup.ts";
import { startGitServer } from "../support/git-server.ts";
import { adminKey, callOf, startLectern, type LecternProcess } from "../support/lectern-process.ts";
import { folderOfTest } from "../support/of-test.ts";
import { command, freshDatabase } from "./support/database.ts";

const [postgres, s3] = [inject("postgres"), inject("s3")];
const names = ["gears", "wheels"] as const;

type Env = Readonly<Record<string, string>>;
type Api = Pick<LecternProcess, "call">;

const aws = { AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test" };

/** The BLOB_URL of each prefix in a new bucket. */
async function newBucket(): Promise<(prefix: string) => string> {
  const bucket = `lectern-${randomBytes(6).toString("hex")}`;
  const admin = new S3Client({
    endpoint: s3?.url ?? "",
    region: "us-east-1",
    forcePathStyle: true,
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });
  await admin.send(new CreateBucketCommand({ Bucket: bucket }));
  admin.destroy();
  return (prefix) => `s3://${bucket}/${prefix}?endpoint=${s3?.url ?? ""}`;
}

/** Adds libraries of folders, and one of everything else that a backup has. */
async function fill(server: Api, folder: string): Promise<void> {
  for (const name of names) {
    await mkdir(join(folder, name));
    await writeFile(
      join(folder, name, "guide.md"),
      `# Guide to ${name}\n\nTurn ${name}:\n\n\`\`\`js\nturn("${name}");\n\`\`\`\n`,
    );
    await server.call("POST", "/v2/add/folder", { path: join(folder, name), libraryName: `/docs/${name}` });
  }
  const credential = { kind: "git", name: "git", host: "git.example.com", data: { token: "s3cr3t" } };
  await server.call("POST", "/v2/credentials", credential);
  await server.call("POST", "/v2/hooks", { sender: "github", repositories: "https://git.example.com/acme" });
  await server.call("POST", "/v2/keys", { name: "reader", scopes: ["read"] });
  await server.call("PATCH", "/v2/policies", { sourceTypes: { disable: ["websites"] } });
}

async function lectern(env: Env, ...args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await inPipe(args, { env });
  if (code !== 0) throw new Error(`lectern ${args.join(" ")} ended with ${code}: ${stdout}${stderr}`);
  return jsonLines(stdout)[0] ?? {};
}

async function started(env: Env): Promise<LecternProcess> {
  const server = await startLectern(env["DATA_DIR"] ?? "", { ...env });
  onTestFinished(async () => void (await server.kill("SIGKILL")));
  return server;
}

/** What has to be the same in every deployment, once the index is loaded. */
async function stateOf(server: Api): Promise<unknown> {
  const get = async (path: string): Promise<unknown> => (await server.call("GET", path)).body;
  const answers = async () =>
    Promise.all(names.map((name) => server.call("GET", `/v2/context?libraryId=/docs/${name}&query=turn`)));
  await expect.poll(async () => (await answers()).map(({ status }) => status), { timeout: 30_000 }).toEqual([200, 200]);
  return {
    answers: (await answers()).map(({ body }) => body),
    libraries: ((await get("/v2/libs")) as { libraries?: object[] }).libraries?.length,
    keys: await get("/v2/keys"),
    credentials: await get("/v2/credentials"),
    hooks: await get("/v2/hooks"),
    policy: await get("/v2/policies"),
  };
}

it.skipIf(postgres === null || s3 === null)(
  "a backup of SQLite and a folder is restored into PostgreSQL and a bucket, and back",
  async () => {
    const folder = await folderOfTest();
    const database = await freshDatabase(postgres ?? "");
    onTestFinished(() => database.drop());
    const at = await newBucket();
    const shared = { FOLDER_ROOTS: folder, SWEEP_SECONDS: "1" };
    const embedded = { ...shared, DATA_DIR: join(folder, "one") };
    const servers = {
      ...shared,
      ...aws,
      DATA_DIR: join(folder, "two"),
      DATABASE_URL: database.url,
      BLOB_URL: at("blobs"),
    };
    const again = { ...shared, DATA_DIR: join(folder, "three") };

    const first = await started(embedded);
    await fill(first, folder);
    for (const name of names) await first.settled(`/docs/${name}`);
    const before = await stateOf(first);
    const local = join(folder, "backups");
    await lectern(embedded, "backup", local);
    await first.kill("SIGTERM");

    expect(await lectern(servers, "restore", local)).toMatchObject({ credentialsOpen: true });
    const full = await inPipe(["restore", local], { env: servers });
    expect(full).toMatchObject({ code: 2, stderr: expect.stringContaining("Restore into an empty one") });
    const second = await started(servers);
    expect(await stateOf(second)).toEqual(before);
    expect(await lectern({ ...servers }, "backup", at("backups"), "--keep", "1")).toMatchObject({
      generations: 2,
      keys: true,
    });
    // As on a replica, where the backup cannot be recorded.
    const replica = { ...servers, DATABASE_URL: `${database.url}?options=-c%20default_transaction_read_only%3Don` };
    const next = await lectern(replica, "backup", at("backups"), "--keep", "1");
    expect(next).toMatchObject({ written: { blobs: 0 }, pruned: { backups: [expect.any(String)] } });
    const { body } = await second.call("GET", "/v2/audit?action=backup.make");
    expect((body as { records: object[] }).records).toHaveLength(1);
    await second.kill("SIGTERM");

    expect(await lectern({ ...again, ...aws }, "restore", at("backups"), "--check")).toMatchObject({ checked: true });
    await lectern({ ...again, ...aws }, "restore", at("backups"));
    const third = await started(again);
    expect(await stateOf(third)).toEqual(before);
    await third.kill("SIGTERM");
  },
);

it.skipIf(postgres === null || s3 === null || !hasMeilisearch() || !hasTemporal())(
  "a backup of a whole cluster is restored into another one, which answers as before, and whose runs go on",
  async () => {
    const folder = await folderOfTest();
    const at = await newBucket();
    const git = await startGitServer();
    onTestFinished(() => git.close());
    const shared = {
      ...aws,
      FOLDER_ROOTS: folder,
      FETCH_ALLOW: git.host,
      SWEEP_SECONDS: "1",
      SHUTDOWN_GRACE_SECONDS: "1",
      ENCRYPTION_KEYS: randomBytes(32).toString("base64"),
      LECTERN_ADMIN_KEY: adminKey,
    };
    const places = async (name: string): Promise<Env> => {
      const database = await freshDatabase(postgres ?? "");
      onTestFinished(() => database.drop());
      return { ...shared, DATABASE_URL: database.url, BLOB_URL: at(name), DATA_DIR: join(folder, name) };
    };
    const [from, to] = [await places("first"), await places("second")];
    const start = async (name: string, { DATA_DIR: _own, ...env }: Env) => {
      const workers = [{ WORKER_QUEUES: "main,git,crawl,load" }];
      const options = { folder: join(folder, name), env, apiPorts: [0], workers, ui: false, durable: false } as const;
      const cluster = await startLocalCluster(options);
      onTestFinished(() => cluster.stop());
      return { stop: () => cluster.stop(), call: callOf(`${cluster.apis[0]?.url}/api`) };
    };
    const stateIn = async ({ call }: Api, id: string) =>
      (await call("GET", `/v2/libs/status?libraryId=${id}`)).body as Record<string, unknown>;

    const first = await start("cluster-1", from);
    const moving = await git.repository("acme/moving.git", files);
    await git.repository("acme/held.git", files);
    await fill(first, folder);
    await first.call("POST", "/v2/add/repo/git", { docsRepoUrl: moving.url });
    await first.call("PATCH", "/v2/libs", { libraryName: "/acme/moving", schedule: 1 });
    await expect.poll(() => stateIn(first, "/acme/moving"), { timeout: 30_000 }).toMatchObject({ openRun: null });
    const held = git.hold("acme/held.git");
    await first.call("POST", "/v2/add/repo/git", { docsRepoUrl: `${git.url}/acme/held.git` });
    await held.reached;
    const before = await stateOf(first);
    await lectern(from, "backup", at("backups"));
    held.release();
    await first.stop();

    expect(await lectern(to, "restore", at("backups"))).toMatchObject({ credentialsOpen: true });
    await moving.commit({ "docs/more.md": "# More\n\nTurn it off with `stop()`.\n" });
    // A day passes.
    await command(to["DATABASE_URL"] ?? "", "update versions set refresh_at = 1 where refresh_at is not null");
    const second = await start("cluster-2", to);
    expect(await stateOf(second)).toEqual(before);
    // The index is loaded again first, also by runs of the sweep.
    const answerOf = async () =>
      String((await second.call("GET", "/v2/context?libraryId=/acme/moving&query=turn+off")).body);
    await expect.poll(() => answerOf(), { timeout: 90_000 }).toContain("stop()");
    await expect.poll(() => stateIn(second, "/acme/held"), { timeout: 60_000 }).toMatchObject({ state: "finalized" });
  },
  300_000,
);
