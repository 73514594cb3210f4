import { describe, expect, it } from "vitest";
import { dayOf } from "../../domain/days.ts";
import { isThorough, noteReads, scheduleRefresh } from "../../domain/scheduling.ts";
import { day, setup } from "./refreshing-setup.ts";
import { gitSpec, wholeTree } from "../support/git-spec.ts";

describe("planning the next refresh", () => {
  it.each([
    { reads: 100, daysAgo: 0, days: 1 },
    { reads: 99, daysAgo: 0, days: 15 },
    { reads: 10, daysAgo: 29, days: 15 },
    { reads: 9, daysAgo: 0, days: 30 },
    { reads: 1, daysAgo: 29, days: 30 },
    { reads: 1000, daysAgo: 45, days: 45 },
  ])("is $days days after a run where $reads reads were $daysAgo days ago, give or take a tenth", async (row) => {
    const { ports, library, daysLeft } = await setup();
    await library("a", row.reads, row.daysAgo);
    await scheduleRefresh(ports, "a", "");
    const left = await daysLeft("a");
    expect(left).toBeGreaterThanOrEqual(row.days * 0.9);
    expect(left).toBeLessThanOrEqual(row.days * 1.1);
  });

  it("follows a chosen schedule before usage, and starts nothing with the schedule never", async () => {
    const { catalog, library, due, end, engine, start, daysLeft } = await setup();
    await library("chosen", 200);
    await catalog.libraries.update("chosen", { chosen: { schedule: 7 } });
    await library("never", 200);
    await catalog.libraries.update("never", { chosen: { schedule: "never" } });
    await due("chosen");
    await due("never");
    expect(await start()).toEqual({ started: 1, waiting: 0, unasked: 1 });
    expect(engine.started.map(({ libraryUid }) => libraryUid)).toEqual(["chosen"]);
    await end("chosen");
    expect(Math.abs(Number(await daysLeft("chosen")) - 7)).toBeLessThanOrEqual(0.7);
    expect(await daysLeft("never")).toBeNull();
  });

  it("is a day after a run that left the live generation damaged, read or not, unless the schedule is never", async () => {
    const { ports, catalog, library, engine, start, end, daysLeft } = await setup();
    const chosen = { busy: 7, unread: undefined, never: "never" } as const;
    for (const [uid, schedule] of Object.entries(chosen)) {
      await library(uid, uid === "busy" ? 200 : 0);
      if (schedule) await catalog.libraries.update(uid, { chosen: { schedule } });
      await catalog.generations.noteDamage(`${uid}-1`, "Its part is missing.", ports.now() - 1);
    }
    expect(await start()).toEqual({ started: 2, waiting: 0, unasked: 1 });
    expect(engine.started.map(({ libraryUid }) => libraryUid).toSorted()).toEqual(["busy", "unread"]);
    for (const uid of ["busy", "unread"]) {
      await end(uid, "failed");
      await scheduleRefresh(ports, uid, "");
      expect(Math.abs(Number(await daysLeft(uid)) - 1)).toBeLessThanOrEqual(0.1);
    }
    await scheduleRefresh(ports, "never", "");
    expect(await daysLeft("never")).toBeNull();
    expect(await start()).toEqual({ started: 0, waiting: 0, unasked: 0 });
  });

  it("skips libraries that nobody reads", async () => {
    const { ports, library, due, refreshAt } = await setup();
    await library("never", 0);
    await library("long-ago", 50, 59);
    ports.now = () => Date.parse("2026-11-24T10:00:00Z");
    for (const uid of ["never", "long-ago"]) {
      await due(uid);
      await scheduleRefresh(ports, uid, "");
      expect(await refreshAt(uid)).toBeNull();
    }
  });

  it("spreads the times of libraries, and gives a library the same one again", async () => {
    const { ports, library, refreshAt } = await setup();
    const uids = Array.from({ length: 60 }, (_, number) => `library-${number}`);
    const times: number[] = [];
    for (const uid of uids) {
      await library(uid, 100);
      await scheduleRefresh(ports, uid, "");
      const first = await refreshAt(uid);
      await scheduleRefresh(ports, uid, "");
      expect(await refreshAt(uid)).toBe(first);
      times.push(first ?? 0);
    }
    const range = Math.max(...times) - Math.min(...times);
    expect(range).toBeGreaterThan(0.15 * day);
    const middle = (Math.max(...times) + Math.min(...times)) / 2;
    const early = times.filter((time) => time < middle).length;
    expect(early).toBeGreaterThan(15);
    expect(early).toBeLessThan(45);
  });
});

