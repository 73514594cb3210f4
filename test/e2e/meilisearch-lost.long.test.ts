import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { adminKey, startLectern, temporaryFolder, type LecternProcess } from "../support/lectern-process.ts";
import { startMeilisearchStandIn } from "../support/meilisearch-stand-in.ts";

const masterKey = "the-master-key";
const names = ["one", "two", "three"];
const program = join(import.meta.dirname, "..", "..", "cli", "lectern.mjs");

/** Adds a library for each name. */
async function addAll(server: LecternProcess, docs: string): Promise<void> {
  for (const name of names) {
    await mkdir(join(docs, name), { recursive: true });
    await writeFile(join(docs, name, "page.md"), `# About ${name}\n\nHow ${name} turns its cogs, in a few words.\n`);
    await server.call("POST", "/v2/add/folder", { path: join(docs, name), title: name });
  }
  for (const name of names) await server.settled(`/docs/${name}`);
}

const ask = (server: LecternProcess, name: string) =>
  server.call("GET", `/v2/context?libraryId=/docs/${name}&query=${name}+cogs`);
const search = (server: LecternProcess, name: string) =>
  server.call("GET", `/v2/libs/search?libraryName=${name}&query=cogs`);

/** Waits until every library is found and answers; until then, each answer must be a 503. */
async function expectWhole(server: LecternProcess): Promise<void> {
  for (const name of names)
    for (const one of [ask, search]) {
      for (;;) {
        const { status, body } = await one(server, name);
        if (status === 200) {
          expect(JSON.stringify(body)).toContain(name);
          break;
        }
        expect({ status, body }).toMatchObject({ status: 503 });
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
}

it("restores a Meilisearch that lost its data by itself if it has the master key, and is not ready until then", async () => {
  await using folder = await temporaryFolder();
  await using meilisearch = await startMeilisearchStandIn(masterKey);
  const docs = join(folder.path, "docs");
  const server = await startLectern(join(folder.path, "data"), {
    FOLDER_ROOTS: docs,
    MEILI_URL: meilisearch.url,
    MEILI_API_KEY: masterKey,
    SWEEP_SECONDS: "1",
  });
  await addAll(server, docs);
  await expectWhole(server);
  meilisearch.lose();
  expect(await server.call("GET", "/ready")).toMatchObject({
    status: 503,
    body: { message: expect.stringMatching(/index.*index is missing in Meilisearch, .*Run lectern setup/) },
  });
  await expectWhole(server);
  expect((await server.call("GET", "/ready")).status).toBe(200);
  await expect.poll(async () => (await server.call("GET", "/v2/libs?state=any")).body).toMatchObject({ total: 0 });
  await server.kill("SIGTERM");
});

it("restores it by lectern setup, which says so", async () => {
  await using folder = await temporaryFolder();
  await using meilisearch = await startMeilisearchStandIn(masterKey);
  const [data, docs] = [join(folder.path, "data"), join(folder.path, "docs")];
  const setUp = async (): Promise<string> => {
    const env = { PATH: process.env["PATH"] ?? "", DATA_DIR: data, LECTERN_ADMIN_KEY: adminKey };
    const settings = { ...env, MEILI_URL: meilisearch.url, MEILI_API_KEY: masterKey };
    return (await promisify(execFile)(process.execPath, [program, "setup"], { env: settings })).stdout;
  };
  await setUp();
  const settings = { FOLDER_ROOTS: docs, MEILI_URL: meilisearch.url, MEILI_API_KEY: masterKey, SWEEP_SECONDS: "1" };
  const first = await startLectern(data, settings);
  await addAll(first, docs);
  await first.kill("SIGTERM");
  meilisearch.lose();
  expect(await setUp()).toContain("3 live generations: 3 are being loaded again, 3 entries were restored.");
  expect(meilisearch.count("lectern_libraries")).toBe(3);
  const again = await startLectern(data, settings);
  await expectWhole(again);
  await again.kill("SIGTERM");
});
