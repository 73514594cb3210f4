import type { Logger } from "pino";
import type { Swept } from "../activities/sweep.ts";
import type { GenerationStore } from "../domain/ports.ts";
import { rebuildingText } from "../domain/rebuilding.ts";
import { isThorough } from "../domain/scheduling.ts";
import type { Lectern } from "./compose.ts";

/** Options of periodic sweeps. */
export interface SweepingOptions {
  readonly sweep: Lectern["sweep"];
  /** Interval between the starts of sweeps, in milliseconds. A longer sweep skips starts. */
  readonly every: number;
  /** Result of the sweep at the start. */
  readonly first: Pick<Swept, "index">;
  readonly generations: Pick<GenerationStore, "rebuilding">;
  /** Poll interval of an index rebuild, in milliseconds; 5,000 by default. */
  readonly lookEvery?: number;
  readonly log: Logger;
}

/** Sweeps periodically, one sweep at a time. The returned function stops it, after the current chores of a running sweep. */
export function keepSweeping(options: SweepingOptions): () => Promise<void> {
  const { sweep, every, first, log } = options;
  const rebuild = createRebuildLog(options);
  const stopped = new AbortController();
  let last = Date.now();
  let underWay: Promise<void> | undefined;
  const noteIndex = ({ index }: Pick<Swept, "index">): void => {
    if (index.restored > 0) rebuild.start();
  };
  const sweepOnce = async (): Promise<void> => {
    const now = Date.now();
    const thorough = isThorough(now, last);
    last = now;
    const swept = await sweep({ thorough }, { signal: stopped.signal, report: () => {} });
    noteIndex(swept);
    const { generations, versions, orphans, retries, unserved, refreshes, index, damaged } = swept;
    const done = [generations, versions, orphans, retries, unserved, refreshes.started, index.restored, damaged];
    if (done.some((count) => count > 0)) log.info(swept, "swept");
  };
  noteIndex(first);
  const timer = setInterval(() => {
    underWay ??= sweepOnce()
      .catch((error: unknown) => {
        if (!stopped.signal.aborted) log.error({ err: error }, "sweep failed; retrying");
      })
      .finally(() => (underWay = undefined));
  }, every);
  return async () => {
    clearInterval(timer);
    rebuild.close();
    stopped.abort();
    await underWay;
  };
}

/** Logs the progress of an index rebuild until it is complete. */
function createRebuildLog({
  generations,
  lookEvery = 5000,
  log,
}: Pick<SweepingOptions, "generations" | "lookEvery" | "log">): { start(): void; close(): void } {
  let timer: NodeJS.Timeout | undefined;
  let logged = "";
  const close = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  const poll = async (): Promise<void> => {
    const rebuilding = await generations.rebuilding();
    const { libraries, waiting } = rebuilding;
    if (timer === undefined) return;
    if (waiting === 0) close();
    const text = waiting === 0 ? "The index is rebuilt." : rebuildingText(rebuilding);
    if (text !== logged) log.info({ libraries, done: libraries - waiting }, text);
    logged = text;
  };
  const pollSafely = (): void => {
    poll().catch((error: unknown) =>
      log.warn({ err: error }, "progress of the index rebuild could not be read; retrying"),
    );
  };
  return {
    start() {
      timer ??= setInterval(pollSafely, lookEvery);
      pollSafely();
    },
    close,
  };
}
