import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  faultSeconds,
  missingPrograms,
  openLocalRig,
  steadyLibrary,
  submitMany,
  tell,
  type LocalRig,
} from "./support/local.ts";
import { recoveredAfter, startReaders, summarise } from "./support/readers.ts";

const run = promisify(execFile);
const program = join(import.meta.dirname, "..", "..", "cli", "lectern.mjs");

describe.skipIf(missingPrograms.length > 0)("a cluster that loses an API process or its index", () => {
  let rig: LocalRig;
  beforeAll(async () => {
    rig = await openLocalRig();
  });
  afterAll(() => rig?.[Symbol.asyncDispose]());

  it("answers through the other API process while one is killed", async () => {
    const { cluster } = rig;
    const readers = await startReaders(cluster.apis, cluster.adminKey, steadyLibrary);
    await sleep(500);
    const [first, second] = cluster.apis;
    const { release } = await submitMany(rig, "api");
    await second?.kill();
    const begun = performance.now();
    release();
    await rig.submit("/api/submitted-meanwhile", 1);
    const settled = await rig.settled(60);
    await sleep(Math.max(0, 5000 - settled));
    const ended = performance.now();
    await second?.start();
    const back = performance.now();
    await sleep(1000);
    await readers.stop();
    await rig.expectAllWhole();

    const of = (name = "") => readers.readings.filter(({ api }) => api === name);
    const other = summarise(of(first?.name));
    const killed = summarise(of(second?.name));
    const away = summarise(of(second?.name).filter((one) => one.begun > begun && one.ended < ended));
    expect(other).toMatchObject({ wrong: [], refused: 0, unreachable: 0 });
    expect(other.right).toBeGreaterThan(50);
    expect(killed).toMatchObject({ wrong: [], refused: 0 });
    expect(away).toMatchObject({ right: 0 });
    expect(away.unreachable).toBeGreaterThan(10);
    const readsRightAfter = recoveredAfter(of(second?.name), back);
    tell("one of two API processes killed", { other, killed, started: Math.round(back - ended), readsRightAfter });
  });

  it(`refuses reads at once without Meilisearch for ${faultSeconds} s, answers none wrongly, and finishes its runs`, async () => {
    const { cluster } = rig;
    const { meilisearch } = cluster.servers;
    const readers = await startReaders(cluster.apis, cluster.adminKey, steadyLibrary);
    const { release } = await submitMany(rig, "meilisearch");
    await meilisearch?.kill();
    const begun = performance.now();
    release();
    await rig.submit("/meilisearch/submitted-meanwhile", 0);
    await sleep(faultSeconds * 1000);
    const ended = performance.now();
    await meilisearch?.start();
    const back = performance.now();
    const settled = await rig.settled(90);
    await sleep(500);
    await readers.stop();
    await rig.expectAllWhole();

    const { readings } = readers;
    const away = summarise(readings.filter((one) => one.begun > begun && one.ended < ended));
    const all = summarise(readings);
    tell(`meilisearch killed, away for ${faultSeconds} s`, {
      away,
      all,
      started: Math.round(back - ended),
      readsRightAfter: recoveredAfter(readings, back),
      runsSettledAfter: settled,
    });
    expect(all).toMatchObject({ wrong: [], unreachable: 0 });
    expect(away).toMatchObject({ right: 0 });
    expect(away.refused).toBeGreaterThan(100);
    expect(away.slowest).toBeLessThan(3000);
  });

  it("rebuilds an emptied Meilisearch with one command, lectern setup, and refuses what is not there yet", async () => {
    const { cluster, folder } = rig;
    const { meilisearch } = cluster.servers;
    const readers = await Promise.all(
      [0, 1, 2].map((size) => startReaders(cluster.apis, cluster.adminKey, `/twin/size-${size}`)),
    );
    await meilisearch?.kill();
    await rm(join(folder, "meilisearch", "data.ms"), { recursive: true });
    await meilisearch?.start();
    await sleep(1000);
    const empty = performance.now();

    // The keys of API processes are lost with the data.
    const [api] = cluster.apis;
    const ready = await fetch(`${api?.url ?? ""}/api/ready`);
    expect(ready.status).toBe(503);
    expect(await ready.text()).toMatch(/does not know the key .* run lectern setup/);
    const { stdout } = await run(process.execPath, [program, "setup"], {
      env: { ...process.env, ...cluster.env, DATA_DIR: join(folder, "reindex") },
    });
    const commanded = performance.now();
    const live = (await rig.catalog.generations.live()).length;
    // Reads, sweeps and this command have what is lost loaded; which of them is first is chance.
    expect(stdout).toContain("Everything is set up.");
    expect((await fetch(`${api?.url ?? ""}/api/ready`)).status).toBe(200);
    const settled = await rig.settled(90);
    await sleep(500);
    await Promise.all(readers.map((one) => one.stop()));
    await rig.expectAllWhole();

    const readings = readers.flatMap((one) => one.readings);
    const all = summarise(readings);
    const before = summarise(readings.filter(({ begun, ended }) => begun > empty - 900 && ended < empty));
    tell(`meilisearch emptied, ${live} libraries`, {
      all,
      command: Math.round(commanded - empty),
      readsRightAfter: readers.map((one) => recoveredAfter(one.readings, empty)),
      allLoadedAfter: Math.round(commanded - empty + settled),
    });
    expect(all).toMatchObject({ wrong: [], unreachable: 0 });
    expect(before).toMatchObject({ right: 0 });
    expect(before.refused).toBeGreaterThan(5);
    // What was not lost is not loaded again.
    const again = await run(process.execPath, [program, "reindex"], {
      env: { ...process.env, ...cluster.env, DATA_DIR: join(folder, "reindex") },
    });
    expect(again.stdout).toContain(`${live} live generations: 0 are being loaded again`);
  });
});
