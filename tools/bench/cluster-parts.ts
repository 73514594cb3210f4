import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";
import type { LocalCluster } from "../dev/local-cluster.ts";
import type { GitServer } from "../../test/support/git-server.ts";

/** The cluster and Git host of a measurement. */
export interface ClusterBench {
  readonly cluster: LocalCluster;
  readonly git: GitServer;
}

/** A client of a deployment. */
export interface Deployment {
  get(path: string): Promise<{ readonly status: number; readonly body: string }>;
  post(path: string, body: object): Promise<{ readonly status: number; readonly body: string }>;
  close(): Promise<void>;
}

/** Creates a client of a deployment with persistent connections. Paths are relative to `/api`. */
export function createDeployment(url: string, key: string, connections = 8): Deployment {
  const pool = new Pool(url, { connections });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const send = async (method: "GET" | "POST", path: string, body?: object) => {
    const request = { method, path: `/api${path}`, headers };
    const answer = await pool.request({ ...request, ...(body && { body: JSON.stringify(body) }) });
    return { status: answer.statusCode, body: await answer.body.text() };
  };
  return {
    get: (path) => send("GET", path),
    post: (path, body) => send("POST", path, body),
    close: () => pool.close(),
  };
}

/** Submits a Git repository and waits for its first answer; returns the seconds that it took. */
export async function firstAnswer(target: Deployment, docsRepoUrl: string, libraryName: string): Promise<number> {
  const start = performance.now();
  const submitted = await target.post("/v2/add/repo/git", { docsRepoUrl, libraryName });
  if (submitted.status !== 200) throw new Error(`A submission was answered ${submitted.status}: ${submitted.body}`);
  const path = `/v2/context?${new URLSearchParams({ libraryId: libraryName, query: "how do I configure it" }).toString()}`;
  for (;;) {
    const { status, body } = await target.get(path);
    if (status === 200) return (performance.now() - start) / 1000;
    if (status !== 202) throw new Error(`${libraryName} was answered ${status}: ${body}`);
    await sleep(10);
  }
}
