import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextTurn, type Running, type Turn } from "../../domain/turns.ts";

const turn = (host: string | null, keyId: string | null, more: Partial<Turn> = {}): Turn => ({
  host,
  keyId,
  priority: 10,
  suspect: false,
  since: 1,
  ...more,
});
const never = (): number => 0;
const choose = (waiting: readonly Turn[], running: readonly Running[], places = 4): Turn | undefined =>
  nextTurn(waiting, running, places, never);
const times = (count: number, one: Turn): Turn[] => Array.from({ length: count }, () => one);

describe("the next turn", () => {
  it("is that of the higher priority, then the one that waits longer", () => {
    const [late, early, scheduled] = [
      turn("a", null, { since: 9 }),
      turn("b", null, { since: 5 }),
      turn("c", null, { since: 1, priority: 0 }),
    ];
    expect(choose([late, early, scheduled], [])).toBe(early);
    expect(choose([late, scheduled], [])).toBe(late);
    expect(choose([], [])).toBeUndefined();
  });

  it("is that of the host, then the key, with fewer runs under way", () => {
    const [a, b] = [turn("a", "ann"), turn("b", "ann", { since: 9 })];
    expect(choose([a, b], [turn("a", "bob")])).toBe(b);
    const [ann, bob] = [turn("a", "ann"), turn("a", "bob", { since: 9 })];
    expect(choose([ann, bob], [turn("z", "ann")])).toBe(bob);
  });

  it("is that of the host served longer ago, where there is only one place", () => {
    const [a, b] = [turn("a", null), turn("b", null, { since: 9 })];
    const served = (whose: string, value: string | null): number => (whose === "host" && value === "a" ? 7 : 3);
    expect(nextTurn([a, b], [], 1, served)).toBe(b);
  });

  it("leaves the last place to another host and another key, even of lower priority", () => {
    const own = turn("a", "ann");
    const scheduled = turn("b", null, { priority: 0 });
    expect(choose([own, scheduled], times(3, turn("a", "bob")))).toBe(scheduled);
    expect(choose([own, scheduled], times(3, turn("z", "ann")))).toBe(scheduled);
    expect(choose([own, scheduled], times(2, turn("a", "ann")))).toBe(own);
    expect(choose([own], times(3, turn("a", "ann")))).toBe(own);
  });

  it("adds one place where one host, or one key, has them all", () => {
    const other = turn("b", "bob");
    expect(choose([turn("a", "bob"), other], times(4, turn("a", "ann")))).toBe(other);
    expect(choose([turn("a", "ann")], times(4, turn("a", "ann")))).toBeUndefined();
    const byAnn = ["c", "d", "e", "f"].map((host) => turn(host, "ann"));
    expect(choose([turn("b", "ann"), other], byAnn)).toBe(other);
    expect(choose([other], [...times(3, turn("a", "ann")), turn("b", "carl")])).toBeUndefined();
    expect(choose([turn("c", "carl")], [...times(4, turn("a", "ann")), other])).toBeUndefined();
    expect(choose([other], [turn("a", "ann")], 1)).toBeUndefined();
  });

  it("is that of one suspect at a time", () => {
    const [suspect, other] = [turn("a", null, { suspect: true }), turn("b", null, { since: 9 })];
    expect(choose([suspect, other], [])).toBe(suspect);
    expect(choose([suspect, other], [turn("c", null, { suspect: true })])).toBe(other);
    expect(choose([suspect], [turn("c", null, { suspect: true })])).toBeUndefined();
  });

  it("comes for every run, and takes at most one extra place", () => {
    const name = fc.option(fc.constantFrom("a", "b", "c"), { nil: null });
    const some = fc.array(
      fc.record({
        host: name,
        keyId: name,
        priority: fc.constantFrom(0, 10),
        suspect: fc.boolean(),
        since: fc.nat(9),
      }),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(some, fc.integer({ min: 1, max: 5 }), (runs, places) => {
        const waiting: Turn[] = [...runs];
        const running: Turn[] = [];
        let done = 0;
        for (let step = 0; waiting.length + running.length > 0; step += 1) {
          for (;;) {
            const next = choose(waiting, running, places);
            if (!next) break;
            waiting.splice(waiting.indexOf(next), 1);
            running.push(next);
          }
          expect(running.length).toBeGreaterThan(0);
          expect(running.length).toBeLessThanOrEqual(places === 1 ? 1 : places + 1);
          running.splice(step % running.length, 1);
          done += 1;
        }
        expect(done).toBe(runs.length);
      }),
    );
  });
});
