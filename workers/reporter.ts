import type { Logger } from "pino";
import type { FailureRecord } from "../domain/failures.ts";
import type { Catalog, RunReport } from "../domain/ports.ts";
import { screenedFailure } from "../extract/screened-texts.ts";
import type { Phase, Progress } from "../domain/steps.ts";

/** Reports the progress of a run. */
export interface Reporter {
  enter(phase: Phase): void;
  /** An attempt of the current step begins, from 1. */
  begin(attempt: number): void;
  /** An attempt failed, and another may follow. */
  failed(failure: FailureRecord): void;
  /** Throttled: reports soon after a write wait for a later report, the next phase or the end. The last value of each figure wins. */
  report(progress: Progress): void;
  settled(): Promise<void>;
}

/** A reporter that writes into the catalog. `every` is the minimum interval of progress in milliseconds. */
export function createReporter(options: {
  readonly catalog: Pick<Catalog, "runs">;
  readonly runId: string;
  readonly every: number;
  readonly log: Logger;
  readonly now: () => number;
}): Reporter {
  const { catalog, runId, every, log, now } = options;
  let last = -Infinity;
  let waiting: Progress | undefined;
  let writing: Promise<void> = Promise.resolve();
  const write = (report: RunReport): void => {
    // Progress is for display: failing to write it must not fail the run.
    writing = writing
      .then(() => catalog.runs.report(runId, report, now()))
      .catch((error: unknown) => log.warn({ err: error }, "writing progress failed"));
  };
  return {
    enter(phase) {
      write({ phase, ...(waiting && { progress: waiting }) });
      waiting = undefined;
    },
    begin: (attempt) => write({ attempt }),
    failed(failure) {
      write({ failure: screenedFailure(failure), ...(waiting && { progress: waiting }) });
      waiting = undefined;
    },
    report(progress) {
      const time = performance.now();
      waiting = { ...waiting, ...progress };
      if (time - last < every) return;
      last = time;
      write({ progress: waiting });
      waiting = undefined;
    },
    settled() {
      if (waiting) write({ progress: waiting });
      waiting = undefined;
      return writing;
    },
  };
}