describe("reads that come in", () => {
  it("are counted, and plan a refresh where there was none", async () => {
    const { ports, catalog, library, reads, daysLeft, clock } = await setup();
    await library("a", 0);
    await noteReads(ports, [reads("a", 1)]);
    expect(await catalog.libraries.readsSince("a", dayOf(clock.now))).toBe(1);
    expect(Math.abs(((await daysLeft("a")) ?? 0) - 30)).toBeLessThanOrEqual(3.1);
  });

  it("bring a refresh forward as soon as they shorten the interval, and never put it off", async () => {
    const { ports, library, reads, refreshAt, daysLeft, due } = await setup();
    await library("a", 99);
    await scheduleRefresh(ports, "a", "");
    expect(await daysLeft("a")).toBeGreaterThan(13);
    await noteReads(ports, [reads("a", 1)]);
    expect(await daysLeft("a")).toBeLessThan(1.2);
    await due("a", 5);
    await noteReads(ports, [reads("a", 1)]);
    expect(await refreshAt("a")).toBe(5);
  });

  it("make a library due whose last refresh is longer ago than its interval", async () => {
    const { ports, library, reads, clock, daysLeft, start, engine } = await setup();
    await library("a", 0);
    clock.now += 100 * day;
    await noteReads(ports, [reads("a", 1)]);
    expect(await daysLeft("a")).toBeLessThan(0);
    await start();
    expect(engine.started.map(({ libraryUid }) => libraryUid)).toEqual(["a"]);
  });

  it("change nothing for other libraries, nor for versions without a live generation", async () => {
    const { ports, catalog, library, reads, refreshAt } = await setup();
    await library("a", 0);
    await library("b", 100);
    await catalog.libraries.addVersion("a", "v1", "v1");
    await noteReads(ports, [reads("a", 5), reads("gone", 5)]);
    expect(await refreshAt("b")).toBeNull();
    const versions = await catalog.libraries.versionsOf("a");
    expect(versions.map(({ version, refreshAt: at }) => [version, at !== null])).toEqual([
      ["", true],
      ["v1", false],
    ]);
  });

  it("are not counted where the refreshes could not be planned, so that they can be reported again", async () => {
    const { ports, catalog, library, reads, clock } = await setup();
    await library("a", 0);
    const broken = {
      ...ports,
      catalog: {
        ...catalog,
        libraries: { ...catalog.libraries, setRefreshAt: () => Promise.reject(new Error("out of reach")) },
      },
    };
    await expect(noteReads(broken, [reads("a", 7)])).rejects.toThrow("out of reach");
    await noteReads(ports, [reads("a", 7)]);
    expect(await catalog.libraries.readsSince("a", dayOf(clock.now))).toBe(7);
  });
});

