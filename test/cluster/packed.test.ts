import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { startLectern, temporaryFolder } from "../support/lectern-process.ts";
import { installPacked, pack } from "../support/packed.ts";
import { startSite } from "../support/site.ts";

const chromium = inject("chromium");
const run = promisify(execFile);

describe("the packed program", () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let tarball: string;
  beforeAll(async () => {
    folder = await temporaryFolder();
    tarball = pack(folder.path);
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  it("makes the bundle that workers start from", async () => {
    const installed = installPacked(tarball, join(folder.path, "cluster"), { peers: true });
    await run(process.execPath, [join(installed, "cli", "lectern.mjs"), "worker", "--bundle"]);
    const made = readdirSync(join(installed, "node_modules", ".cache", "lectern"));
    expect(made).toContainEqual(expect.stringMatching(/^workflows-[\da-f]{32}\.js$/));
  });

  it.skipIf(chromium === null)("reads pages in a browser", async () => {
    const installed = installPacked(tarball, join(folder.path, "browser"), { peers: false });
    const data = await temporaryFolder();
    const env = { FETCH_ALLOW: "127.0.0.1", CHROMIUM_PATH: chromium ?? "" };
    const server = await startLectern(data.path, env, join(installed, "cli", "lectern.mjs"));
    const main = `<main><h1>Gadgets</h1><p>${"How to turn a gadget on, in words enough. ".repeat(10)}</p><pre><code>turnOn();</code></pre></main>`;
    const site = await startSite({
      "/": `<!doctype html><title>Gadgets</title><div id="root"></div><script>document.getElementById("root").innerHTML = ${JSON.stringify(main).replaceAll("<", "\\u003c")};</script>`,
    });
    onTestFinished(async () => {
      await server.kill("SIGTERM");
      await site.close();
      await data[Symbol.asyncDispose]();
    });
    const libraryName = "/websites/gadgets";
    await server.call("POST", "/v2/add/website", { websiteUrl: `${site.origin}/`, libraryName });
    expect(await server.settled(libraryName)).toMatchObject({ state: "finalized", live: { counts: { code: 1 } } });
  });
});
