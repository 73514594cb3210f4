import { setImmediate as nextIteration } from "node:timers/promises";
import type { Caller } from "../domain/access.ts";
import { Failure } from "../domain/failures.ts";
import { createFairQueue } from "../domain/fair-queue.ts";
import { networkOf } from "./ip-addresses.ts";
import type { ApiAnswer } from "./answers.ts";
import type { ApiSettings } from "./options.ts";
import type { Route } from "./route.ts";

/** The client of a request, and the conditions that cancel its work. */
interface Scheduled {
  readonly client: string;
  /** Rejects where the request exceeds a rate limit. */
  readonly counted: Promise<void>;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/** The unit of fairness: a key, or an address without one. */
export function clientOf({ keyId }: Pick<Caller, "keyId">, address: string): string {
  return keyId ?? networkOf(address);
}

/**
 * Returns a function that executes the work of a request when it gets a slot. Slots are limited, so that memory does not grow with the
 * number of clients, who get them in turns. A client may hold at most as many, and places in the queue, as are free: a single client
 * gets half of them, and another one always gets its turn (dynamic thresholds of shared-buffer switches, Choudhury and Hahne 1998).
 * The signal of the work aborts when the client disconnects, or a read times out or exceeds its rate limit.
 * It @throws Failure service_unavailable, rate_limit_exceeded
 */
export function createScheduler({
  requestsAtOnce,
  readTimeoutSeconds,
}: Pick<ApiSettings, "requestsAtOnce" | "readTimeoutSeconds">) {
  const slots = createFairQueue<string>({
    places: requestsAtOnce,
    most: (free) => free,
    maxWaiting: waitingPerSlot * requestsAtOnce,
    maxWait,
    refuse: overloaded,
  });

  return async (
    { limit }: Pick<Route, "limit">,
    { client, counted, signal: disconnected }: Scheduled,
    work: (signal: AbortSignal) => Promise<ApiAnswer>,
  ): Promise<ApiAnswer> => {
    const over = limit === "read" ? follow(disconnected) : undefined;
    const signal = over?.signal ?? disconnected;
    const answering = slots.run(client, () => work(signal), { signal });
    // Handled below, unless the rate limit refuses the request.
    answering.catch(() => undefined);
    try {
      await counted;
    } catch (error) {
      over?.abort(error);
      throw error;
    }
    return over ? inTime(answering, over, readTimeoutSeconds) : answering;
  };
}

/** A controller that aborts when the client disconnects. AbortSignal.any() takes ten times as long. */
function follow(signal: AbortSignal): AbortController {
  const controller = new AbortController();
  const onDisconnect = (): void =>
    controller.abort(new Failure("service_unavailable", "The client closed the connection before the answer."));
  signal.addEventListener("abort", onDisconnect, { once: true });
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

/** Maximum number of waiting requests per slot. */
const waitingPerSlot = 4;

/** Maximum waiting time, in milliseconds. */
const maxWait = 5000;

function overloaded(): Failure {
  const message = "The server has more requests than it can answer at once. Try again in a moment.";
  return new Failure("service_unavailable", message, { retryAfter: 1 });
}

/**
 * Hands out one turn per iteration of the event loop, to clients in rotation: a client with many requests delays any other by one
 * request. The loop accepts one connection per iteration (libuv 1.52, uv__server_io), and would otherwise answer all open
 * connections before it accepts the next: with 64 busy clients, the last of 64 new ones would wait for seconds.
 */
export function createTurns(): (client: string) => Promise<void> {
  const turns = createFairQueue<string>({ places: 1 });
  return (client) => turns.run(client, () => nextIteration());
}
