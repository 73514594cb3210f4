import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  faultSeconds,
  missingPrograms,
  openLocalRig,
  steadyLibrary,
  submitMany,
  tell,
  type Answer,
  type LocalRig,
} from "./support/local.ts";
import { recoveredAfter, startReaders, summarise, type ReadingSummary } from "./support/readers.ts";

interface Outage {
  /** Reads while the server was away. */
  readonly away: ReadingSummary;
  /** All reads, from before the fault until every run had ended. */
  readonly all: ReadingSummary;
  /** What submissions answered meanwhile, through both API processes. */
  readonly submissions: readonly Answer[];
}

describe.skipIf(missingPrograms.length > 0)(`a cluster whose server is killed and away for ${faultSeconds} s`, () => {
  let rig: LocalRig;
  beforeAll(async () => {
    rig = await openLocalRig();
  });
  afterAll(() => rig?.[Symbol.asyncDispose]());

  /** Kills a server while runs are under way, asks for more meanwhile, and waits until all is as it should be. */
  const killed = async (server: string): Promise<Outage> => {
    const { cluster } = rig;
    const readers = await startReaders(cluster.apis, cluster.adminKey, steadyLibrary);
    const { release } = await submitMany(rig, server);
    await cluster.servers[server]?.kill();
    const begun = performance.now();
    const submissions: Answer[] = [];
    for (let at = 0; performance.now() < begun + faultSeconds * 1000; at += 1) {
      const body = { docsRepoUrl: `${rig.git.url}/acme/size-0.git`, libraryName: `/refused/${server}-${at}` };
      submissions.push(await rig.call("POST", "/v2/add/repo/git", body, at % 2));
      if (at === 2) release();
      await sleep(500);
    }
    const ended = performance.now();
    await cluster.servers[server]?.start();
    const back = performance.now();
    const settled = await rig.settled(90);
    // The readers see some of the time after it, too.
    await sleep(500);
    await readers.stop();
    await rig.expectAllWhole();
    const { readings } = readers;
    // A read that was on its way when the server died belongs to the time before.
    const away = summarise(readings.filter((one) => one.begun > begun && one.ended < ended));
    const all = summarise(readings);
    tell(`${server} killed, away for ${faultSeconds} s`, {
      away,
      all,
      submissions: submissions.length,
      slowestSubmission: Math.round(Math.max(...submissions.map(({ took }) => took))),
      started: Math.round(back - ended),
      readsRightAfter: recoveredAfter(readings, back),
      runsSettledAfter: settled,
    });
    return { away, all, submissions };
  };

  it("answers every read without Temporal, refuses submissions within 2 s, and finishes its runs", async () => {
    const { all, submissions } = await killed("temporal");
    expect(all).toMatchObject({ wrong: [], refused: 0, unreachable: 0 });
    expect(all.right).toBeGreaterThan(100);
    expect(submissions.length).toBeGreaterThan(5);
    for (const { status, body, took } of submissions) {
      expect({ status, error: body["error"] }).toEqual({ status: 503, error: "service_unavailable" });
      expect(took).toBeLessThan(2000);
    }
  });

  it("refuses reads at once without PostgreSQL, answers none wrongly, and finishes its runs", async () => {
    const { away, all, submissions } = await killed("postgres");
    expect(all).toMatchObject({ wrong: [], unreachable: 0 });
    expect(away).toMatchObject({ right: 0 });
    expect(away.refused).toBeGreaterThan(100);
    expect(away.slowest).toBeLessThan(3000);
    for (const { status, body } of submissions)
      expect({ status, error: body["error"] }).toEqual({ status: 503, error: "search_failed" });
  });
});
