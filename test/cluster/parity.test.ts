/** The same sources, indexed in one process on SQLite and by the cluster, come to the same passages and answers. */
import { randomBytes } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { readManifest } from "../../activities/parts.ts";
import { exportGeneration } from "../../activities/transfer.ts";
import { createFolderBlobStore } from "../../stores/blobs/folder.ts";
import { startLocalCluster } from "../../tools/dev/local-cluster.ts";
import { ensureDatabase } from "../../tools/dev/postgres.ts";
import type { BlobStore } from "../../domain/ports.ts";
import { startGitServer } from "../support/git-server.ts";
import { adminKey, startLectern, temporaryFolder } from "../support/lectern-process.ts";
import { parityQuestions } from "./support/parity-questions.ts";

const postgres = inject("postgres");
const temporal = inject("temporal");
const meilisearch = inject("meilisearch");

/** Share of the questions whose first answer has to be the same. */
const sameAtLeast = 0.95;

const root = join(import.meta.dirname, "..", "..");
/** Where the documentation of each library lies. */
const folders = {
  undici: join(root, "node_modules", "undici"),
  pino: join(root, "node_modules", "pino"),
  lectern: root,
};
const names = ["undici", "pino", "lectern"] as const;

/** One deployment: how to ask it, and where it keeps generations. */
interface Column {
  get(path: string): Promise<{ status: number; body: unknown }>;
  /** @throws Error where the answer is not 200 */
  post(path: string, body: unknown): Promise<void>;
  readonly blobs: BlobStore;
}

describe.skipIf(postgres === null || temporal === null || meilisearch === null)("cluster and single process", () => {
  const resources = new AsyncDisposableStack();
  const columns = {} as Record<"embedded" | "cluster", Column>;

  beforeAll(async () => {
    if (postgres === null || temporal === null || meilisearch === null) return;
    const git = await startGitServer();
    resources.defer(() => git.close());
    const [embeddedFolder, clusterFolder] = [await temporaryFolder(), await temporaryFolder()];
    for (const folder of [embeddedFolder, clusterFolder]) resources.use(folder);

    const embedded = await startLectern(embeddedFolder.path, { FETCH_ALLOW: git.host, LOG_LEVEL: "warn" });
    resources.defer(() => embedded.kill("SIGTERM").then(() => undefined));
    const own = `parity_${randomBytes(6).toString("hex")}`;
    const cluster = await startLocalCluster({
      folder: join(clusterFolder.path, "cluster"),
      env: {
        DATABASE_URL: await ensureDatabase(postgres, own),
        MEILI_URL: meilisearch.url,
        MEILI_API_KEY: meilisearch.key,
        MEILI_PREFIX: `${own}_`,
        TEMPORAL_ADDRESS: temporal,
        TEMPORAL_NAMESPACE: own,
        FETCH_ALLOW: git.host,
        LOG_LEVEL: "warn",
        RATE_LIMIT_READS: "1000000",
      },
      apiPorts: [0],
      workers: [{ WORKER_QUEUES: "main,git,crawl,load" }],
      ui: false,
    });
    resources.defer(() => cluster.stop());

    columns.embedded = column(embedded.url, adminKey, join(embeddedFolder.path, "blobs"));
    const blobs = fileURLToPath(cluster.env["BLOB_URL"] ?? "");
    columns.cluster = column(cluster.apis[0]?.url ?? "", cluster.adminKey, blobs);
    for (const name of names) {
      const { url } = await git.repository(`docs/${name}.git`, markdownOf(folders[name]));
      const submission = { docsRepoUrl: url, libraryName: idOf(name) };
      for (const { post } of Object.values(columns)) await post("/v2/add/repo/git", submission);
    }
  });
  afterAll(() => resources.disposeAsync());

  it.each(names)("have the same generation of %s: its hash, its counts and every passage", async (name) => {
    const [one, other] = [await generationOf(columns.embedded, name), await generationOf(columns.cluster, name)];
    expect(one.passages.length).toBeGreaterThan(30);
    expect(other.contentHash).toBe(one.contentHash);
    expect(other.counts).toEqual(one.counts);
    expect(other.passages).toEqual(one.passages);
  });

  it(`answer at least ${sameAtLeast * 100} % of 60 questions with the same passage first`, async () => {
    const different: string[] = [];
    let asked = 0;
    for (const name of names) {
      for (const { get } of Object.values(columns)) await settled(get, name);
      for (const query of parityQuestions[name]) {
        const parameters = new URLSearchParams({ libraryId: idOf(name), query, type: "json", limit: "1" }).toString();
        const [one, other] = await Promise.all(
          Object.values(columns).map(({ get }) => get(`/v2/context?${parameters}`)),
        );
        expect([one?.status, other?.status]).toEqual([200, 200]);
        const answers = one?.body as { codeSnippets: unknown[]; infoSnippets: unknown[] };
        expect(answers.codeSnippets.length + answers.infoSnippets.length, query).toBeGreaterThan(0);
        if (JSON.stringify(one?.body) !== JSON.stringify(other?.body)) different.push(`${name}: ${query}`);
        asked += 1;
      }
    }
    const share = 1 - different.length / asked;
    const same = `${asked - different.length} of ${asked} questions (${(100 * share).toFixed(1)} %)`;
    process.stdout.write(`The same first answer to ${same}.\n`);
    expect(asked).toBe(60);
    expect(share, different.join("\n")).toBeGreaterThanOrEqual(sameAtLeast);
  });
});

function idOf(name: string): string {
  return `/parity/${name}`;
}

/** The Markdown at the root of a folder and below its `docs`. */
function markdownOf(folder: string): Record<string, string> {
  const paths = globSync(["*.md", "docs/**/*.md"], { cwd: folder }).toSorted();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

function column(url: string, key: string, blobFolder: string): Column {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  return {
    async get(path) {
      const response = await fetch(`${url}/api${path}`, { headers });
      return { status: response.status, body: await response.json() };
    },
    async post(path, body) {
      const response = await fetch(`${url}/api${path}`, { method: "POST", headers, body: JSON.stringify(body) });
      const answer = await response.text();
      if (response.status !== 200) throw new Error(`${path} was answered ${response.status}: ${answer}`);
    },
    blobs: createFolderBlobStore({ folder: blobFolder }),
  };
}

/** The id of the live generation, once the library's run has ended. */
async function settled(get: Column["get"], name: string): Promise<string> {
  for (;;) {
    const { body } = await get(`/v2/libs/status?libraryId=${idOf(name)}`);
    const { openRun, state, live } = body as { openRun: unknown; state: string; live: { id: string } | null };
    if (state === "error") throw new Error(`${idOf(name)} failed: ${JSON.stringify(body)}`);
    if (openRun === null && live !== null) return live.id;
    await sleep(50);
  }
}

async function generationOf({ get, blobs }: Column, name: string) {
  const id = await settled(get, name);
  const manifest = await readManifest(blobs, id);
  const [, ...passages] = await Array.fromAsync(exportGeneration(blobs, id));
  return { contentHash: manifest?.contentHash, counts: manifest?.counts, passages };
}
