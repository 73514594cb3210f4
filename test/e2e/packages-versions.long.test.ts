import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { startLectern, temporaryFolder } from "../support/lectern-process.ts";
import { startNpmRegistry } from "../support/npm-registry.ts";

const registry = await startNpmRegistry();
afterAll(() => registry.close());

it("removes versions of packages that were not used for a while by any route", async () => {
  const folder = await temporaryFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const files = (call: string) => ({ "README.md": `# Kit\n\nUse it so:\n\n\`\`\`js\n${call};\n\`\`\`\n` });
  const names = ["0.9.0", "1.0.0", "2.0.0", "3.0.0", "3.5.0", "4.0.0"];
  registry.publish("kit", Object.fromEntries(names.map((name) => [name, { files: files(`kit(${name})`) }])));
  const start = async (env: Record<string, string> = {}) => {
    const own = { FETCH_ALLOW: "127.0.0.1", NPM_CONFIG_REGISTRY: registry.url, NPM_CONFIG_USERCONFIG: "/dev/null" };
    const server = await startLectern(folder.path, { ...own, ...env });
    onTestFinished(async () => void (await server.kill("SIGKILL")));
    return server;
  };
  const first = await start({ UNUSED_VERSION_DAYS: "0" });
  await first.call("POST", "/v2/add/package", { name: "kit" });
  await first.settled("/npm/kit");
  for (const name of names.slice(0, -1)) {
    await first.call("POST", "/v1/refresh", { libraryName: `/npm/kit@${name}` });
    await first.settled(`/npm/kit@${name}`);
  }
  expect(await first.settled("/npm/kit@0.9.0")).toMatchObject({ removedAt: null, notes: [] });
  // As if three months had passed.
  const database = new DatabaseSync(join(folder.path, "catalog.sqlite"));
  database.prepare("update versions set read_at = ? where version <> ''").run(Date.now() - 90 * 86_400_000);
  database.close();
  expect((await first.call("GET", "/v2/libs/search?libraryName=kit@1.0.0&query=use")).status).toBe(200);
  expect((await first.call("GET", "/v2/resolve?name=kit@2.0.0")).status).toBe(200);
  expect((await first.call("GET", "/v2/context?libraryId=/npm/kit@3.0.0&query=use")).status).toBe(200);
  const lock = { lockfileVersion: 3, packages: { "": {}, "node_modules/kit": { version: "3.5.0" } } };
  const form = new FormData();
  form.set("lockfile", new Blob([JSON.stringify(lock)]), "package-lock.json");
  expect((await fetch(`${first.url}/api/v2/resolve`, { method: "POST", body: form })).status).toBe(200);
  // Writes the reads that are still in memory.
  await first.kill("SIGTERM");

  const second = await start();
  const { body } = await second.call("GET", "/v2/libs/search?libraryName=kit&query=use");
  expect(body).toMatchObject({
    results: [{ id: "/npm/kit", versions: ["4.0.0", "3.5.0", "3.0.0", "2.0.0", "1.0.0"] }],
  });
  expect(await second.call("GET", "/v2/libs/status?libraryId=/npm/kit@0.9.0")).toMatchObject({ status: 404 });
  expect(await second.settled("/npm/kit")).toMatchObject({ lastAskedAt: null, removedAt: null });
  const kept = (await second.settled("/npm/kit@1.0.0")) as { lastAskedAt: string; removedAt: string; notes: string[] };
  expect(Date.parse(kept.removedAt) - Date.parse(kept.lastAskedAt)).toBe(60 * 86_400_000);
  expect(kept.notes.join(" ")).toContain(`is removed on ${kept.removedAt.slice(0, 10)} unless it is used before`);
  // A removed version can be indexed again.
  await second.call("POST", "/v1/refresh", { libraryName: "/npm/kit@0.9.0" });
  expect(await second.settled("/npm/kit@0.9.0")).toMatchObject({ state: "finalized" });
});
