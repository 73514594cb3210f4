import { Failure } from "../domain/failures.ts";
import type { Progress } from "../domain/steps.ts";
import { createWatch, watching } from "../sources/lib/fetch/watch.ts";

/** How long a step waits for hosts while nothing comes of any, and from when on it says so, in milliseconds. */
const longestSilence = 120_000;
const toldAfter = 5000;
const lookEvery = 1000;

/**
 * Does a step; `report` is told which host it waits for, and since when. Where no host that it asks has answered for `limit`
 * milliseconds, `end` is called with the failure.
 */
export async function watchSilence<T>(
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
