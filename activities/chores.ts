import { setImmediate as turn } from "node:timers/promises";
import { toFailureRecord } from "../domain/failures.ts";
import type { StepControl } from "../domain/ports.ts";

/** Many small tasks; one that fails does not stop the others. */
export interface Chores {
  /** Error messages, the first ones. */
  readonly problems: readonly string[];
  /** Sends a heartbeat. @throws the signal's reason once it is aborted */
  beat(): void;
  /** Records a failure. @throws the signal's reason once it is aborted, as failures are then a consequence */
  note(error: unknown): void;
  /** Runs an action; if it fails, the failure is recorded and `otherwise` returned. */
  attempt<T>(otherwise: T, action: () => Promise<T>): Promise<T>;
  /**
   * Runs an action for each item, some concurrently, and returns how many succeeded. Failures are recorded; after several
   * in a row something is probably unreachable, and the rest is skipped.
   */
  each<T>(items: readonly T[], action: (item: T) => Promise<void>): Promise<number>;
}

/** For callers that need neither cancellation nor heartbeats. */
export const unattended: StepControl = { signal: new AbortController().signal, report: () => {} };

const maxConcurrent = 8;

/** Milliseconds after which the event loop gets a turn: actions that only read SQLite never yield. */
const longestTurn = 20;

/** Consecutive failures after which the rest is skipped. */
const maxFailuresInRow = 3;

const maxProblems = 10;

/** Creates chores. `onProblem` is called with every failure, for the log. */
export function createChores({ signal, report }: StepControl, onProblem: (error: unknown) => void): Chores {
  const problems: string[] = [];
  const note = (error: unknown): void => {
    signal.throwIfAborted();
    onProblem(error);
    const { message } = toFailureRecord(error);
    if (problems.length < maxProblems && !problems.includes(message)) problems.push(message);
  };
  const beat = (): void => {
    signal.throwIfAborted();
    report({});
  };
  return {
    problems,
    beat,
    note,
    async attempt(otherwise, action) {
      beat();
      try {
        return await action();
      } catch (error) {
        note(error);
        return otherwise;
      }
    },
    async each(items, action) {
      const waiting = items.values();
      let done = 0;
      let inRow = 0;
      let since = performance.now();
      const lane = async (): Promise<void> => {
        for (const item of waiting) {
          if (inRow >= maxFailuresInRow) return;
          beat();
          try {
            await action(item);
            done += 1;
            inRow = 0;
          } catch (error) {
            note(error);
            inRow += 1;
          }
          if (performance.now() - since < longestTurn) continue;
          await turn();
          since = performance.now();
        }
      };
      await Promise.all(Array.from({ length: Math.min(maxConcurrent, items.length) }, lane));
      return done;
    },
  };
}
