import { expect, it } from "vitest";
import { failures, type FailureCode } from "../../domain/failures.ts";
import { resumeTime, retryTime } from "../../domain/scheduling.ts";
import { sampleGeneration, sampleRun } from "../contracts/catalog-samples.ts";
import { setup } from "./refreshing-setup.ts";

const minutes = (delays: readonly (number | null)[]) => delays.map((delay) => delay && delay / 60_000);
const tries = Array.from({ length: 11 }, (_, before) => before + 1);

it("waits twice as long for each try, a day at most, and ends", () => {
  const outage = tries.map((failed) => retryTime("search_failed", failed, 0));
  expect(minutes(outage)).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280, 1440, null]);
  const lost = tries.map((failed) => retryTime("run_interrupted", failed, 0));
  expect(minutes(lost)).toEqual([60, 120, 240, 480, 960, 1440, 1440, 1440, 1440, 1440, null]);
  expect(minutes(tries.map((more) => resumeTime(more + 1, 2, 0)))).toEqual(minutes(lost));
});

it("retries failures that another try can fix, and no others", () => {
  const retried = (Object.keys(failures) as FailureCode[]).filter((code) => retryTime(code, 1, 0) !== null);
  for (const code of ["search_failed", "service_unavailable", "source_unreachable", "run_interrupted", "timeout"])
    expect(retried).toContain(code);
  for (const code of ["source_not_found", "source_invalid", "library_too_large", "no_code_found", "run_cancelled"])
    expect(retried).not.toContain(code);
});

it("starts a failed run again once its delay is over, with its own reason, and plans a longer one if it fails again", async () => {
  const { catalog, clock, retry, engine, first, version } = await setup();
  await first("a");
  await catalog.runs.close(
    "a-1",
    { outcome: "failed", failure: { code: "source_unreachable", message: "Away." } },
    clock.now,
  );
  expect(await version("a")).toMatchObject({ retryAt: clock.now + 300_000 });
  expect(await retry()).toBe(0);
  clock.now += 300_000;
  engine.away = true;
  await expect(retry()).rejects.toMatchObject({ code: "service_unavailable" });
  engine.away = false;
  expect(await retry()).toBe(1);
  expect(engine.started).toMatchObject([{ libraryId: "/a/a", reason: "submit", priority: 0 }]);
  expect(await version("a")).toMatchObject({ retryAt: null, openRun: { state: "open" } });
  expect(await retry()).toBe(0);
  const failure = { code: "source_unreachable", message: "Still away." } as const;
  await catalog.runs.close(engine.started[0]?.runId ?? "", { outcome: "failed", failure }, clock.now);
  expect(await version("a")).toMatchObject({ retryAt: clock.now + 600_000 });
  // A requested refresh: the delays start over.
  await catalog.runs.open("a", "", sampleRun("asked", { reason: "refresh" }), clock.now);
  expect(await version("a")).toMatchObject({ retryAt: null });
  await catalog.runs.close("asked", { outcome: "failed", failure }, clock.now);
  expect(await version("a")).toMatchObject({ retryAt: clock.now + 300_000 });
  await catalog.runs.open("a", "", sampleRun("found", { reason: "refresh" }), clock.now);
  await catalog.runs.close("found", { outcome: "published", revision: "r" }, clock.now);
  expect(await version("a")).toMatchObject({ retryAt: null });
});

it("never retries what failed for good or was cancelled", async () => {
  const { catalog, clock, retry, first, version } = await setup();
  for (const [uid, end] of [
    ["gone", { outcome: "failed", failure: { code: "source_not_found", message: "Gone." } }],
    ["stopped", { outcome: "cancelled", failure: { code: "run_cancelled", message: "Stopped." } }],
  ] as const) {
    await first(uid);
    await catalog.runs.close(`${uid}-1`, end, clock.now);
    expect(await version(uid)).toMatchObject({ retryAt: null });
  }
  clock.now += 30 * 86_400_000;
  expect(await retry()).toBe(0);
});

it("retries no more runs than its limits allow, per host and in all", async () => {
  const { catalog, clock, retry, first, engine } = await setup();
  const failure = { code: "source_unreachable", message: "Away." } as const;
  for (const uid of ["a", "b", "c", "d"]) {
    await first(uid, uid === "d" ? "other.example.com" : "one.example.com");
    await catalog.runs.close(`${uid}-1`, { outcome: "failed", failure }, clock.now);
  }
  clock.now += 300_000;
  expect(await retry({ atOnce: 100, perHost: 2 })).toBe(3);
  expect(engine.started.map(({ libraryId }) => libraryId).toSorted()).toEqual(["/a/a", "/a/b", "/a/d"]);
  expect(await retry({ atOnce: 100, perHost: 2 })).toBe(0);
  expect(await retry({ atOnce: 4, perHost: 3 })).toBe(1);
});

it("resumes a suspended run after an hour, and later after each more death", async () => {
  const { catalog, clock, retry, first, engine, version } = await setup();
  await first("a");
  const suspension = { deaths: 2, failure: { code: "run_suspended", message: "Twice." } } as const;
  const die = async () => {
    expect((await catalog.runs.claim("dead", clock.now + 1, clock.now))?.run.runId).toBe("a-1");
    await catalog.runs.orphan("me", suspension, clock.now);
  };
  await die();
  expect(await version("a")).toMatchObject({ retryAt: null });
  for (const hours of [1, 2, 4]) {
    await die();
    expect(await version("a")).toMatchObject({ retryAt: clock.now + hours * 3_600_000 });
    expect(await retry()).toBe(0);
    expect(await catalog.runs.claim("me", clock.now + 1, clock.now)).toBeUndefined();
    clock.now += hours * 3_600_000;
    expect(await retry()).toBe(1);
    expect(engine.started.at(-1)).toMatchObject({ runId: "a-1" });
    expect(await version("a")).toMatchObject({ retryAt: null, openRun: { runId: "a-1", failure: null } });
  }
  await die();
  await catalog.runs.resume("a-1", { forgiven: true });
  await die();
  expect(await version("a")).toMatchObject({ retryAt: null, openRun: { failure: null } });
});

it("loads the generation of a failed import again, and retires it after the last try", async () => {
  const { catalog, clock, retry, first, engine } = await setup();
  await first("a");
  await catalog.runs.close("a-1", { outcome: "cancelled" }, clock.now);
  const failure = { code: "search_failed", message: "The index is away." } as const;
  await catalog.runs.open("a", "", sampleRun("import", { reason: "import", generation: "import" }), clock.now);
  await catalog.generations.stage(sampleGeneration("import", "a", 1));
  await catalog.runs.close("import", { outcome: "failed", failure }, clock.now);
  expect(await catalog.generations.get("import")).toMatchObject({ state: "staged", removeAfter: null });
  clock.now += 300_000;
  expect(await retry()).toBe(1);
  const [again] = engine.started;
  expect(again).toMatchObject({ reason: "import", generation: "import" });
  await catalog.runs.close(
    again?.runId ?? "",
    { outcome: "failed", failure: { ...failure, code: "generation_damaged" } },
    clock.now,
  );
  expect(await catalog.generations.get("import")).toMatchObject({ state: "retired", removeAfter: clock.now });
});
