import { execFile } from "node:child_process";
import { mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { missingPrograms, openLocalRig, steadyLibrary, tell, type Answer, type LocalRig } from "./support/local.ts";
import { startReaders, summarise } from "./support/readers.ts";

const run = promisify(execFile);

/** A file system of its own, so that filling it harms nobody; undefined where this user may not make one. */
async function mountSmall(folder: string): Promise<(() => Promise<unknown>) | undefined> {
  try {
    await run("mount", ["-t", "tmpfs", "-o", "size=16m", "tmpfs", folder]);
    return () => run("umount", [folder]);
  } catch (error) {
    process.stdout.write(`skipped: a full disk, as none can be made here: ${String(error).trim()}\n`);
    return undefined;
  }
}

const folder = missingPrograms.length > 0 ? "" : await mkdtemp(join(tmpdir(), "lectern-small-disk-"));
const unmount = folder === "" ? undefined : await mountSmall(folder);

afterAll(async () => {
  await unmount?.();
  if (folder !== "") await rm(folder, { recursive: true, force: true });
});

describe.skipIf(unmount === undefined)("a cluster whose BlobStore has no room left", () => {
  let rig: LocalRig;
  beforeAll(async () => {
    rig = await openLocalRig({
      BLOB_URL: pathToFileURL(join(folder, "blobs")).href,
      KEEP_GENERATIONS: "0",
      GRACE_SECONDS: "0",
    });
  });
  afterAll(() => rig?.[Symbol.asyncDispose]());

  it("goes on answering, publishes nothing half, and finishes its runs once there is room", async () => {
    const { cluster, catalog } = rig;
    const readers = await startReaders(cluster.apis, cluster.adminKey, steadyLibrary);
    await rig.submitOwn("/full/changed", 0);
    await rig.settled(60);
    const live = await catalog.generations.live();
    const question = (id: string): Promise<Answer> =>
      rig.call("GET", `/v2/context?libraryId=${id}&query=install&type=json`, undefined, 1);
    const before = await question("/full/changed");
    const filler = join(folder, "filler");
    const { bsize, bavail } = await statfs(folder);
    await writeFile(filler, new Uint8Array(bsize * bavail));

    for (const size of [0, 1, 2] as const) await rig.submit(`/full/size-${size}`, size);
    await rig.change("/full/changed", 2);
    await sleep(12_000);
    const open = await catalog.runs.openRuns();
    expect(open.map(({ phase }) => phase)).toEqual(["collecting", "collecting", "collecting", "collecting"]);
    expect(await catalog.generations.live()).toEqual(live);
    expect(await question("/full/size-2")).toMatchObject({
      status: 202,
      body: { codeSnippets: [], infoSnippets: [] },
    });
    expect(before.status).toBe(200);
    expect((await question("/full/changed")).body).toEqual(before.body);

    await rm(filler);
    const settled = await rig.settled(90);
    await readers.stop();
    await rig.expectAllWhole();
    expect((await question("/full/changed")).body).not.toEqual(before.body);
    const all = summarise(readers.readings);
    tell("disk of the BlobStore full for 12 s", { all, runsSettledAfter: settled });
    expect(all).toMatchObject({ wrong: [], refused: 0, unreachable: 0 });
  });
});
