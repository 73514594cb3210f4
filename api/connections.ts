import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import { Failure } from "../domain/failures.ts";
import { networkOf } from "./ip-addresses.ts";

/** Limits of open connections. */
export interface ConnectionLimits {
  readonly maxConnections: number;
  /** Per IPv4 address or IPv6 /64. */
  readonly maxConnectionsPerAddress: number;
  /** Whether an address is shared by many clients, and so has no limit. */
  readonly isProxy: (address: string) => boolean;
}

/**
 * Maximum number of pipelined requests of a connection; it is closed beyond that. The parser delivers all requests of a chunk
 * of 64 KiB at once, each of which takes some kilobytes of memory. No known client pipelines as many.
 */
const maxPipelined = 32;

/** Milliseconds between two warnings. */
const warningInterval = 60_000;

interface Connection {
  readonly network: string;
  /** Start functions of the requests that wait for the current one, next first. */
  readonly waiting: ((alive: boolean) => void)[];
  busy: boolean;
}

/** Counts the open connections, in total and by network, and serialises the requests of each. */
export function createConnections(limits: ConnectionLimits, log: Logger) {
  // In the order in which they became idle: the first is the longest idle one.
  const connections = new Map<Duplex, Connection>();
  const byNetwork = new Map<string, number>();
  let warned = -Infinity;

  const close = (socket: Duplex): void => {
    const connection = connections.get(socket);
    if (!connection) return;
    connections.delete(socket);
    const left = (byNetwork.get(connection.network) ?? 1) - 1;
    if (left === 0) byNetwork.delete(connection.network);
    else byNetwork.set(connection.network, left);
    for (const start of connection.waiting.splice(0)) start(false);
  };

  const closeLongestIdle = (isCounted: (connection: Connection) => boolean): boolean => {
    for (const [socket, connection] of connections) {
      if (connection.busy || !isCounted(connection)) continue;
      close(socket);
      socket.destroy();
      return true;
    }
    return false;
  };

  const warn = (message: string, network: string): void => {
    if (performance.now() - warned < warningInterval) return;
    warned = performance.now();
    log.warn({ address: network, connections: connections.size }, message);
  };

  return {
    /** Counts a connection until it closes. At a limit it closes the longest idle one, or returns the failure if none is idle. */
    open(socket: Socket): Failure | undefined {
      const address = socket.remoteAddress ?? "";
      const network = networkOf(address);
      if (!limits.isProxy(address) && (byNetwork.get(network) ?? 0) >= limits.maxConnectionsPerAddress) {
        warn("one address has as many connections as MAX_CONNECTIONS_PER_ADDRESS allows", network);
        if (!closeLongestIdle((other) => other.network === network)) {
          const message = `This address has ${limits.maxConnectionsPerAddress} requests under way, the maximum. Wait for their answers.`;
          return new Failure("rate_limit_exceeded", message, { retryAfter: 1 });
        }
      } else if (connections.size >= limits.maxConnections) {
        warn("there are as many connections as MAX_CONNECTIONS allows", network);
        if (!closeLongestIdle(() => true)) {
          return new Failure("service_unavailable", "The server has no connection left. Try again in a moment.");
        }
      }
      connections.set(socket, { network, waiting: [], busy: false });
      byNetwork.set(network, (byNetwork.get(network) ?? 0) + 1);
      socket.on("close", () => close(socket));
      return undefined;
    },

    /** Resolves at the turn of a request: whether it may be answered; false if the connection has closed. */
    turn(socket: Duplex): boolean | Promise<boolean> {
      const connection = connections.get(socket);
      if (!connection) return false;
      if (!connection.busy) return (connection.busy = true);
      if (connection.waiting.length + 1 < maxPipelined) {
        return new Promise((resolve) => connection.waiting.push(resolve));
      }
      log.debug({ address: connection.network }, "too many requests in a pipeline");
      close(socket);
      cut(socket);
      return false;
    },

    /** Called after an answer was sent: starts the next request of the connection. */
    answered(socket: Socket): void {
      const connection = connections.get(socket);
      if (!connection) return;
      // It is closed after this answer.
      if (!socket.writable) return close(socket);
      const next = connection.waiting.shift();
      if (next) next(true);
      else {
        connection.busy = false;
        connections.delete(socket);
        connections.set(socket, connection);
      }
    },

    closeIdle(): void {
      for (const [socket, { busy }] of connections) if (!busy) socket.destroy();
    },
  };
}

/** Destroys a socket without stack traces: Node creates two errors per pending request, which could block the event loop. */
function cut(socket: Duplex): void {
  let limit = 0;
  socket.prependListener("close", () => {
    limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
  });
  socket.on("close", () => {
    Error.stackTraceLimit = limit;
  });
  socket.destroy();
}
