import type { Caller } from "../domain/access.ts";
import { Failure } from "../domain/failures.ts";
import { networkOf } from "./addresses.ts";
import type { ApiAnswer } from "./answers.ts";
import type { ApiSettings } from "./options.ts";
import type { Route } from "./route.ts";
import { createSlots } from "./slots.ts";

/** The client of a request, and what makes its work unwanted. */
interface Scheduled {
  readonly client: string;
  /** Rejects where the request exceeds a rate limit. */
  readonly counted: Promise<void>;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Executes the work of a request when it gets a slot. @throws Failure service_unavailable, rate_limit_exceeded */
type Schedule = (
  route: Pick<Route, "limit">,
  scheduled: Scheduled,
  work: () => Promise<ApiAnswer>,
) => Promise<ApiAnswer>;

/** The unit of fairness: a key, or an address without one. */
export function clientOf({ keyId }: Pick<Caller, "keyId">, address: string): string {
  return keyId ?? networkOf(address);
}

/** Limits the concurrent work of all routes, and the time of reads. */
export function createScheduler(settings: Pick<ApiSettings, "requestsAtOnce" | "readTimeoutSeconds">): Schedule {
  const slots = createSlots(settings);

  return async ({ limit }, { client, counted, signal }, work) => {
    let isRefused = false;
    const answering = slots.run(client, work, () => !isRefused && !signal.aborted);
    // Handled below, unless the request is refused before.
    answering.catch(() => undefined);
    try {
      await counted;
    } catch (error) {
      isRefused = true;
      throw error;
    }
    return limit === "read" ? inTime(answering, settings.readTimeoutSeconds) : answering;
  };
}

/** Work beyond the timeout keeps its slot until it ends, so that no further work is added to it. */
async function inTime<T>(answering: Promise<T>, seconds: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const message = `The answer took longer than ${seconds} s (READ_TIMEOUT_SECONDS). Try again in a moment.`;
    late.reject(new Failure("service_unavailable", message));
  }, seconds * 1000);
  try {
    return await Promise.race([answering, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
