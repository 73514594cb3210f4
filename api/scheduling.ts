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

/**
 * Executes the work of a request when it gets a slot. Its signal aborts when the client disconnects, or its time is over.
 * @throws Failure service_unavailable, rate_limit_exceeded
 */
type Schedule = (
  route: Pick<Route, "limit">,
  scheduled: Scheduled,
  work: (signal: AbortSignal) => Promise<ApiAnswer>,
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
    const over = limit === "read" ? follow(signal) : undefined;
    const answering = slots.run(
      client,
      () => work(over?.signal ?? signal),
      () => !isRefused && !signal.aborted,
    );
    // Handled below, unless the request is refused before.
    answering.catch(() => undefined);
    try {
      await counted;
    } catch (error) {
      isRefused = true;
      throw error;
    }
    return over ? inTime(answering, over, settings.readTimeoutSeconds) : answering;
  };
}

/** A controller that aborts when the client disconnects. AbortSignal.any() takes ten times as long. */
function follow(signal: AbortSignal): AbortController {
  const controller = new AbortController();
  const left = (): void =>
    controller.abort(new Failure("service_unavailable", "The client closed the connection before the answer."));
  signal.addEventListener("abort", left, { once: true });
  return controller;
}

/** Work beyond the timeout is aborted, and keeps its slot until it ends, so that no further work is added to it. */
async function inTime<T>(answering: Promise<T>, over: AbortController, seconds: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const message = `The answer took longer than ${seconds} s (READ_TIMEOUT_SECONDS). Try again in a moment.`;
    const failure = new Failure("service_unavailable", message);
    late.reject(failure);
    over.abort(failure);
  }, seconds * 1000);
  try {
    return await Promise.race([answering, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
