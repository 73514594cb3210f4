import type { Caller } from "../domain/access.ts";
import { Failure } from "../domain/failures.ts";
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
 * Returns a function that executes the work of a request when it gets a slot. The signal of the work aborts when the client
 * disconnects, or a read times out. It @throws Failure service_unavailable, rate_limit_exceeded
 */
export function createScheduler(settings: Pick<ApiSettings, "requestsAtOnce" | "readTimeoutSeconds">) {
  const slots = createSlots(settings);

  return async (
    { limit }: Pick<Route, "limit">,
    { client, counted, signal }: Scheduled,
    work: (signal: AbortSignal) => Promise<ApiAnswer>,
  ): Promise<ApiAnswer> => {
    let isRefused = false;
    const over = limit === "read" ? follow(signal) : undefined;
    const answering = slots.run(
      client,
      () => work(over?.signal ?? signal),
      () => !isRefused && !signal.aborted,
    );
    // Handled below, unless the rate limit refuses the request.
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

interface Waiting {
  /** Ends the wait: with a slot, or with the failure. */
  end(failure?: Failure): void;
  isWanted(): boolean;
}

/**
 * Limits concurrent requests, so that memory does not grow with the number of clients: `requestsAtOnce` slots, handed out to
 * clients in turns. A client may hold at most as many slots, and places in the queue, as are free: a single client gets half of
 * them, and another one always gets its turn (dynamic thresholds of shared-buffer switches, Choudhury and Hahne 1998).
 */
export function createSlots(
  { requestsAtOnce }: Pick<ApiSettings, "requestsAtOnce">,
  { wait = maxWait }: { readonly wait?: number } = {},
) {
  const running = new Map<string, number>();
  /** Waiting requests by client, next client first. */
  const waiting = new Map<string, Set<Waiting>>();
  const all = { running: 0, waiting: 0 };

  const hasSlot = (client: string): boolean => (running.get(client) ?? 0) < requestsAtOnce - all.running;
  const count = (client: string, more: 1 | -1): void => {
    all.running += more;
    const own = (running.get(client) ?? 0) + more;
    if (own === 0) running.delete(client);
    else running.set(client, own);
  };
  const remove = (client: string, entry: Waiting): boolean => {
    const own = waiting.get(client);
    if (!own?.delete(entry)) return false;
    all.waiting -= 1;
    if (own.size === 0) waiting.delete(client);
    return true;
  };

  /** Starts waiting requests in free slots. */
  const startWaiting = (): void => {
    for (const [client, own] of waiting) {
      if (!hasSlot(client)) continue;
      const [first] = own;
      if (!first) continue;
      remove(client, first);
      // To the end of the queue, if it has more waiting requests.
      if (waiting.delete(client)) waiting.set(client, own);
      first.end(first.isWanted() ? undefined : overloaded());
    }
  };

  function overloaded(): Failure {
    const message = "The server has more requests than it can answer at once. Try again in a moment.";
    return new Failure("service_unavailable", message, { retryAfter: 1 });
  }

  /** Waits for a slot, which is taken when it resolves. */
  async function take(client: string, isWanted: () => boolean): Promise<void> {
    if (hasSlot(client)) return count(client, 1);
    const own = waiting.get(client) ?? new Set<Waiting>();
    if (own.size >= waitingPerSlot * requestsAtOnce - all.waiting) throw overloaded();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const entry: Waiting = {
      end(failure) {
        clearTimeout(timer);
        if (failure) return reject(failure);
        count(client, 1);
        resolve();
      },
      isWanted,
    };
    const timer = setTimeout(() => {
      if (remove(client, entry)) entry.end(overloaded());
    }, wait);
    waiting.set(client, own.add(entry));
    all.waiting += 1;
    return promise;
  }

  return {
    /**
     * Executes the work of a client in a slot. `isWanted` is checked before it begins.
     * @throws Failure service_unavailable if too many requests wait, or one for too long
     */
    async run<T>(client: string, work: () => Promise<T>, isWanted: () => boolean): Promise<T> {
      await take(client, isWanted);
      try {
        return await work();
      } finally {
        count(client, -1);
        startWaiting();
      }
    },
  };
}

/**
 * Hands out one turn per iteration of the event loop, to clients in rotation: a client with many requests delays any other by one
 * request. The loop accepts one connection per iteration (libuv 1.52, uv__server_io), and would otherwise answer all open
 * connections before it accepts the next: with 64 busy clients, the last of 64 new ones would wait for seconds.
 */
export function createTurns(): (client: string) => Promise<void> {
  /** Waiting requests by client, next client first. */
  const waiting = new Map<string, (() => void)[]>();
  const next = (): void => {
    for (const [client, starts] of waiting) {
      waiting.delete(client);
      starts.shift()?.();
      if (starts.length > 0) waiting.set(client, starts);
      break;
    }
    if (waiting.size > 0) setImmediate(next);
  };
  return (client) =>
    new Promise((resolve) => {
      const starts = waiting.get(client);
      if (starts) starts.push(resolve);
      else if (waiting.set(client, [resolve]).size === 1) setImmediate(next);
    });
}
