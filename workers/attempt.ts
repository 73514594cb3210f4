import { Failure } from "../domain/failures.ts";
import type { StepControl } from "../domain/ports.ts";
import type { Progress, StepPolicy } from "../domain/steps.ts";
import { createWatch, watching } from "../sources/lib/fetch/stall-watch.ts";

/** Grace period of a cancelled step, in milliseconds; then it is abandoned. */
const gracePeriod = 3000;

/**
 * Makes one attempt of a step. It ends with the step's timeout, a missing heartbeat, the silence of all requested hosts (`silence` sets
 * other times) or the run's signal, whichever is first. A step that ignores its signal is abandoned, so that it blocks nothing.
 */
export async function attemptStep<T>(
  policy: StepPolicy,
  runSignal: AbortSignal,
  report: (progress: Progress) => void,
  step: (context: StepControl) => Promise<T>,
  silence?: Parameters<typeof watchSilence>[2],
): Promise<T> {
  runSignal.throwIfAborted();
  const controller = new AbortController();
  const signal = AbortSignal.any([runSignal, controller.signal]);
  const endIn = (ms: number, how: string): NodeJS.Timeout => {
    const message = `The step "${policy.summary}" ${how} ${ms / 1000} s. Refresh the library to try again.`;
    return setTimeout(() => controller.abort(new Failure("timeout", message)), ms);
  };
  const tooLong = endIn(policy.timeout, "took longer than");
  const heartbeat = policy.heartbeat === null ? undefined : endIn(policy.heartbeat, "made no progress for");

  const context: StepControl = {
    signal,
    report(progress) {
      heartbeat?.refresh();
      report(progress);
    },
  };
  const { promise: abandoned, reject: abandon } = Promise.withResolvers<never>();
  const abandonSoon = (): void => void setTimeout(() => abandon(signal.reason), gracePeriod).unref();
  signal.addEventListener("abort", abandonSoon, { once: true });
  try {
    // Waiting for a host is no progress, so this does not refresh the heartbeat.
    const watched = { report, end: (failure: Failure) => controller.abort(failure) };
    return await Promise.race([watchSilence(watched, () => step(context), silence), abandoned]);
  } catch (error) {
    // Whatever a stopped step throws, the failure is the reason for stopping it.
    throw signal.aborted ? signal.reason : error;
  } finally {
    // A combined signal lives as long as it has a listener.
    signal.removeEventListener("abort", abandonSoon);
    clearTimeout(tooLong);
    clearTimeout(heartbeat);
  }
}

/** Maximum silence of all hosts that a step has requested, the silence from which on it is reported, and the check interval, in milliseconds. */
const longestSilence = 120_000;
const reportedSilence = 5000;
const checkInterval = 1000;

/**
 * Runs a step, and reports which host it waits for, and since when. If no requested host has answered for `limit` milliseconds, `end` is
 * called with the failure.
 */
async function watchSilence<T>(
  { report, end }: { report(progress: Progress): void; end(failure: Failure): void },
  step: () => Promise<T>,
  { limit = longestSilence, every = checkInterval, tells = reportedSilence } = {},
): Promise<T> {
  const watch = createWatch();
  // Undefined at first, so that a report of an earlier, lost attempt is withdrawn.
  let reported: string | null | undefined;
  const reportWaiting = (host: string, request: string | null, quiet: number): void => {
    if (request === reported) return;
    reported = request;
    report({ waiting: request === null ? null : { host, request, since: Math.round(Date.now() - quiet) } });
  };
  const check = (): void => {
    const { host = "", request = null, quiet = 0 } = watch.now() ?? {};
    reportWaiting(host, quiet < tells ? null : request, quiet);
    if (quiet < limit) return;
    const message = `${host} has not answered for ${Math.round(limit / 1000)} s; the last request was ${request}. Check that it is up, then refresh the library.`;
    end(new Failure("timeout", message));
  };
  const timer = setInterval(check, every);
  try {
    return await watching(watch, step);
  } finally {
    clearInterval(timer);
    if (typeof reported === "string") reportWaiting("", null, 0);
  }
}
