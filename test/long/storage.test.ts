import { readdir, writeFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startLectern, type LecternProcess } from "../support/lectern-process.ts";
import { folderOfTest } from "../support/of-test.ts";

/** A library of two generations in a data folder; `start` starts a server there. */
async function setup() {
  const folder = await folderOfTest();
  const [source, data] = [join(folder, "source"), join(folder, "data")];
  await mkdir(source);
  const write = (word: string) =>
    writeFile(join(source, "guide.md"), `# Guide\n\nThe gear ${word}.\n\n\`\`\`js\nturn("${word}");\n\`\`\`\n`);
  const start = async (env: Record<string, string> = {}): Promise<LecternProcess> => {
    const server = await startLectern(data, { FOLDER_ROOTS: folder, SWEEP_SECONDS: "1", GRACE_SECONDS: "0", ...env });
    onTestFinished(async () => void (await server.kill("SIGKILL")));
    return server;
  };
  const server = await start();
  const refresh = async (by: LecternProcess, word: string): Promise<unknown> => {
    await write(word);
    await by.call("POST", "/v1/refresh", { libraryName: "/docs/gears" });
    return ((await by.settled("/docs/gears")) as { runs: unknown[] }).runs[0];
  };
  await write("turns");
  await server.call("POST", "/v2/add/folder", { path: source, libraryName: "/docs/gears" });
  await server.settled("/docs/gears");
  expect(await refresh(server, "spins")).toMatchObject({ outcome: "published" });
  return { server, start, refresh, generations: () => readdir(join(data, "blobs", "generations")) };
}

it("at STORAGE_LIMIT what is indexed is served, a refresh fails and says why, and previous generations go", async () => {
  const { server, start, refresh, generations } = await setup();
  expect(await generations()).toHaveLength(2);
  expect((await server.call("GET", "/v2/system")).body).toMatchObject({ storageLimit: null, warnings: [] });
  await server.kill("SIGTERM");

  const full = await start({ STORAGE_LIMIT: "10kB" });
  expect(await refresh(full, "rusts")).toMatchObject({
    outcome: "failed",
    failure: { error: "storage_full", message: expect.stringContaining("STORAGE_LIMIT is reached") },
  });
  expect(String((await full.call("GET", "/v2/context?libraryId=/docs/gears&query=gear")).body)).toContain("spins");
  const warning = expect.stringMatching(/^\d+ % of STORAGE_LIMIT is used\. Nothing new is indexed/);
  expect((await full.call("GET", "/v2/system")).body).toMatchObject({ storageLimit: 10_000, warnings: [warning] });
  expect((await full.call("GET", "/ready")).body).toMatchObject({ warnings: [warning] });
  await expect.poll(generations).toHaveLength(1);
  await full.kill("SIGTERM");

  const roomy = await start({ STORAGE_LIMIT: "10GB" });
  expect(await refresh(roomy, "shines")).toMatchObject({ outcome: "published" });
  expect(await generations()).toHaveLength(2);
});

it("a new first key encrypts everything again, so that the old key can be removed", async () => {
  const { server, start } = await setup();
  const [old, next] = ["old", "new"].map((id, at) => `${id}:${Buffer.alloc(32, at + 1).toString("base64")}`);
  const add = async (by: LecternProcess) => {
    const data = { token: "s3cr3t" };
    const { body } = await by.call("POST", "/v2/credentials", {
      kind: "git",
      name: "git",
      host: "git.example.com",
      data,
    });
    await by.call("POST", "/v2/hooks", { sender: "github", repositories: "https://git.example.com/acme" });
    return String((body as { id: string }).id);
  };
  await server.kill("SIGTERM");
  const before = await start({ ENCRYPTION_KEYS: old ?? "" });
  const id = await add(before);
  await before.kill("SIGTERM");

  const rotated = await start({ ENCRYPTION_KEYS: `${next},${old}` });
  await expect.poll(() => rotated.stderr()).toContain("2 stored secrets are now encrypted with the first key");
  await rotated.kill("SIGTERM");

  const after = await start({ ENCRYPTION_KEYS: next ?? "" });
  expect(after.stderr()).not.toContain("No encryption key opens");
  const tested = await after.call("POST", `/v2/credentials/${id}/test`, { url: "https://git.example.com/acme/gears" });
  expect(JSON.stringify(tested.body)).not.toContain("internal_error");
  await after.kill("SIGTERM");
});
