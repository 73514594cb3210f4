import { Failure } from "../domain/failures.ts";
import type { ApiSettings } from "./options.ts";

/** Limits concurrent requests, so that memory does not grow with the number of clients. */
export interface Slots {
  /**
   * Executes the work of a client in a slot. `isWanted` is checked before it begins.
   * @throws Failure service_unavailable where too many wait, or for too long
   */
  run<T>(client: string, work: () => Promise<T>, isWanted: () => boolean): Promise<T>;
}

/** Maximum number of waiting requests per slot. */
const waitingPerSlot = 4;

/** Maximum waiting time, in milliseconds. */
const maxWait = 5000;

interface Waiting {
  /** Called with the failure, where it gets no slot. */
  end(failure?: Failure): void;
  isWanted(): boolean;
}

/**
 * `requestsAtOnce` slots, handed out to clients in turns. A client may hold no more slots than are free, and likewise for places in
 * the queue: so others always get one, and a single client gets half of them (dynamic thresholds as in shared-buffer switches,
 * Choudhury and Hahne 1998).
 */
export function createSlots(
  { requestsAtOnce }: Pick<ApiSettings, "requestsAtOnce">,
  { wait = maxWait }: { readonly wait?: number } = {},
): Slots {
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
  const remove = (client: string, one: Waiting): boolean => {
    const own = waiting.get(client);
    if (!own?.delete(one)) return false;
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
      first.end(first.isWanted() ? undefined : wasFull());
    }
  };

  function wasFull(): Failure {
    const message = "The server has more requests than it can answer at once. Try again in a moment.";
    return new Failure("service_unavailable", message, { retryAfter: 1 });
  }

  /** Waits for a slot, which is taken when it resolves. */
  async function take(client: string, isWanted: () => boolean): Promise<void> {
    if (hasSlot(client)) return count(client, 1);
    const own = waiting.get(client) ?? new Set<Waiting>();
    if (own.size >= waitingPerSlot * requestsAtOnce - all.waiting) throw wasFull();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const one: Waiting = {
      end(failure) {
        clearTimeout(timer);
        if (failure) return reject(failure);
        count(client, 1);
        resolve();
      },
      isWanted,
    };
    const timer = setTimeout(() => {
      if (remove(client, one)) one.end(wasFull());
    }, wait);
    waiting.set(client, own.add(one));
    all.waiting += 1;
    return promise;
  }

  return {
    async run(client, work, isWanted) {
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
