import { Failure } from "../domain/failures.ts";
import type { StepControl } from "../domain/ports.ts";
import type { Progress, StepPolicy } from "../domain/steps.ts";
import { createWatch, watching } from "../sources/lib/fetch/watch.ts";

/** Grace period of a cancelled step, in milliseconds; then it is abandoned. */
const gracePeriod = 3000;

/**
 * One attempt of a step: ended by its timeout, by a missing heartbeat, by the silence of the hosts that it asks (`silence` for other
 * times), or by the run's own signal, whichever is first. A step
 * that ignores its signal is abandoned, so that it cannot block anything.
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
    // That it waits for a host is no progress: the heartbeat is not told of it.
    const watched = { report, end: (failure: Failure) => controller.abort(failure) };
    return await Promise.race([watchSilence(watched, () => step(context), silence), abandoned]);
  } catch (error) {
    // Whatever a step throws when it is stopped, the reason is why it was stopped.
    throw signal.aborted ? signal.reason : error;
  } finally {
    // A signal that is made of others lives for as long as somebody listens to it.
    signal.removeEventListener("abort", abandonSoon);
    clearTimeout(tooLong);
    clearTimeout(heartbeat);
  }
}

/** How long a step waits for hosts while nothing comes of any, and from when on it says so, in milliseconds. */
const longestSilence = 120_000;
const toldAfter = 5000;
const lookEvery = 1000;

/**
 * Does a step; `report` is told which host it waits for, and since when. Where no host that it asks has answered for `limit`
 * milliseconds, `end` is called with the failure.
 */
async function watchSilence<T>(
  { report, end }: { report(progress: Progress): void; end(failure: Failure): void },
  step: () => Promise<T>,
  { limit = longestSilence, every = lookEvery, tells = toldAfter } = {},
): Promise<T> {
  const watch = createWatch();
  // What an attempt said that was lost is not so any more.
  let told: string | null | undefined;
  const tell = (host: string, request: string | null, quiet: number): void => {
    if (request === told) return;
    told = request;
    report({ waiting: request === null ? null : { host, request, since: Math.round(Date.now() - quiet) } });
  };
  const look = (): void => {
    const { host = "", request = null, quiet = 0 } = watch.now() ?? {};
    tell(host, quiet < tells ? null : request, quiet);
    if (quiet < limit) return;
    const message = `${host} has not answered for ${Math.round(limit / 1000)} s, at last ${request}. Check that it is up, then refresh the library.`;
    end(new Failure("timeout", message));
  };
  const looking = setInterval(look, every);
  try {
    return await watching(watch, step);
  } finally {
    clearInterval(looking);
    if (typeof told === "string") tell("", null, 0);
  }
}
