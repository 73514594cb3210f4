import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startLocalCluster, type LocalCluster } from "../../tools/dev/local-cluster.ts";
import { freePort } from "../../tools/dev/program.ts";
import { startGitServer, type GitServer } from "../support/git-server.ts";
import { temporaryFolder } from "../support/lectern-process.ts";
import { missingPrograms } from "./support/local.ts";

describe.skipIf(missingPrograms.length > 0)("the metrics of a cluster", () => {
  let cluster: LocalCluster;
  let git: GitServer;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let sdk: string;
  beforeAll(async () => {
    [folder, git] = await Promise.all([temporaryFolder(), startGitServer()]);
    sdk = `127.0.0.1:${await freePort()}`;
    cluster = await startLocalCluster({
      folder: folder.path,
      env: { FETCH_ALLOW: git.host },
      apiPorts: [0],
      workers: [{ WORKER_QUEUES: "main,git,crawl,load", TEMPORAL_METRICS_ADDRESS: sdk }],
      ui: false,
      durable: false,
    });
  });
  afterAll(async () => {
    await cluster?.stop();
    await git?.close();
    await folder?.[Symbol.asyncDispose]();
  });

  it("are told by the process that did it: requests by the API, runs and steps by the worker", async () => {
    const [[api], [worker]] = [cluster.apis, cluster.workers];
    const textOf = async (url: string): Promise<string> => (await fetch(url)).text();
    const { url } = await git.repository("acme/widgets.git", {
      "README.md":
        "# Widgets\n\nWidgets make gadgets spin, quickly and without noise. That is all there is to them.\n\n```js\nspin();\n```\n",
    });
    await fetch(`${api?.url}/api/v2/add/repo/git`, {
      method: "POST",
      headers: { authorization: `Bearer ${cluster.adminKey}`, "content-type": "application/json" },
      body: JSON.stringify({ docsRepoUrl: url }),
    });
    const ended = /^lectern_runs_total\{kind="git",reason="submit",outcome="published",failure="none"\} 1$/m;
    await expect.poll(() => textOf(`${worker?.url}/metrics`), { timeout: 60_000 }).toMatch(ended);
    expect(await textOf(`${worker?.url}/metrics`)).toMatch(
      /^lectern_step_duration_seconds_count\{step="load",queue="load",result="ok"\} 1$/m,
    );
    const told = await textOf(`${api?.url}/metrics`);
    expect(told).toMatch(
      /^http_server_request_duration_seconds_count\{.*http_route="\/api\/v2\/add\/repo\/git".*\} 1$/m,
    );
    expect(told).toMatch(/^lectern_libraries 1$/m);
    expect(await textOf(`http://${sdk}/metrics`)).toMatch(/^temporal_\w+/m);
  });

  it("are refused to other machines without a key, by the worker too", async () => {
    const [worker] = cluster.workers;
    const ask = async (headers: Record<string, string>): Promise<number> =>
      (await fetch(`${worker?.url}/metrics`, { headers: { "x-forwarded-for": "203.0.113.9", ...headers } })).status;
    expect(await ask({})).toBe(401);
    expect(await ask({ authorization: `Bearer ${cluster.adminKey}` })).toBe(200);
  });
});
