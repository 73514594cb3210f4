import type { Duplex } from "node:stream";
import { Failure } from "../../domain/failures.ts";
import { toFetchFailure } from "../fetch/failures.ts";

/** What goes on between a browser and the outside for one page. */
export interface Traffic {
  /** Why an address was out of reach, where the last attempt failed. */
  failureOf(url: URL): Failure | undefined;
  /** Breaks off all connections. */
  end(): void;
}

/** The same, as the proxy has it. */
export interface TrafficRecord extends Traffic {
  /** Reaches out to a URL; a failure is noted and thrown. */
  towards<T>(url: URL, reach: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Counts bytes that came from outside. */
  count(bytes: number): void;
  /** Breaks the connection off with the others. */
  keep(socket: Duplex): void;
}

/** Begins to keep the record of one page. `exceeded` is told, once, where servers have sent more than `maxBytes`. */
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
      // What breaks off is told by whoever reads.
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
