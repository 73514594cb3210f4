import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFairQueue, type FairQueueOptions, type Leave } from "../../domain/fair-queue.ts";

const settled = () => new Promise((resolve) => setImmediate(resolve));
const full = new Error("full");

/** A queue, the names of what it started, and those that were refused or aborted. */
function open(options: FairQueueOptions<string>) {
  const queue = createFairQueue<string>({ refuse: () => full, ...options });
  const started: string[] = [];
  const failed: string[] = [];
  const leaves = new Map<string, Leave>();
  const enter = async (group: string, name: string, how?: Parameters<typeof queue.enter>[1]): Promise<void> => {
    try {
      leaves.set(name, await queue.enter(group, how));
      started.push(name);
    } catch {
      failed.push(name);
    }
  };
  return {
    run: queue.run,
    started,
    failed,
    /** Enters works, and returns what was started so far. */
    async enter(group: string, names: readonly string[], how?: Parameters<typeof queue.enter>[1]) {
      for (const name of names) void enter(group, name, how);
      await settled();
      return started;
    },
    /** Ends works, and returns what was started so far. */
    async end(names: readonly string[], cost?: number, exceeded?: boolean) {
      for (const name of names) leaves.get(name)?.(cost, exceeded);
      await settled();
      return started;
    },
  };
}

const half = { most: (free: number) => free };

