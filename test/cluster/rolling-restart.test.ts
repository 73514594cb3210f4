import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { Agent, request } from "undici";
import { repositoryFiles } from "../../tools/bench/corpus.ts";
import { startLocalCluster, type LocalCluster } from "../../tools/dev/local-cluster.ts";
import { amount } from "../support/endurance.ts";
import { startGitServer, type GitServer } from "../support/git-server.ts";
import { temporaryFolder } from "../support/lectern-process.ts";
import { startCaddy, startNginx, startStrict, type Balancer } from "./support/balancers.ts";
import { missingPrograms } from "./support/local.ts";

const libraryId = "/acme/rolling";
const reads = amount({ short: 1000, long: 100_000 });
const readers = 8;
/** Restarts are spread over the reads. */
const restartEvery = reads / 30;
/** 100,000 reads take half an hour on two cores. */
const timeout = amount({ short: 120_000, long: 7_200_000 });
const [nginx, caddy] = [inject("nginx"), inject("caddy")];

describe.skipIf(missingPrograms.length > 0)(
  "three API processes, restarted one by one while they are read",
  { timeout },
  () => {
    let folder: Awaited<ReturnType<typeof temporaryFolder>>;
    let git: GitServer;
    let cluster: LocalCluster;
    beforeAll(async () => {
      folder = await temporaryFolder();
      // PostgreSQL runs as another user.
      await chmod(folder.path, 0o711);
      git = await startGitServer();
      cluster = await startLocalCluster({
        folder: join(folder.path, "cluster"),
        env: {
          FETCH_ALLOW: git.host,
          RATE_LIMIT_READS: "1000000",
          RATE_LIMIT_ANONYMOUS: "1000000",
          TRUSTED_PROXIES: "127.0.0.1",
          LOG_LEVEL: "warn",
        },
        apiPorts: [0, 0, 0],
        workers: [{ WORKER_QUEUES: "main,git,crawl,load" }],
        ui: false,
        durable: false,
      });
      const { url } = await git.repository("acme/rolling.git", repositoryFiles(1, { documents: 6, sources: 0 }));
      const asked = { docsRepoUrl: url, libraryName: libraryId };
      const headers = { authorization: `Bearer ${cluster.adminKey}`, "content-type": "application/json" };
      const added = await fetch(`${cluster.apis[0]?.url}/api/v2/add/repo/git`, {
        method: "POST",
        headers,
        body: JSON.stringify(asked),
      });
      if (added.status !== 200) throw new Error(await added.text());
      await untilOk(cluster.apis[0]?.url + question("options"), headers);
    });
    afterAll(async () => {
      await cluster.stop();
      await git.close();
      await folder[Symbol.asyncDispose]();
    });

    it.skipIf(nginx === null)("lose no read behind nginx with its defaults", async () => {
      await using place = await temporaryFolder();
      await using balancer = await startNginx({ folder: place.path, command: nginx ?? "", servers: urls() });
      expect(await lossesBehind(balancer)).toEqual([]);
    });

    it.skipIf(caddy === null)("lose no read behind Caddy with health checks", async () => {
      await using place = await temporaryFolder();
      await using balancer = await startCaddy({ folder: place.path, command: caddy ?? "", servers: urls() });
      expect(await lossesBehind(balancer)).toEqual([]);
    });

    it("lose no read behind a balancer that only follows /api/ready, and never tries again", async () => {
      await using balancer = await startStrict(urls());
      expect(await lossesBehind(balancer)).toEqual([]);
    });

    const urls = (): readonly string[] => cluster.apis.map(({ url }) => url);

    /** Reads until all processes were restarted and the number of reads is reached. Each answer is the one from before, byte for byte. */
    async function lossesBehind({ url }: Balancer): Promise<readonly string[]> {
      const agent = new Agent({ connections: readers });
      const headers = { authorization: `Bearer ${cluster.adminKey}` };
      const read = async (path: string): Promise<string> => {
        const { statusCode, body } = await request(url + path, { headers, dispatcher: agent });
        return `${statusCode} ${await body.text()}`;
      };
      const paths = ["how do I configure it", "options", "error handling example", "how to run the tests"].map(
        question,
      );
      const right = new Map<string, string>();
      for (const path of paths) right.set(path, await read(path));
      const wrong = [...right.values()].filter((text) => !text.startsWith("200 ") || text.length < 500);
      if (wrong.length > 0) return wrong;

      let done = 0;
      let restarts = 0;
      const failed: string[] = [];
      const reader = async (at: number): Promise<void> => {
        while (failed.length === 0 && (done < reads || restarts < cluster.apis.length)) {
          const path = paths[(at + done) % paths.length] ?? "";
          const answer = await read(path).catch((error: unknown) => String(error));
          if (answer !== right.get(path)) failed.push(`read ${done}, restart ${restarts}: ${answer.slice(0, 300)}`);
          done += 1;
          if (done % 10_000 === 0) process.stdout.write(`rolling restart: ${done} reads, ${restarts} restarts\n`);
        }
      };
      const restarting = async (): Promise<void> => {
        while (failed.length === 0 && (done < reads || restarts < cluster.apis.length)) {
          if (done < restarts * restartEvery) {
            await sleep(100);
            continue;
          }
          const api = cluster.apis[restarts % cluster.apis.length];
          await api?.stop();
          await api?.start();
          // A rolling restart goes on when the process is ready.
          await untilOk(`${api?.url}/api/ready`);
          restarts += 1;
        }
      };
      await Promise.all([restarting(), ...Array.from({ length: readers }, (_, at) => reader(at))]);
      await agent.close();
      process.stdout.write(`rolling restart: ${done} reads, ${restarts} restarts, ${failed.length} failed\n`);
      return failed;
    }
  },
);

function question(query: string): string {
  return `/api/v2/context?${new URLSearchParams({ libraryId, query }).toString()}`;
}

async function untilOk(url: string, headers: Record<string, string> = {}): Promise<void> {
  while ((await fetch(url, { headers })).status !== 200) await sleep(100);
}
