import { AsyncLocalStorage } from "node:async_hooks";

/** Bytes of a body that count as an answer; a server that sends fewer in the time that is waited for it is silent. */
const enough = 10_000;

/** What a step waits for. */
export interface Waiting {
  readonly host: string;
  /** The request without its query, such as `GET https://docs.example.com/robots.txt`. */
  readonly request: string;
  /** How long nothing has come from any host that was asked, in milliseconds. */
  readonly quiet: number;
}

/** The waiting of one step for the hosts that it asks. */
export interface Watch {
  /** The longest open request; undefined: none is open. */
  now(): Waiting | undefined;
  /** A request. `isPatient`: each byte of its body is an answer, as of a server that prepares it and sends a sign of life now and then. */
  begin(method: string, url: URL, isPatient: boolean): Pending;
}

/** A request. Time counts only between `wait` and `pause`. */
export interface Pending {
  wait(): void;
  /** Something came: `bytes` of its body; absent: the head of the answer, or its end. */
  heard(bytes?: number): void;
  pause(): void;
}

const watches = new AsyncLocalStorage<Watch>();

/** Does work whose requests are seen by a watch. */
export function watching<T>(watch: Watch, work: () => Promise<T>): Promise<T> {
  return watches.run(watch, work);
}

/** A request to a host, as the watch of the step under way sees it. */
export function beginRequest(method: string, url: URL, isPatient: boolean): Pending {
  return watches.getStore()?.begin(method, url, isPatient) ?? unseen;
}

const unseen: Pending = { wait: () => {}, heard: () => {}, pause: () => {} };

/** Makes a watch. Silence is what passes while requests are open and nothing comes of any. */
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
          bytes += count ?? enough;
          if (bytes < enough && !isPatient) return;
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
