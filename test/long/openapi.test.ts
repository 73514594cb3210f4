import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { createFolderBlobStore } from "../../stores/blobs/folder.ts";
import { describeOpenApi, description, upload } from "../contracts/openapi.ts";
import { adminKey, startLectern, temporaryFolder } from "../support/lectern-process.ts";
import { startServers } from "../e2e/setup.ts";

const { server, folder, blobs } = await startServers();
const lectern = join(import.meta.dirname, "../../cli/lectern.mjs");

describeOpenApi("the engine of one process", async () => server);

const ask = "/v2/context?libraryId=/docs/shop&query=create+a+customer";

it("survives kill -9, export and import, with its file", async () => {
  const [data, other] = [await temporaryFolder(), await temporaryFolder()];
  onTestFinished(() => data[Symbol.asyncDispose]());
  onTestFinished(() => other[Symbol.asyncDispose]());
  const killed = await startLectern(data.path);
  await upload(killed, description("customer"));
  await killed.kill("SIGKILL");
  const again = await startLectern(data.path);
  onTestFinished(async () => void (await again.kill("SIGTERM")));
  expect(await again.settled("/docs/shop")).toMatchObject({ state: "finalized" });

  const run = promisify(execFile);
  const file = join(other.path, "shop.ndjson");
  const path = { PATH: process.env["PATH"] };
  await run(process.execPath, [lectern, "export", "/docs/shop", "--out", file], {
    env: { ...path, DATA_DIR: data.path },
  });
  const imported = join(other.path, "data");
  const env = { ...path, DATA_DIR: imported, INDEX_OWN_DOCS: "off" };
  await run(process.execPath, [lectern, "import", file], { env });
  const second = await startLectern(imported);
  onTestFinished(async () => void (await second.kill("SIGTERM")));
  expect(await second.call("GET", ask)).toMatchObject({
    status: 200,
    body: expect.stringContaining("curl") as unknown,
  });
  const store = createFolderBlobStore({ folder: join(imported, "blobs") });
  const [key = "", ...more] = await Array.fromAsync(store.list("uploads/"));
  expect(more).toEqual([]);
  expect(Buffer.from((await store.get(key)) ?? []).toString()).toBe(description("customer"));
  // It is still an upload, which cannot be refreshed.
  expect(await second.call("POST", "/v1/refresh", { libraryName: "/docs/shop" })).toMatchObject({ status: 400 });
  expect(await upload(second, description("order"), { force: "true" })).toMatchObject({ status: 200 });
});

it("goes with its library", async () => {
  await upload(server, description("customer"), { libraryTitle: "Gone" });
  await server.settled("/docs/gone");
  const before = await Array.fromAsync(blobs.list("uploads/"));
  await server.call("DELETE", "/v2/libs?libraryId=/docs/gone");
  expect(await Array.fromAsync(blobs.list("uploads/"))).toHaveLength(before.length - 1);
});

it("is uploaded by lectern add", async () => {
  const file = join(folder, "our-api.json");
  await writeFile(file, description("customer"));
  const env = { PATH: process.env["PATH"], LECTERN_ADMIN_KEY: adminKey, PUBLIC_URL: server.url };
  const add = (...args: readonly string[]) =>
    promisify(execFile)(process.execPath, [lectern, "add", file, ...args], { env });
  expect((await add()).stdout).toContain('"outcome":"published","libraryId":"/docs/our-api"');
  await expect(add()).rejects.toMatchObject({ stderr: expect.stringContaining("--force") as unknown });
  expect((await add("--force")).stdout).toContain("was replaced");
});
