import { toFailureRecord } from "../domain/failures.ts";
import type { StepControl } from "../domain/ports.ts";

/** Work in many small parts, of which each goes on where another one fails. */
export interface Chores {
  /** What failed, as sentences: the first ones. */
  readonly problems: readonly string[];
  /** Says that the work goes on. @throws the signal's reason once it is aborted */
  beat(): void;
  /** Notes what is wrong. @throws the signal's reason once it is aborted: whatever fails then fails because of it */
  note(error: unknown): void;
  /** Does something; where it fails, that is noted and the answer is `otherwise`. */
  attempt<T>(otherwise: T, action: () => Promise<T>): Promise<T>;
  /**
   * Does something with each item, some at the same time, and answers how many were done. A failure is noted and the
   * others go on; several in a row say that something is away, and the rest is left for another time.
   */
  each<T>(items: readonly T[], action: (item: T) => Promise<void>): Promise<number>;
}

/** For callers that neither stop their work nor watch it. */
export const unattended: StepControl = { signal: new AbortController().signal, report: () => {} };

/** Items under way at the same time. */
const atOnce = 8;

/** Failures in a row after which the rest is left. */
const failuresInRow = 3;

/** Sentences kept. */
const problemsKept = 10;

/** Starts such work. `onProblem` is told of every failure, for the log. */
export function createChores({ signal, report }: StepControl, onProblem: (error: unknown) => void): Chores {
  const problems: string[] = [];
  const note = (error: unknown): void => {
    signal.throwIfAborted();
    onProblem(error);
    const { message } = toFailureRecord(error);
    if (problems.length < problemsKept && !problems.includes(message)) problems.push(message);
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
      const lane = async (): Promise<void> => {
        for (const item of waiting) {
          if (inRow >= failuresInRow) return;
          beat();
          try {
            await action(item);
            done += 1;
            inRow = 0;
          } catch (error) {
            note(error);
            inRow += 1;
          }
        }
      };
      await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, lane));
      return done;
    },
  };
}
