import { AsyncLocalStorage } from "node:async_hooks";

/** Number of bytes of a body that count as progress; a server that sends fewer is silent. */
const progressBytes = 10_000;

/** The request that a step waits for. */
export interface Waiting {
  readonly host: string;
  /** The request without its query, such as `GET https://docs.example.com/robots.txt`. */
  readonly request: string;
  /** Time since any host made progress, in milliseconds. */
  readonly quiet: number;
}

/** Measures how long one step waits for hosts. */
export interface Watch {
  /** The longest open request; undefined without an open one. */
  now(): Waiting | undefined;
  /** Adds a request. `isPatient`: each byte of its body is progress, for servers that prepare a response and send keep-alives. */
  begin(method: string, url: URL, isPatient: boolean): Pending;
}

/** A request. Time counts only between `wait` and `pause`. */
export interface Pending {
  wait(): void;
  /** Records the arrival of `bytes` of the body; absent: of the head or the end of the response. */
  heard(bytes?: number): void;
  pause(): void;
}

const watches = new AsyncLocalStorage<Watch>();

/** Does work and measures its requests with a watch. */
export function watching<T>(watch: Watch, work: () => Promise<T>): Promise<T> {
  return watches.run(watch, work);
}

/** Adds a request to the watch of the current step. */
export function beginRequest(method: string, url: URL, isPatient: boolean): Pending {
  return watches.getStore()?.begin(method, url, isPatient) ?? unwatched;
}

const unwatched: Pending = { wait: () => {}, heard: () => {}, pause: () => {} };

/** Creates a watch. Time counts while requests are open and none of them makes progress. */
export function createWatch(): Watch {
  const open = new Map<Pending, Pick<Waiting, "host" | "request">>();
  let before = 0;
  let since = 0;
  const quiet = (): number => before + (open.size > 0 ? performance.now() - since : 0);
  return {
    now() {
      const [longest] = open.values();
      return longest && { ...longest, quiet: quiet() };
    },
    begin(method, url, isPatient) {
      let bytes = 0;
      const pending: Pending = {
        wait() {
          if (open.size === 0) since = performance.now();
          open.set(pending, { host: url.host, request: `${method} ${url.origin}${url.pathname}` });
        },
        heard(count) {
          bytes += count ?? progressBytes;
          if (bytes < progressBytes && !isPatient) return;
          bytes = 0;
          before = 0;
          since = performance.now();
        },
        pause() {
          if (!open.has(pending)) return;
          if (open.size === 1) before = quiet();
          open.delete(pending);
        },
      };
      return pending;
    },
  };
}
