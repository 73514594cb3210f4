import { join } from "node:path";
import { Pool } from "undici";
import { openPostgresCatalog } from "../../../stores/catalog/postgres.ts";
import { ensureDatabase, startPostgres } from "../../dev/postgres.ts";
import { startGitServer } from "../../../test/support/git-server.ts";
import { startLectern, temporaryFolder } from "../../../test/support/lectern-process.ts";
import type { LecternProcess } from "../../../test/support/lectern-process.ts";
import type { Surface } from "../../../domain/metrics.ts";
import { createWriter, repositoryFiles } from "../corpus.ts";
import { drive, printTable } from "../measure.ts";

const libraryId = "/bench/counted";

/** Interval at which a server writes its counts, in milliseconds (docs/operations.md), and what writing them may take. */
const flushInterval = 60_000;
const flushTime = 5000;

/** A server, and what was asked of it: each asks as another surface, by which the sums are told apart. */
interface Asked {
  readonly surface: Surface;
  readonly headers: Readonly<Record<string, string>>;
  readonly type: "txt" | "json";
  /** It is killed behind so large a share of its requests, and no sooner than this many milliseconds after the first one. */
  readonly killed?: { readonly share: number; readonly after: number };
}

const asked: readonly Asked[] = [
  { surface: "mcp", headers: { "x-context7-source": "mcp-server" }, type: "txt" },
  { surface: "cli", headers: { "x-context7-source": "cli" }, type: "txt" },
  { surface: "txt", headers: {}, type: "txt", killed: { share: 0.4, after: 75_000 } },
  { surface: "page", headers: {}, type: "json", killed: { share: 0.6, after: 100_000 } },
];

/** Requests by HTTP to four servers on one PostgreSQL, two of which are killed: what the catalog has of the answers of each. */
export async function countByHttp(requests: number): Promise<void> {
  await using folder = await temporaryFolder();
  await using data = await temporaryFolder();
  const postgres = await startPostgres({ folder: data.path, password: "lectern", durable: false });
  const git = await startGitServer();
  const url = await ensureDatabase(postgres.url, "lectern");
  const env = {
    DATABASE_URL: url,
    BLOB_URL: `file://${join(folder.path, "blobs")}`,
    FETCH_ALLOW: git.host,
    LOG_LEVEL: "error",
    ENCRYPTION_KEYS: `bench:${Buffer.alloc(32, 7).toString("base64")}`,
  };
  const servers: LecternProcess[] = [];
  try {
    servers.push(await startLectern(join(folder.path, "server-0"), env));
    const repository = await git.repository("bench/counted.git", repositoryFiles(3, { documents: 20, sources: 0 }));
    const submission = { docsRepoUrl: repository.url, libraryName: libraryId };
    await servers[0]?.call("POST", "/v2/add/repo/git", submission);
    await servers[0]?.settled(libraryId);
    for (const at of [1, 2, 3]) servers.push(await startLectern(join(folder.path, `server-${at}`), env));
    for (const { url: at } of servers) await readable(at);
    const begun = performance.now();
    const rows = await Promise.all(asked.map((how, at) => ask(servers[at], how, requests / asked.length, begun)));
    // What two servers did not get to answer the others are asked.
    const left = rows.map(({ missing }) => missing).reduce((sum, count) => sum + count, 0);
    await Promise.all(
      [0, 1].map(async (at) => {
        const [how, row] = [asked[at], rows[at]];
        if (!how || !row) return;
        const more = await ask(servers[at], how, Math.ceil(left / 2), begun);
        row.answered.push(...more.answered);
      }),
    );
    const seconds = (performance.now() - begun) / 1000;
    await Promise.all(servers.map((server) => server.kill("SIGTERM")));
    const catalog = await openPostgresCatalog({ url, poolSize: 1, migrate: false });
    const { uid = "" } = (await catalog.libraries.find([""], libraryId, ""))?.library ?? {};
    const { total } = await catalog.metrics.of(uid, { since: "2000-01-01", atMost: 1 });
    await catalog.close();
    const all = rows.reduce((sum, { answered }) => sum + answered.length, 0);
    console.log(
      `\n${all} answers of four servers on PostgreSQL, written every ${flushInterval / 1000} s, in ${seconds.toFixed(0)} s\n`,
    );
    printTable(
      ["server", "answered with 200", "in the catalog", "lacking", "sum"],
      rows.map(({ answered, killedAt }, at) => {
        const kept = total[asked[at]?.surface ?? "mcp"];
        const due = killedAt === null ? Infinity : killedAt - flushInterval - flushTime;
        const least = answered.filter((when) => when < due).length;
        // A server that is killed has counted what it was about to answer: at most one for each client.
        const isRight = kept >= least && kept <= answered.length + (killedAt === null ? 0 : clients);
        const end = killedAt === null ? "told to stop" : `killed after ${((killedAt - begun) / 1000).toFixed(0)} s`;
        return [
          end,
          String(answered.length),
          String(kept),
          String(answered.length - kept),
          isRight ? "right" : "WRONG",
        ];
      }),
    );
  } finally {
    await Promise.all(servers.map((server) => server.kill("SIGKILL")));
    await git.close();
    await postgres.stop();
  }
}

/** Requests that each server is asked at once. */
const clients = 8;
const writer = createWriter(7);
const questions = Array.from({ length: 20 }, () => writer.question(4));

/** Asks a server until it has answered so often or is killed; when each answer came, and how many did not. */
async function ask(
  server: LecternProcess | undefined,
  { headers, type, killed }: Asked,
  requests: number,
  begun: number,
): Promise<{ readonly answered: number[]; readonly missing: number; readonly killedAt: number | null }> {
  if (!server) throw new TypeError("There is a server for each.");
  const pool = new Pool(server.url, { connections: clients });
  const answered: number[] = [];
  let killedAt: number | null = null;
  await drive(clients, requests, async (at) => {
    if (killedAt !== null) return;
    const query = new URLSearchParams({ libraryId, type, query: questions[at % 20] ?? "" }).toString();
    try {
      const { statusCode, body } = await pool.request({ method: "GET", path: `/api/v2/context?${query}`, headers });
      await body.dump();
      if (statusCode !== 200) throw new Error(`Answered ${statusCode}.`);
      answered.push(performance.now());
      if (answered.length % 5000 === 0) console.error(`${headers["x-context7-source"] ?? type}: ${answered.length}`);
    } catch (error) {
      if (killedAt === null) throw error;
    }
    if (killed && answered.length > killed.share * requests && performance.now() - begun > killed.after) {
      killedAt ??= performance.now();
      await server.kill("SIGKILL");
    }
  });
  await pool.close().catch(() => undefined);
  return { answered, missing: requests - answered.length, killedAt };
}

/** Waits until a server answers questions: its index is restored by its first sweep. An explanation counts as no answer. */
async function readable(url: string): Promise<void> {
  for (;;) {
    const { status } = await fetch(`${url}/api/v2/context/explain?libraryId=${libraryId}&query=a`);
    if (status === 200) return;
    await new Promise((done) => setTimeout(done, 200));
  }
}
