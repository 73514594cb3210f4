import type { Caller } from "../domain/access.ts";
import { Failure } from "../domain/failures.ts";
import { networkOf } from "./addresses.ts";
import type { ApiAnswer } from "./answers.ts";
import type { ApiSettings } from "./options.ts";
import type { Route } from "./route.ts";
import { createSlots } from "./slots.ts";

/** Whose work it is, and what keeps it from being wanted. */
interface Scheduled {
  readonly client: string;
  /** Rejects where the request is one too many. */
  readonly counted: Promise<void>;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
}

/** Does the work of a request when there is a slot for it. @throws Failure service_unavailable, rate_limit_exceeded */
type Schedule = (
  route: Pick<Route, "limit">,
  scheduled: Scheduled,
  work: () => Promise<ApiAnswer>,
) => Promise<ApiAnswer>;

/** Who shares slots and turns with others: a key, or an address without one. */
export function clientOf({ keyId }: Pick<Caller, "keyId">, address: string): string {
  return keyId ?? networkOf(address);
}

/** Creates what limits concurrent work of all routes, and the time of reads. */
export function createScheduler(settings: Pick<ApiSettings, "requestsAtOnce" | "readTimeoutSeconds">): Schedule {
  const slots = createSlots(settings);

  return async ({ limit }, { client, counted, signal }, work) => {
    let isRefused = false;
    const answering = slots.run(client, work, () => !isRefused && !signal.aborted);
    // Heard below, unless the request is refused before.
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

/** The slot of what takes longer is not free before it ends: the next request would come on top of it. */
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
