import { setTimeout as sleep } from "node:timers/promises";
import type { HostStore } from "../../domain/ports.ts";
import type { FetchClient, FetchResponse } from "./client.ts";

/** What a polite client is made of. Times are in milliseconds. */
export interface PoliteOptions {
  readonly client: FetchClient;
  /** Shared by all workers. */
  readonly hosts: Pick<HostStore, "reserve" | "postpone">;
  /** Between two requests to a host. */
  readonly interval: number;
  readonly now: () => number;
}

/** A client that asks each host at intervals, and pauses where a host asks for that. */
export interface PoliteClient extends Pick<FetchClient, "request"> {
  /** Waits until a host may be asked, for what asks it in another way, such as a browser. @throws the signal's reason */
  turn(host: string, signal?: AbortSignal): Promise<void>;
  /** Asks a host at longer intervals, in milliseconds, as its robots.txt wants. */
  slowDown(host: string, interval: number): void;
}

/** Maximum attempts of a request that the host answers with Retry-After, and the longest pause that is taken, in milliseconds. */
const maxAttempts = 3;
const maxPause = 60_000;
/** The first pause where a host does not say how long it wants one, in milliseconds. */
const backOff = 1000;
/** Maximum Crawl-delay that is respected, in milliseconds. */
const maxInterval = 10_000;

/** Creates a polite client for one run. */
export function createPoliteClient({ client, hosts, interval, now }: PoliteOptions): PoliteClient {
  const intervals = new Map<string, number>();
  const paused = new Set<string>();
  async function turn(host: string, signal?: AbortSignal): Promise<void> {
    const wanted = intervals.get(host) ?? interval;
    // Without an interval there is nothing to share with other workers, but for a pause that the host asked for.
    if (wanted === 0 && !paused.has(host)) return;
    const at = await hosts.reserve(host, wanted, now());
    await sleep(Math.max(0, at - now()), undefined, { signal });
  }
  return {
    turn,
    slowDown: (host, wanted) => void intervals.set(host, Math.min(Math.max(wanted, interval), maxInterval)),
    async request(url, request = {}) {
      for (let attempt = 1; ; attempt += 1) {
        await turn(url.host, request.signal);
        const response = await client.request(url, request);
        const pause = pauseOf(response, attempt, now());
        if (pause === undefined || pause > maxPause || attempt === maxAttempts) return response;
        response.discard();
        paused.add(url.host);
        await hosts.postpone(url.host, now() + pause);
      }
    },
  };
}

/**
 * How long a host asks to be left alone (RFC 9110, Retry-After), in milliseconds; undefined if it does not. One that has too many
 * requests and does not say until when is left alone for longer each time.
 */
export function pauseOf({ status, headers }: FetchResponse, attempt: number, now: number): number | undefined {
  const wanted = headers["retry-after"];
  if (status === 429 && wanted === undefined) return backOff * 2 ** (attempt - 1);
  if (wanted === undefined || (status !== 429 && status !== 503)) return undefined;
  const pause = /^\d+$/.test(wanted) ? Number(wanted) * 1000 : Date.parse(wanted) - now;
  return Number.isNaN(pause) ? undefined : Math.max(0, pause);
}
