import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

import type { Logger } from "pino";

import { Failure } from "../domain/failures.ts";
import { networkOf } from "./addresses.ts";

/** How many connections there may be at once. */
export interface ConnectionLimits {
  readonly maxConnections: number;
  /** Of one IP address, or one IPv6 network of 64 bits. */
  readonly maxConnectionsPerAddress: number;
  /** Whether many clients come from an address, so that there is no maximum for it. */
  readonly isProxy: (address: string) => boolean;
}

/** The open connections, and whose turn it is on each: its requests are answered one after the other. */
export interface Connections {
  /**
   * Counts a connection until it closes. At a maximum the one that has been without a request for longest is closed for it;
   * where all have one, the failure to answer it with.
   */
  open(socket: Socket): Failure | undefined;
  /** Whether a request may be answered, told when it is its turn; not where the connection is closed, or lost by then. */
  turn(socket: Duplex): boolean | Promise<boolean>;
  /** The answer was sent: the next request of the connection may begin. */
  answered(socket: Socket): void;
  /** Closes all that have no request. */
  closeIdle(): void;
}

/**
 * Maximum of requests of one connection that are not answered yet; one with more is closed. The parser hands over all that a piece
 * of 64 KiB has, and each takes some kilobytes; no client that is known to pipeline sends so many ahead.
 */
const maxPipelined = 32;

/** Milliseconds between two warnings. */
const warningInterval = 60_000;

interface Connection {
  readonly network: string;
  /** Starts those that wait behind the request that is being answered, the next one first. */
  readonly waiting: ((alive: boolean) => void)[];
  busy: boolean;
}

/** Counts connections, by address too, and has the requests of each wait for one another. */
export function createConnections(limits: ConnectionLimits, log: Logger): Connections {
  // In the order in which they became idle, so that the first idle one is the one that has been so for longest.
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

  const makeRoom = (isCounted: (connection: Connection) => boolean): boolean => {
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
    open(socket) {
      const address = socket.remoteAddress ?? "";
      const network = networkOf(address);
      if (!limits.isProxy(address) && (byNetwork.get(network) ?? 0) >= limits.maxConnectionsPerAddress) {
        warn("one address has as many connections as MAX_CONNECTIONS_PER_ADDRESS allows", network);
        if (!makeRoom((other) => other.network === network)) {
          const message = `This address has ${limits.maxConnectionsPerAddress} requests under way, the maximum. Wait for their answers.`;
          return new Failure("rate_limit_exceeded", message, { retryAfter: 1 });
        }
      } else if (connections.size >= limits.maxConnections) {
        warn("there are as many connections as MAX_CONNECTIONS allows", network);
        if (!makeRoom(() => true)) {
          return new Failure("service_unavailable", "The server has no connection left. Try again in a moment.");
        }
      }
      connections.set(socket, { network, waiting: [], busy: false });
      byNetwork.set(network, (byNetwork.get(network) ?? 0) + 1);
      socket.on("close", () => close(socket));
      return undefined;
    },

    turn(socket) {
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

    answered(socket) {
      const connection = connections.get(socket);
      if (!connection) return;
      // It is being closed behind this answer.
      if (!socket.writable) return close(socket);
      const next = connection.waiting.shift();
      if (next) next(true);
      else {
        connection.busy = false;
        connections.delete(socket);
        connections.set(socket, connection);
      }
    },

    closeIdle() {
      for (const [socket, { busy }] of connections) if (!busy) socket.destroy();
    },
  };
}

/** Node makes two errors for each request that a closed connection leaves; a thousand stacks would hold up everybody else. */
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