describe("a fair queue", () => {
  it("gives places to the groups in turn, whatever the number of their works", async () => {
    const { enter, end } = open({ places: 1 });
    await enter("a", ["a1", "a2", "a3"]);
    await enter("b", ["b1", "b2"]);
    expect(await enter("c", ["c1"])).toEqual(["a1"]);
    for (const name of ["a1", "b1", "c1", "a2", "b2"]) await end([name]);
    expect(await end(["a3"])).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
  });

  it("gives a group at most as many places as are free, so that some are left for the next", async () => {
    const { enter, end } = open({ places: 4, ...half });
    expect(await enter("a", ["a1", "a2", "a3", "a4"])).toEqual(["a1", "a2"]);
    expect(await enter("b", ["b1"])).toEqual(["a1", "a2", "b1"]);
    expect(await end(["a1", "b1"])).toEqual(["a1", "a2", "b1", "a3"]);
  });

  it("refuses a group more than the half of what may wait, and who has waited too long", async () => {
    const { enter, end, started, failed } = open({ places: 2, ...half, maxWaiting: 8, maxWait: 50 });
    await enter("a", ["a0", "a1", "a2", "a3", "a4", "a5"]);
    expect([started, failed]).toEqual([["a0"], ["a5"]]);
    await enter("b", ["b0", "b1"]);
    await expect.poll(() => failed).toEqual(["a5", "a1", "a2", "a3", "a4", "b1"]);
    // They leave nothing behind.
    await end(["a0"]);
    expect(await enter("a", ["a6", "a7", "a8", "a9"])).toEqual(["a0", "b0", "a6"]);
    expect(failed).toHaveLength(6);
  });

  it("refuses at once where nobody may wait", async () => {
    const { enter, end, failed } = open({ places: 4, most: () => 1, maxWaiting: 0 });
    expect(await enter("a", ["a1", "a2"])).toEqual(["a1"]);
    expect(failed).toEqual(["a2"]);
    await end(["a1"]);
    expect(await enter("a", ["a3"])).toEqual(["a1", "a3"]);
  });

  it("does not start what is aborted before", async () => {
    const { enter, end, failed } = open({ places: 1 });
    const stop = new AbortController();
    const { signal } = stop;
    await enter("a", ["a1"]);
    await enter("a", ["a2"], { signal });
    await enter("a", ["a3"]);
    stop.abort();
    expect(await end(["a1"])).toEqual(["a1", "a3"]);
    await enter("a", ["a4"], { signal });
    expect(failed).toEqual(["a2", "a4"]);
  });

  it("frees the place of work that fails, and passes on what work returns", async () => {
    const { run } = open({ places: 1 });
    await expect(run("a", () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    expect(await run("a", async () => "done")).toBe("done");
  });

  it("runs the works of clients one at a time, in turns, and beside the other groups", async () => {
    const { enter, end } = open({ places: 3 });
    const stop = new AbortController();
    await enter("requests", ["a1", "a2", "a3"], { client: "a" });
    await enter("requests", ["b1"], { client: "b" });
    await enter("requests", ["b2"], { client: "b", signal: stop.signal });
    expect(await enter("run", ["page 1", "page 2"])).toEqual(["a1", "page 1", "page 2"]);
    await end(["a1"], 100);
    await end(["b1"], 100);
    stop.abort();
    // This client has nothing else that waits.
    await enter("requests", ["c1"], { client: "c" });
    for (const name of ["a2", "c1", "a3"]) await end([name], 100);
    expect(await enter("run", ["page 3"])).toEqual(["a1", "page 1", "page 2", "b1", "a2", "c1", "a3", "page 3"]);
  });

  it("keeps a group that exceeded its limit out of the gaps that a cheaper one leaves", async () => {
    const { enter, end } = open({ places: 2 });
    await enter("bad", ["too much"]);
    await enter("good", ["first"]);
    await enter("bad", ["next"]);
    const stop = new AbortController();
    await enter("gone", ["never"], { signal: stop.signal });
    stop.abort();
    expect(await end(["too much"], 5000, true)).toEqual(["too much", "first"]);
    expect(await enter("good", ["second"])).toEqual(["too much", "first", "second"]);
    expect(await end(["first", "second"], 1)).toEqual(["too much", "first", "second", "next"]);
  });

  it("gives a new group no credit for the time before it", async () => {
    const { enter, end, started } = open({ places: 1 });
    await enter("old", ["a1", "a2", "a3", "a4"]);
    for (const name of ["a1", "a2"]) await end([name], 10);
    await enter("new", ["b1", "b2"]);
    for (const name of ["a3", "b1", "a4"]) await end([name], 10);
    expect(started).toEqual(["a1", "a2", "a3", "b1", "a4", "b2"]);
  });

  it("gives groups places by their cost, to within one work", async () => {
    const costs = fc.record({ a: fc.integer({ min: 1, max: 9 }), b: fc.integer({ min: 1, max: 9 }) });
    await fc.assert(
      fc.asyncProperty(costs, fc.integer({ min: 10, max: 30 }), async (cost, count) => {
        const queue = createFairQueue<"a" | "b">({ places: 1 });
        const spent = { a: 0, b: 0 };
        const left = { a: count, b: count };
        let widest = 0;
        const work = async (group: "a" | "b"): Promise<void> => {
          const leave = await queue.enter(group);
          spent[group] += cost[group];
          left[group] -= 1;
          if (left.a > 0 && left.b > 0) widest = Math.max(widest, Math.abs(spent.a - spent.b));
          leave(cost[group]);
        };
        await Promise.all(Array.from({ length: count }, () => [work("a"), work("b")]).flat());
        expect(widest).toBeLessThanOrEqual(Math.max(cost.a, cost.b));
      }),
      { numRuns: 30 },
    );
  });

  it("starts every work once, in the order of its group, in turns, and uses no more and no fewer places than it may", async () => {
    const group = fc.constantFrom("a", "b", "c", "d");
    const step = fc.oneof(fc.record({ enter: group }), fc.record({ end: fc.nat(9) }), fc.record({ abort: fc.nat(9) }));
    const places = fc.integer({ min: 1, max: 4 });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), places, fc.boolean(), async (steps, places, isShared) => {
        const queue = createFairQueue<string>({ places, ...(isShared && half) });
        const waiting: { readonly group: string; readonly stop: AbortController; readonly passed: string[] }[] = [];
        const running: { readonly group: string; readonly leave: Leave }[] = [];
        const countOf = (group: string): number => running.filter((one) => one.group === group).length;
        const enter = async (group: string): Promise<void> => {
          const entry = { group, stop: new AbortController(), passed: [] };
          waiting.push(entry);
          const leave = await queue.enter(group, { signal: entry.stop.signal }).catch((error: unknown) => {
            expect(error).toBe(entry.stop.signal.reason);
          });
          const isFirst = waiting.find((one) => one.group === group) === entry;
          waiting.splice(waiting.indexOf(entry), 1);
          if (leave === undefined) return;
          expect(isFirst).toBe(true);
          running.push({ group, leave });
          for (const other of waiting) other.passed.push(group);
        };
        const end = (at: number): void => running.splice(at % running.length, 1)[0]?.leave();
        const check = async (): Promise<void> => {
          await settled();
          expect(running.length).toBeLessThanOrEqual(places);
          for (const { group } of running) if (isShared) expect(countOf(group)).toBeLessThanOrEqual((places + 1) / 2);
          for (const { group } of waiting)
            expect(isShared ? countOf(group) : running.length).toBeGreaterThanOrEqual(
              isShared ? places - running.length : places,
            );
          const next = waiting.filter((one, at) => waiting.findIndex(({ group }) => group === one.group) === at);
          for (const { group, passed } of places === 1 ? next : []) {
            const others = passed.slice(passed.lastIndexOf(group) + 1);
            expect(new Set(others).size).toBe(others.length);
          }
        };
        for (const one of steps) {
          if ("enter" in one) void enter(one.enter);
          else if ("abort" in one) waiting[one.abort % Math.max(1, waiting.length)]?.stop.abort();
          else if (running.length > 0) end(one.end);
          await check();
        }
        for (; running.length > 0; await check()) end(0);
        expect(waiting).toEqual([]);
      }),
    );
  });
});
