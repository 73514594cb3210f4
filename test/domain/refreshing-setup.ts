import { Failure } from "../../domain/failures.ts";
import type { Indexing, NewRun, RunRecord } from "../../domain/ports.ts";
import { dayOf } from "../../domain/days.ts";
import { startDueRefreshes, startDueRetries, type RefreshLimits } from "../../domain/scheduling.ts";
import type { SourceSpec } from "../../domain/kinds/index.ts";
import { addLibrary, defaultVersion, sampleGeneration } from "../contracts/catalog-samples.ts";
import { catalogOfTest } from "../support/of-test.ts";
import { gitSpec } from "../support/git-spec.ts";

export const day = 86_400_000;
const plenty: RefreshLimits = { atOnce: 100, perHost: 100 };

const none: (run: RunRecord) => boolean = () => false;

/** A real catalog with a clock and an engine that the test controls. */
export async function setup() {
  const { catalog } = await catalogOfTest();
  const clock = { now: Date.parse("2026-11-21T10:00:00Z") };
  const engine = { started: [] as RunRecord[], away: false, refuses: none };
  const unavailable = new Failure("service_unavailable", "The engine is away. Try again in a moment.");
  const indexing: Indexing = {
    async start(run) {
      if (engine.away || engine.refuses(run)) throw unavailable;
      engine.started.push(run);
    },
    cancel: async () => {},
    async ready() {
      if (engine.away) throw unavailable;
    },
  };
  let runs = 0;
  const newRun = (reason: NewRun["reason"], generation?: string): NewRun => ({
    runId: `due-${(runs += 1)}`,
    reason,
    priority: 0,
    ...(generation !== undefined && { generation }),
  });
  const ports = { catalog, indexing, newRun, now: () => clock.now };

  return {
    ports,
    catalog,
    clock,
    engine,
    /** A library published now, with `reads` reads `daysAgo` days ago. */
    async library(
      uid: string,
      reads: number,
      daysAgo = 0,
      source: SourceSpec = gitSpec(`https://${uid}.example.com/a/${uid}`),
    ) {
      await addLibrary(catalog, uid, { id: `/a/${uid}`, source });
      const generation = `${uid}-1`;
      await catalog.generations.stage(sampleGeneration(generation, uid, 1));
      await catalog.generations.publish({ runId: generation, generation, live: null }, clock.now);
      await catalog.runs.close(generation, { outcome: "published", revision: "rev-1" }, clock.now);
      if (reads > 0)
        await catalog.libraries.countReads(
          [{ libraryUid: uid, day: dayOf(clock.now - daysAgo * day), reads }],
          clock.now,
        );
    },
    /** A library with its open first run, `<uid>-1`. */
    first: (uid: string, host = "git.example.com") =>
      addLibrary(catalog, uid, { id: `/a/${uid}`, source: gitSpec(`https://${host}/a/${uid}`) }),
    version: (uid: string) => defaultVersion(catalog, uid),
    retry: (limits = plenty) => startDueRetries(ports, limits),
    reads: (libraryUid: string, reads: number) => ({ libraryUid, day: dayOf(clock.now), reads }),
    due: (uid: string, at = clock.now - 1) => catalog.libraries.setRefreshAt(uid, "", at),
    refreshAt: async (uid: string) => (await defaultVersion(catalog, uid)).refreshAt,
    /** Days until the scheduled refresh. */
    async daysLeft(uid: string) {
      const { refreshAt } = await defaultVersion(catalog, uid);
      return refreshAt === null ? null : (refreshAt - clock.now) / day;
    },
    start: (limits = plenty) => startDueRefreshes(ports, limits),
    /** Closes the open run of a library as its engine does, without planning anything. */
    async end(uid: string, outcome: "failed" | "unchanged" = "unchanged") {
      const { openRun } = await defaultVersion(catalog, uid);
      if (!openRun) throw new Error(`${uid} has no open run.`);
      await catalog.runs.close(openRun.runId, { outcome }, clock.now);
    },
  };
}
