import { mkdir } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { amount } from "../support/endurance.ts";
import { startLectern, temporaryFolder, type LecternProcess } from "../support/lectern-process.ts";

const libraries = 200;
const kills = amount({ short: 2, long: 10 });

/** The entries of a manifest with `count` libraries of all kinds; `more` has further fields of each. */
function manifestOf(host: string, folders: string, count: number, more: (index: number) => string = () => ""): string {
  const kinds = [
    (index: number) => `docsRepoUrl: ${host}/acme/repository${index}\n    folders: [docs]\n    versions: [v1]`,
    (index: number) => `websiteUrl: ${host}/site${index}/\n    maxPages: 10`,
    (index: number) => `llmstxtUrl: ${host}/${index}/llms.txt\n    libraryName: /llmstxt/n${index}`,
    (index: number) => `openApiUrl: ${host}/${index}/openapi.json\n    libraryName: /openapi/n${index}`,
    (index: number) => `name: package${index}`,
    (index: number) => `path: ${folders}\n    libraryName: /docs/n${index}\n    private: true`,
  ];
  const entries = Array.from(
    { length: count },
    (_, index) => `  - ${kinds[index % kinds.length]?.(index)}${more(index)}\n`,
  );
  return `name: all\ndefaults: { schedule: 30 }\nlibraries:\n${entries.join("")}`;
}

it(`ends as if it had never been killed: ${libraries} libraries applied, changed and pruned, with ${kills} kills`, async () => {
  // Every source fails at once: this is about what is declared.
  const nothing = createServer((_, response) => response.writeHead(404).end());
  nothing.listen(0, "127.0.0.1");
  await new Promise((resolve) => nothing.once("listening", resolve));
  const host = `http://127.0.0.1:${(nothing.address() as AddressInfo).port}`;
  await using root = await temporaryFolder();
  const folders = join(root.path, "docs");
  await mkdir(folders);
  const manifests = [
    { manifest: manifestOf(host, folders, libraries) },
    {
      manifest: manifestOf(host, folders, libraries, (index) =>
        index % 3 === 0
          ? `\n    title: Title ${index}\n    schedule: ${1 + (index % 300)}`
          : index % 3 === 1
            ? "\n    trustScore: 7"
            : "",
      ),
    },
    { manifest: manifestOf(host, folders, libraries - 30), prune: true, confirm: true },
  ];
  const env = { FETCH_ALLOW: "127.0.0.1", FOLDER_ROOTS: folders, NPM_CONFIG_REGISTRY: host, RUNS_AT_ONCE: "1" };
  const stateOf = async (server: LecternProcess) => ({
    written: (await server.call("GET", "/v2/manifests/export")).body,
    manifests: (await server.call("GET", "/v2/manifests")).body,
  });
  const withoutTimes = (state: object): unknown =>
    JSON.parse(JSON.stringify(state, (name, value: unknown) => (["appliedAt", "message"].includes(name) ? "" : value)));

  const states: unknown[] = [];
  for (const killed of [false, true]) {
    const folder = join(root.path, killed ? "killed" : "whole");
    let server = await startLectern(folder, env);
    let left = killed ? kills : 0;
    for (const [phase, body] of manifests.entries()) {
      const inPhase = Math.ceil(left / (manifests.length - phase));
      for (let kill = 0; kill < inPhase; kill += 1) {
        const applying = server.call("POST", "/v2/manifests/apply", body).catch(() => undefined);
        await sleep(50 + 400 * kill);
        await server.kill("SIGKILL");
        await applying;
        server = await startLectern(folder, env);
      }
      left -= inPhase;
      const { status, body: applied } = await server.call("POST", "/v2/manifests/apply", body);
      expect([status, (applied as { problems?: unknown }).problems], JSON.stringify(applied).slice(0, 500)).toEqual([
        200,
        [],
      ]);
    }
    states.push(withoutTimes(await stateOf(server)));
    // What it made is all that it removes.
    await server.call("POST", "/v2/manifests/apply", {
      manifest: "name: all\nlibraries: []",
      prune: true,
      confirm: true,
    });
    expect((await server.call("GET", "/v2/libs")).body).toMatchObject({ total: 0, unserved: 0 });
    await server.kill("SIGTERM");
  }
  expect(states[1]).toEqual(states[0]);
  expect(JSON.stringify(states[0])).toContain("repository0");
  nothing.close();
}, 600_000);
