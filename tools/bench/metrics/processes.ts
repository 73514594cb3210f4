import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { openPostgresCatalog } from "../../../stores/catalog/postgres.ts";
import { startPostgres } from "../../dev/postgres.ts";
import { surfaces } from "../../../domain/metrics.ts";
import { addLibrary } from "../../../test/contracts/catalog-samples.ts";
import { temporaryFolder } from "../../../test/support/lectern-process.ts";
import { printTable } from "../measure.ts";

/** Answers counted at the counter itself by four processes on PostgreSQL, two of which are killed. */
export async function countByProcesses(each: number): Promise<void> {
  await using folder = await temporaryFolder();
  const server = await startPostgres({ folder: folder.path, password: "lectern", durable: false });
  const every = 1000;
  try {
    const catalog = await openPostgresCatalog({ url: server.url, poolSize: 2, migrate: true });
    const uids = ["stays-1", "stays-2", "killed-1", "killed-2"];
    for (const uid of uids) await addLibrary(catalog, uid, { id: `/bench/${uid}` });
    const ended = await Promise.all(
      uids.map((uid, at) => runCounter(server.url, uid, { each, every, share: 0.4 + at / 10 })),
    );
    const rows: string[][] = [];
    for (const [at, uid] of uids.entries()) {
      const { total } = await catalog.metrics.of(uid, { since: "2000-01-01", atMost: 1 });
      const kept = surfaces.reduce((sum, surface) => sum + total[surface], 0);
      const told = ended[at] ?? [];
      const last = told.at(-1) ?? { at: 0, counted: 0, written: 0 };
      // What it said was written is there, and nothing that it has not counted.
      const isRight = uid.startsWith("killed")
        ? kept >= last.written && kept <= last.counted + 500
        : kept === each && last.counted === each;
      const unwritten = told.find(({ counted }) => counted > kept)?.at ?? last.at;
      const lost = `${last.counted - kept} (${((last.at - unwritten) / 1000).toFixed(1)} s)`;
      rows.push([uid, String(last.counted), String(kept), lost, isRight ? "right" : "WRONG"]);
    }
    await catalog.close();
    console.log(`\nfour processes on PostgreSQL, ${each} answers each, written every ${every} ms\n`);
    printTable(["process", "counted", "in the catalog", "lost (of the last)", "sum"], rows);
  } finally {
    await server.stop();
  }
}

interface Told {
  readonly counted: number;
  readonly written: number;
  /** When it was told, in milliseconds. */
  readonly at: number;
}

/** Runs a counter, and kills it after a share of its answers if its name says so; answers what it has told. */
async function runCounter(
  url: string,
  uid: string,
  { each, every, share }: { readonly each: number; readonly every: number; readonly share: number },
): Promise<readonly Told[]> {
  const program = join(import.meta.dirname, "counter.ts");
  const child = spawn(process.execPath, [program, url, uid, String(each), String(every)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const told: Told[] = [];
  const closed = new Promise((resolve) => child.on("close", resolve));
  for await (const line of createInterface({ input: child.stdout })) {
    const said = JSON.parse(line) as Omit<Told, "at">;
    told.push({ ...said, at: performance.now() });
    if (uid.startsWith("killed") && said.counted > each * share) child.kill("SIGKILL");
  }
  await closed;
  return told;
}
