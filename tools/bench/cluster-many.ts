import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { createDeployment, type ClusterBench, type Deployment } from "./cluster-parts.ts";
import { createWriter } from "./corpus.ts";
import { drive, printTable, residentMegabytes } from "./measure.ts";
import { size } from "./size.ts";

/** Concurrent submissions. */
const clients = 32;
const count = size({ full: 1000, small: 4 });

/**
 * Submits libraries of one page at once, and waits until all can be read. Prints seconds, and the memory of the workers halfway and at the end.
 * @throws Error for a library that is not finalized, or was indexed twice
 */
export async function measureMany({ cluster, git }: ClusterBench): Promise<void> {
  const catalog = new pg.Client({ connectionString: cluster.env["DATABASE_URL"] });
  await catalog.connect();
  const apis = cluster.apis.map(({ url }) => createDeployment(url, cluster.adminKey, clients));
  const blobs = join(fileURLToPath(cluster.env["BLOB_URL"] ?? ""), "generations");
  try {
    const writer = createWriter(count);
    const urls: string[] = [];
    await drive(4, count, async (at) => {
      // Pages without code may be left out.
      const page = `${writer.page(`Library ${at}`, 3000)}## Install\n\n\`\`\`sh\nnpm install library-${at}\n\`\`\`\n`;
      urls[at] = (await git.repository(`many/library-${at}.git`, { "README.md": page })).url;
    });
    const before = (await readdir(blobs).catch(() => [])).length;
    const start = performance.now();
    const submitting = submitAll(apis, urls);
    const memory: string[] = [];
    for (const share of [0.5, 1]) {
      await untilClosed(catalog, share * count);
      const megabytes = await Promise.all(cluster.workers.map(({ pid = 0 }) => residentMegabytes(pid, "now")));
      memory.push(megabytes.map((one) => one.toFixed(0)).join(", "));
    }
    const seconds = (performance.now() - start) / 1000;
    await submitting;
    const { live, runs } = await tallyOf(catalog);
    const generations = (await readdir(blobs)).length - before;
    if (live !== count || runs !== count || generations !== count)
      throw new Error(`${count} libraries were submitted: ${JSON.stringify({ live, runs, generations })}.`);
    console.log(`\nLibraries of one page, submitted at once by ${clients} clients; each was indexed once\n`);
    printTable(
      ["libraries", "s each", "MB of each worker halfway", "at the end"],
      [[String(count), (seconds / count).toFixed(3), ...memory]],
    );
  } finally {
    await Promise.all(apis.map((api) => api.close()));
    await catalog.end();
  }
}

/** Submits all repositories. A submission that is refused for the moment (429, 503) is sent again, as a client would. */
async function submitAll(apis: readonly Deployment[], urls: readonly string[]): Promise<void> {
  await drive(clients, urls.length, async (at) => {
    const body = { docsRepoUrl: urls[at], libraryName: `/many/library-${at}` };
    for (let tries = 1; ; tries += 1) {
      const answer = await apis[at % apis.length]?.post("/v2/add/repo/git", body);
      // A submission that was answered 503 may have been accepted.
      if (answer?.status === 200 || (answer?.status === 409 && tries > 1)) return;
      if (answer?.status !== 429 && answer?.status !== 503)
        throw new Error(`The submission of ${body.libraryName} was answered ${answer?.status}: ${answer?.body}`);
      await sleep(1000);
    }
  });
}

/** Waits until this number of runs has ended. @throws Error for a run that ended otherwise than published */
async function untilClosed(catalog: pg.Client, wanted: number): Promise<void> {
  for (;;) {
    const { failed, closed } = await tallyOf(catalog);
    if (failed !== null) throw new Error(`Not every run ended published: ${failed}`);
    if (closed >= wanted) return;
    await sleep(200);
  }
}

/** Numbers of libraries that can be read, of runs, and of ended runs; and the outcome of runs that were not published. */
async function tallyOf(
  catalog: pg.Client,
): Promise<{ live: number; runs: number; closed: number; failed: string | null }> {
  const { rows } = await catalog.query<{ live: string; runs: string; closed: string; failed: string | null }>(
    `select count(distinct v.library_uid) filter (where v.live_generation is not null) as live, count(r.id) as runs,
       count(r.id) filter (where r.closed_at is not null) as closed,
       string_agg(l.id || ' ' || r.outcome || ' ' || coalesce(r.failure_json, ''), ', ')
         filter (where r.outcome <> 'published') as failed
     from libraries l join versions v on v.library_uid = l.uid left join runs r on r.library_uid = l.uid
     where l.folded_id like '/many/%'`,
  );
  const [{ live, runs, closed, failed } = { live: 0, runs: 0, closed: 0, failed: null }] = rows;
  return { live: Number(live), runs: Number(runs), closed: Number(closed), failed };
}
