import type { Duplex } from "node:stream";
import { Failure } from "../../../domain/failures.ts";
import { toFetchFailure } from "../fetch/failures.ts";

/** Network traffic of a browser for one page. */
export interface Traffic {
  /** Why an address could not be reached, if the last attempt failed. */
  failureOf(url: URL): Failure | undefined;
  /** Breaks off all connections. */
  end(): void;
}

/** The same, as the proxy records it. */
export interface TrafficRecord extends Traffic {
  /** Reaches out to a URL; a failure is noted and thrown. */
  towards<T>(url: URL, reach: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Counts bytes that came from outside. */
  count(bytes: number): void;
  /** Has `end` break off this connection too. */
  keep(socket: Duplex): void;
}

/** Begins the record of one page. `exceeded` is called once, when servers have sent more than `maxBytes`. */
export function recordTraffic(maxBytes: number, exceeded: (failure: Failure) => void): TrafficRecord {
  const ended = new AbortController();
  const failures = new Map<string, Failure>();
  const sockets = new Set<Duplex>();
  let bytes = 0;

  function end(): void {
    ended.abort();
    for (const socket of sockets) socket.destroy();
  }

  return {
    failureOf: (url) => failures.get(authorityOf(url)),
    end,
    async towards(url, reach) {
      failures.delete(authorityOf(url));
      try {
        return await reach(ended.signal);
      } catch (error) {
        const failure = toFetchFailure(error, url, ended.signal);
        if (failure instanceof Failure) failures.set(authorityOf(url), failure);
        throw error;
      }
    },
    count(more) {
      const isOver = bytes > maxBytes;
      bytes += more;
      if (isOver || bytes <= maxBytes) return;
      exceeded(
        new Failure("page_too_costly", `The page makes a browser load more than ${maxBytes} bytes, and is not read.`),
      );
      end();
    },
    keep(socket) {
      sockets.add(socket);
      // The reader of the socket gets the error.
      socket.on("error", () => undefined);
      socket.once("close", () => sockets.delete(socket));
      if (ended.signal.aborted) socket.destroy();
    },
  };
}

/** Host and port: a tunnel does not say for which scheme it is. */
function authorityOf(url: URL): string {
  return `${url.hostname}:${url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port}`;
}
