import { describe, expect, it } from "vitest";
import type { StepPolicy } from "../../domain/steps.ts";
import { attemptStep } from "../../workers/attempt.ts";
import { stillHeld } from "../support/collected.ts";

const policy: StepPolicy = { queue: "main", summary: "Do it", timeout: 1000, heartbeat: null, attempts: 1 };
const listening = (context: { signal: AbortSignal }): Promise<never> =>
  new Promise((_, reject) => context.signal.addEventListener("abort", () => reject(new Error("stopped"))));
const signal = (): AbortSignal => new AbortController().signal;

describe("an attempt of a step", () => {
  it("returns the result of the step", async () => {
    expect(
      await attemptStep(
        policy,
        signal(),
        () => {},
        async () => 7,
      ),
    ).toBe(7);
  });

  it("fails as a timeout where it takes too long", async () => {
    await expect(attemptStep({ ...policy, timeout: 30 }, signal(), () => {}, listening)).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringContaining("Do it") as string,
    });
  });

  it("fails where no heartbeat comes, and goes on as long as they do", async () => {
    const beating = { ...policy, heartbeat: 60 };
    await expect(attemptStep(beating, signal(), () => {}, listening)).rejects.toMatchObject({ code: "timeout" });
    const alive = attemptStep(
      beating,
      signal(),
      () => {},
      async ({ report }) => {
        for (let beat = 0; beat < 10; beat += 1) {
          await new Promise((resolve) => setTimeout(resolve, 20));
          report({ pagesDone: beat });
        }
        return "done";
      },
    );
    expect(await alive).toBe("done");
  });

  it("throws the run's reason where the run is stopped", async () => {
    const controller = new AbortController();
    const reason = new Error("cancelled");
    const attempt = attemptStep(policy, controller.signal, () => {}, listening);
    controller.abort(reason);
    await expect(attempt).rejects.toBe(reason);
    await expect(
      attemptStep(
        policy,
        controller.signal,
        () => {},
        async () => 7,
      ),
    ).rejects.toBe(reason);
  });

  it("leaves no signal in memory, however many attempts a run has", async () => {
    const run = new AbortController();
    const signals: WeakRef<object>[] = [];
    for (let attempt = 0; attempt < 100; attempt += 1)
      await attemptStep(
        policy,
        run.signal,
        () => {},
        async (context) => void signals.push(new WeakRef(context.signal)),
      );
    expect(await stillHeld(signals)).toBeLessThan(5);
    run.abort();
  });
});
