import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { expect, inject, it, onTestFinished } from "vitest";
import { inPipe, jsonLines } from "../support/command-line.ts";
import { startLectern, type LecternProcess } from "../support/lectern-process.ts";
import { folderOfTest } from "../support/of-test.ts";
import { freshDatabase } from "./support/database.ts";

const [postgres, s3] = [inject("postgres"), inject("s3")];
const names = ["gears", "wheels"] as const;

type Env = Readonly<Record<string, string>>;

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
async function stateOf(server: LecternProcess): Promise<unknown> {
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
    const bucket = `lectern-${randomBytes(6).toString("hex")}`;
    const aws = { AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test" };
    const admin = new S3Client({
      endpoint: s3?.url ?? "",
      region: "us-east-1",
      forcePathStyle: true,
      credentials: { accessKeyId: "test", secretAccessKey: "test" },
    });
    await admin.send(new CreateBucketCommand({ Bucket: bucket }));
    admin.destroy();
    const at = (prefix: string): string => `s3://${bucket}/${prefix}?endpoint=${s3?.url ?? ""}`;
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
    for (const name of names) {
      await mkdir(join(folder, name));
      await writeFile(
        join(folder, name, "guide.md"),
        `# Guide to ${name}\n\nTurn ${name}:\n\n\`\`\`js\nturn("${name}");\n\`\`\`\n`,
      );
      await first.call("POST", "/v2/add/folder", { path: join(folder, name), libraryName: `/docs/${name}` });
      await first.settled(`/docs/${name}`);
    }
    await first.call("POST", "/v2/credentials", {
      kind: "git",
      name: "git",
      host: "git.example.com",
      data: { token: "s3cr3t" },
    });
    await first.call("POST", "/v2/hooks", { sender: "github", repositories: "https://git.example.com/acme" });
    await first.call("POST", "/v2/keys", { name: "reader", scopes: ["read"] });
    await first.call("PATCH", "/v2/policies", { sourceTypes: { disable: ["websites"] } });
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
    const next = await lectern(servers, "backup", at("backups"), "--keep", "1");
    expect(next).toMatchObject({ written: { blobs: 0 }, pruned: { backups: [expect.any(String)] } });
    await second.kill("SIGTERM");

    expect(await lectern({ ...again, ...aws }, "restore", at("backups"), "--check")).toMatchObject({ checked: true });
    await lectern({ ...again, ...aws }, "restore", at("backups"));
    const third = await started(again);
    expect(await stateOf(third)).toEqual(before);
    await third.kill("SIGTERM");
  },
);
