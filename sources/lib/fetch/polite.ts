import { setTimeout as sleep } from "node:timers/promises";
import type { HostStore } from "../../../domain/ports.ts";
import type { FetchClient, FetchResponse } from "./client.ts";

/** Dependencies and settings of a polite client. Times are in milliseconds. */
export interface PoliteOptions {
  readonly client: FetchClient;
  /** The time of each host's next request, shared by all workers. */
  readonly hosts: Pick<HostStore, "reserve" | "postpone">;
  /** Minimum time between two requests to a host. */
  readonly interval: number;
  readonly now: () => number;
}

/** A client that spaces its requests to a host, and honours Retry-After. */
export interface PoliteClient extends Pick<FetchClient, "request"> {
  /** Waits for the next turn at a host, for requests that something else sends, such as a browser. @throws the signal's reason */
  turn(host: string, signal?: AbortSignal): Promise<void>;
  /** Sets a longer interval for a host, in milliseconds, such as the Crawl-delay of its robots.txt. */
  slowDown(host: string, interval: number): void;
}

/** Maximum attempts of a request whose response has Retry-After, and longest pause before the next attempt, in milliseconds. */
const maxAttempts = 3;
const maxPause = 60_000;
/** The first pause after a 429 without Retry-After, in milliseconds; it doubles with each attempt. */
const backOff = 1000;
/** Longest interval that a host can ask for, in milliseconds. */
const maxInterval = 10_000;

/** Creates a polite client for one run. */
export function createPoliteClient({ client, hosts, interval, now }: PoliteOptions): PoliteClient {
  const intervals = new Map<string, number>();
  const paused = new Set<string>();
  async function turn(host: string, signal?: AbortSignal): Promise<void> {
    const wanted = intervals.get(host) ?? interval;
    // Without an interval and a pause there is nothing to coordinate with other workers.
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

/** Pause before the next attempt, in milliseconds: Retry-After, or else exponential after a 429; undefined: no retry. */
export function pauseOf({ status, headers }: FetchResponse, attempt: number, now: number): number | undefined {
  const wanted = headers["retry-after"];
  if (status === 429 && wanted === undefined) return backOff * 2 ** (attempt - 1);
  return status === 429 || status === 503 ? readRetryAfter(wanted, now) : undefined;
}

/** The wait in a header Retry-After (RFC 9110, 10.2.3), in milliseconds; undefined if it is absent, or neither seconds nor a date. */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  const wait = /^\d+$/.test(header ?? "") ? Number(header) * 1000 : Date.parse(header ?? "") - now;
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}
