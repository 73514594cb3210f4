import { expect, it, onTestFinished } from "vitest";
import { openTelemetry } from "../../cli/telemetry/index.ts";

it("omits what cannot be measured any more, and keeps counters", async () => {
  let away = false;
  const measured = async <T>(value: T): Promise<T> => {
    if (away) throw new Error("It is away.");
    return value;
  };
  const problems: unknown[] = [];
  const telemetry = await openTelemetry({
    name: "lectern api",
    version: "1.0.0",
    environment: {},
    figures: () =>
      measured({ libraries: 3, troubles: { stuck: 1 }, queued: 0, running: 0, queuedSince: null, postponedHosts: 0 }),
    reachable: async () => ({ engine: !away }),
    queues: () => measured([{ queue: "git", workers: ["1@a", "2@a"], waiting: 4 }]),
    freeDisk: async () => ({ DATA_DIR: 0.5 }),
    sizes: async () => ({}),
    backedUpAt: () => measured(5000),
    firstExpiry: async () => null,
    now: Date.now,
    onProblem: (error) => problems.push(error),
  });
  onTestFinished(() => telemetry.close());
  telemetry.embedded("answered", 3);
  const here = await telemetry.render();
  away = true;
  const gone = await telemetry.render();
  for (const series of [
    "lectern_libraries 3",
    'lectern_queue_workers{queue="git"} 2',
    'lectern_queue_waiting{queue="git"} 4',
    "lectern_backup_last_seconds 5",
  ]) {
    expect(here).toContain(series);
    expect(gone).not.toContain(series);
  }
  expect(gone).not.toMatch(/^lectern_(?:libraries|queue|backup|credentials)/m);
  for (const series of [
    'lectern_disk_free{setting="DATA_DIR"} 0.5',
    'lectern_embedding_duration_seconds_count{result="answered"} 1',
  ])
    expect(gone).toContain(series);
  expect(gone).toContain('lectern_part_reachable{part="engine"} 0');
  expect(problems).toHaveLength(3);
});
