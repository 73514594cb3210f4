import type { Logger } from "pino";
import type { Catalog } from "../domain/ports.ts";
import type { Phase, Progress } from "../domain/steps.ts";

/** Writes down where a run is. */
export interface Reporter {
  enter(phase: Phase): void;
  /** Cheap: what comes too soon after the last one waits until the next phase, or the end; of each figure the last counts. */
  report(progress: Progress): void;
  /** Resolves once all that was to be written is. */
  settled(): Promise<void>;
}

/** Writes phase and progress of a run into the catalog, progress every so many milliseconds at most. */
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
  const write = (report: { phase?: Phase; progress?: Progress }): void => {
    // What people read of a run must not be what ends it.
    writing = writing
      .then(() => catalog.runs.report(runId, report, now()))
      .catch((error: unknown) => log.warn({ err: error }, "writing progress failed"));
  };
  return {
    enter(phase) {
      write({ phase, ...(waiting && { progress: waiting }) });
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
