import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seededRandom } from "../../tools/bench/measure.ts";
import { openPostgres } from "../../stores/catalog/postgres.ts";
import type { Part } from "../../tools/dev/local-cluster.ts";
import type { StepName } from "../../domain/steps.ts";
import { missingPrograms, openLocalRig, steadyLibrary, tell, type LocalRig, type Size } from "./support/local.ts";
import { startReaders, summarise } from "./support/readers.ts";

/** Kills at random moments, after those that are aimed at a step. */
const randomKills = 12;

/** For how long at most, in milliseconds: a step may lose its worker twice, and each loss takes 30 s to be noticed. */
const randomTime = 40_000;

describe.skipIf(missingPrograms.length > 0)("a cluster whose workers are killed", () => {
  let rig: LocalRig;
  beforeAll(async () => {
    rig = await openLocalRig();
  });
  afterAll(() => rig?.[Symbol.asyncDispose]());

  const restart = async (worker: Part | undefined): Promise<void> => {
    await worker?.kill();
    await worker?.start();
  };
  /** Kills the worker that has a step of a library's run, and starts it again. */
  const killIn = async (step: StepName, id: string): Promise<void> => {
    await restart(await rig.workerIn(step, id));
  };
  /** Keeps a library's version from being written while something is done. Readers do not notice. */
  const whileLocked = async (id: string, work: () => Promise<void>): Promise<void> => {
    const db = openPostgres({ url: rig.cluster.env["DATABASE_URL"] ?? "", poolSize: 1, statementTimeout: 60_000 });
    try {
      await db.transaction().execute(async (trx) => {
        await trx
          .selectFrom("versions")
          .innerJoin("libraries", "libraries.uid", "versions.library_uid")
          .where("libraries.id", "=", id)
          .select("versions.version")
          .forUpdate("versions")
          .execute();
        await work();
      });
    } finally {
      await db.destroy();
    }
  };

  it("stops in order in the middle of a run, any process and any number of times", { timeout: 240_000 }, async () => {
    const stop = async (part: Part | undefined): Promise<void> => {
      const begun = performance.now();
      await part?.stop();
      expect(performance.now() - begun).toBeLessThan(10_000);
      await part?.start();
    };
    const held = await rig.submitHeld("/stopped/in-collect", 1, "collect");
    for (let at = 0; at < 6; at += 1) await stop(await rig.workerIn("collect", "/stopped/in-collect"));
    for (const api of rig.cluster.apis) await stop(api);
    held.release();
    await rig.settled(60);
    await rig.expectAllWhole();
  });

  it("finishes every run by itself, whichever step its worker was killed in", { timeout: 240_000 }, async () => {
    const { cluster } = rig;
    const seed = Number(process.env["FAULT_SEED"] ?? Date.now() % 100_000);
    const random = seededRandom(seed);
    const readers = await startReaders(cluster.apis, cluster.adminKey, steadyLibrary);
    const begun = performance.now();

    const inResolve = await rig.submitHeld("/killed/in-resolve", 0, "resolve");
    await killIn("resolve", "/killed/in-resolve");
    inResolve.release();
    const inCollect = await rig.submitHeld("/killed/in-collect", 1, "collect");
    await killIn("collect", "/killed/in-collect");
    inCollect.release();
    for (const step of ["load", "announce"] as const) {
      await rig.submit(`/killed/in-${step}`, 2);
      await killIn(step, `/killed/in-${step}`);
    }
    // These steps write to the version, and those before them do not.
    for (const [step, before] of [
      ["publish", "load"],
      ["retire", "announce"],
    ] as const) {
      const id = `/killed/in-${step}`;
      await rig.submit(id, 2);
      await rig.workerIn(before, id);
      await whileLocked(id, () => killIn(step, id));
    }
    // A refresh of what has not changed writes nothing to the version before its end.
    const inConclude = rig.git.hold("acme/size-0.git");
    await rig.call("POST", "/v1/refresh", { libraryName: "/twin/size-0" });
    await inConclude.reached;
    await whileLocked("/twin/size-0", async () => {
      inConclude.release();
      await killIn("conclude", "/twin/size-0");
    });

    // Otherwise a step that lost its worker above could lose two more below, and is then given up.
    await rig.settled(120);
    const until = performance.now() + randomTime;
    let kill = 0;
    for (; kill < randomKills && performance.now() < until; kill += 1) {
      for (let at = 0; at < 3; at += 1) await rig.submit(`/random/library-${3 * kill + at}`, at as Size);
      await sleep(random() * 1200);
      await restart(cluster.workers[kill % 2]);
    }
    const killed = performance.now();
    const settled = await rig.settled(120);
    await readers.stop();
    await rig.expectAllWhole();

    const all = summarise(readers.readings);
    const lost = await rig.lostSteps();
    tell("workers killed", {
      seed,
      kills: 7 + kill,
      seconds: Math.round((killed - begun) / 1000),
      lostSteps: lost,
      all,
      runsSettledAfter: settled,
    });
    expect(all).toMatchObject({ wrong: [], refused: 0, unreachable: 0 });
    for (const step of ["resolve", "collect", "load", "publish", "announce", "retire", "conclude"])
      expect(lost[step], `lost in ${step}`).toBeGreaterThan(0);
  });
});