describe("starting what is due", () => {
  it("opens one run of low priority", async () => {
    const { library, due, start, engine, catalog } = await setup();
    await library("a", 1);
    await library("later", 1);
    await due("a");
    expect(await start()).toEqual({ started: 1, waiting: 0, unasked: 0 });
    expect(engine.started).toMatchObject([{ libraryUid: "a", version: "", reason: "sweep", priority: 0 }]);
    expect(engine.started[0]).not.toHaveProperty("generation");
    expect(await start()).toEqual({ started: 0, waiting: 0, unasked: 0 });
    expect(await catalog.runs.openRuns()).toHaveLength(1);
  });

  it("starts no more than the limits allow, the longest overdue first, and the others later", async () => {
    const { library, due, start, end, engine, clock } = await setup();
    for (const number of [1, 2, 3, 4]) {
      await library(`busy-${number}`, 1, 0, gitSpec(`https://busy.example.com/a/${number}`));
      await due(`busy-${number}`, clock.now - 100 + number);
    }
    for (const number of [1, 2, 3]) {
      await library(`own-${number}`, 1);
      await due(`own-${number}`, clock.now - 50 + number);
    }
    const limits = { atOnce: 4, perHost: 2 };
    expect(await start(limits)).toEqual({ started: 4, waiting: 3, unasked: 0 });
    expect(engine.started.map(({ libraryUid }) => libraryUid)).toEqual(["busy-1", "busy-2", "own-1", "own-2"]);
    expect((await start(limits)).started).toBe(0);
    await end("own-1");
    expect((await start(limits)).started).toBe(1);
    await end("busy-2");
    expect((await start(limits)).started).toBe(1);
    expect(engine.started.slice(4).map(({ libraryUid }) => libraryUid)).toEqual(["own-3", "busy-3"]);
  });

  it("does not count requested runs and reloads of generations towards its limits", async () => {
    const { library, due, start, catalog, clock } = await setup();
    const same = gitSpec("https://one.example.com/a/b");
    for (const uid of ["asked", "loaded", "a"]) await library(uid, 1, 0, same);
    await catalog.runs.open("asked", "", { runId: "r1", reason: "refresh", priority: 10 }, clock.now);
    await catalog.runs.open("loaded", "", { runId: "r2", reason: "sweep", priority: 0, generation: "g" }, clock.now);
    await due("a");
    expect(await start({ atOnce: 1, perHost: 1 })).toMatchObject({ started: 1, waiting: 0 });
  });

  it("does not limit folders of this machine by host", async () => {
    const { library, due, start } = await setup();
    for (const uid of ["a", "b"]) {
      await library(uid, 1, 0, { kind: "folder", path: `/srv/${uid}`, selection: wholeTree });
      await due(uid);
    }
    expect(await start({ atOnce: 5, perHost: 1 })).toMatchObject({ started: 2, waiting: 0 });
  });

  it("stops refreshing libraries that nobody reads any more", async () => {
    const { library, due, start, engine, refreshAt } = await setup();
    await library("a", 0);
    await due("a");
    expect(await start()).toEqual({ started: 0, waiting: 0, unasked: 1 });
    expect(engine.started).toEqual([]);
    expect(await refreshAt("a")).toBeNull();
  });

  it("waits a day after a run that ended without a conclusion", async () => {
    const { library, due, start, end, engine, clock } = await setup();
    await library("a", 100);
    await due("a");
    await start();
    await end("a", "failed");
    clock.now += 0.8 * day;
    await start();
    expect(engine.started).toHaveLength(1);
    clock.now += 0.4 * day;
    await start();
    expect(engine.started).toHaveLength(2);
  });

  it("opens nothing and loses nothing while the engine is away", async () => {
    const { library, due, start, engine, catalog } = await setup();
    await library("a", 1);
    await due("a");
    engine.away = true;
    await expect(start()).rejects.toMatchObject({ code: "service_unavailable" });
    expect(await catalog.runs.openRuns()).toEqual([]);
    engine.away = false;
    expect((await start()).started).toBe(1);
  });

  it("stops where the engine goes away half-way; opened runs stay open for the sweep, the rest stays due", async () => {
    const { library, due, start, engine, catalog, clock } = await setup();
    for (const [at, uid] of ["a", "b", "c"].entries()) {
      await library(uid, 1);
      await due(uid, clock.now - 10 + at);
    }
    engine.refuses = ({ libraryUid }) => libraryUid === "b";
    await expect(start()).rejects.toMatchObject({ code: "service_unavailable" });
    expect((await catalog.runs.openRuns()).map(({ libraryUid }) => libraryUid).toSorted()).toEqual(["a", "b"]);
    engine.refuses = () => false;
    await start();
    expect(engine.started.map(({ libraryUid }) => libraryUid)).toEqual(["a", "c"]);
  });

  it("opens each run once where two rounds overlap", async () => {
    const { library, due, start, engine, catalog } = await setup();
    for (const uid of ["a", "b", "c", "d"]) {
      await library(uid, 1);
      await due(uid);
    }
    const rounds = await Promise.all([start(), start()]);
    expect(rounds[0].started + rounds[1].started).toBe(4);
    expect(new Set(engine.started.map(({ runId }) => runId)).size).toBe(4);
    expect(await catalog.runs.openRuns()).toHaveLength(4);
  });
});

describe("a thorough sweep", () => {
  it.each([1, 60, 600, 3599, 3600, 86_400])(
    "comes once an hour, or with each sweep, at %i s between sweeps",
    (every) => {
      const hours = 48;
      const start = Date.parse("2026-01-02T03:04:05Z");
      const sweeps = Array.from({ length: Math.floor((hours * 3600) / every) }, (_, at) => start + at * every * 1000);
      const thorough = sweeps.filter((time) => isThorough(time, time - every * 1000));
      expect(thorough.length).toBeGreaterThanOrEqual(Math.min(hours - 1, sweeps.length));
      expect(thorough.length).toBeLessThanOrEqual(hours);
    },
  );
});
