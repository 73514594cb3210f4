import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, STATUS_CODES, type IncomingMessage, type ServerResponse } from "node:http";
import { isIPv6, type AddressInfo, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { Failure } from "../domain/failures.ts";
import { failureAnswer, unexpectedFailure, type ApiAnswer } from "./answers.ts";
import { createConnections, type ConnectionLimits } from "./connections.ts";
import { createIncomingBodies, type IncomingBody } from "./incoming-bodies.ts";
import { encodeBody, isStream } from "./encoding.ts";
import { toApiRequest, type ApiRequest } from "./request.ts";
import { createTurns } from "./scheduling.ts";

/** Address, connection limits and timeouts of the server; times in milliseconds. */
export interface ServerOptions extends Partial<ConnectionLimits> {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly log: Logger;
  /** Timeout of the request line and headers. */
  readonly headersTimeout?: number;
  /** Timeout of the whole body. */
  readonly bodyTimeout?: number;
  /** Timeout of a client taking an answer, or the next part of a stream. */
  readonly answerTimeout?: number;
  /** Keep-alive timeout; longer than the usual minute of proxies. */
  readonly keepAliveTimeout?: number;
  /** Time at shutdown in which it still accepts connections, whose answers close them, so that a load balancer finds other servers. */
  readonly drainTime?: number;
  /** Grace period of requests in flight after that. */
  readonly closeDeadline?: number;
}

/** A listening server. */
export interface Server {
  /** Its own address, without `/api`. */
  readonly url: string;
  /** Graceful shutdown: drains, stops listening, ends streams, waits for requests in flight up to the deadline. Idempotent. */
  close(): Promise<void>;
}

/** Time for a client to read the answer of a refused connection before it is destroyed, in milliseconds. */
const lingerTime = 2000;

/** Maximum number of refused connections that get an answer at a time, as each stays open for `lingerTime`. */
const maxRefused = 100;

/** An answer that is being computed or sent. */
interface Answering {
  readonly response: ServerResponse;
  readonly controller: AbortController;
  /** Whether it ends only with its client or the server. */
  isEndless: boolean;
}

/** Serves the app on a socket. Neither input of a client nor an error of the app ends the process. */
export async function startServer(
  app: (request: ApiRequest) => Promise<ApiAnswer>,
  options: ServerOptions,
): Promise<Server> {
  const { log, host, port, bodyTimeout = 30_000, drainTime = 0, closeDeadline = 5000 } = options;
  const { headersTimeout = 15_000, keepAliveTimeout = 75_000, answerTimeout = 60_000 } = options;
  const { maxConnections = 1000, maxConnectionsPerAddress = 250, isProxy = () => false } = options;
  const connections = createConnections({ maxConnections, maxConnectionsPerAddress, isProxy }, log);
  const bodyOf = createIncomingBodies(isProxy, bodyTimeout);
  const answering = new Map<Duplex, Answering>();
  const refused = new Set<Socket>();
  const turn = createTurns();
  let closing: Promise<void> | undefined;

  const server = createServer({
    headersTimeout,
    keepAliveTimeout,
    // The body has its own timeout; this one is for requests whose body is not read to the end.
    requestTimeout: headersTimeout + bodyTimeout + lingerTime,
    connectionsCheckingInterval: Math.min(1000, headersTimeout),
    requireHostHeader: false,
    // Requests without a body end at once, which costs less.
    optimizeEmptyRequests: true,
  });

  async function respond(request: IncomingMessage, response: ServerResponse, mayStart: Promise<boolean> | true) {
    const { socket, headers } = request;
    const address = socket.remoteAddress ?? "";
    const body = bodyOf(request, { address, length: Number(headers["content-length"] ?? 0) });
    response.on("error", (error) => log.debug({ err: error }, "connection closed before the answer was complete"));
    // Concurrent answers of a connection would all be in memory until the client takes the first.
    if (!(await mayStart)) return;
    const current = { response, controller: new AbortController(), isEndless: false };
    const { signal } = current.controller;
    answering.set(socket, current);
    response.on("close", () => {
      answering.delete(socket);
      connections.answered(socket);
      // An abort creates an expensive error, and nothing waits for it after the answer was sent.
      if (!response.writableFinished) current.controller.abort();
      if (!server.listening) server.closeIdleConnections();
    });
    try {
      await turn(headers.authorization ?? address);
      if (signal.aborted) return;
      const answer = await app(toApiRequest(request, body.read, signal));
      current.isEndless = isStream(answer.body) && request.method !== "HEAD";
      if (current.isEndless && !server.listening) current.controller.abort();
      await send(answer, response, body, closing !== undefined);
    } catch (error) {
      const requestId = randomUUID();
      const isRefused = error instanceof Failure;
      log[isRefused ? "debug" : "error"]({ requestId, err: error }, "answering failed");
      if (response.headersSent) response.destroy();
      else await send(refuse(isRefused ? error : unexpectedFailure(requestId), requestId), response, body, true);
    }
  }

  /** Sends an answer. The connection closes afterwards if it is the last one, or the request's body was not read to its end. */
  async function send(answer: ApiAnswer, response: ServerResponse, incoming: IncomingBody, isLast: boolean) {
    const { req: request } = response;
    let clock: NodeJS.Timeout | undefined;
    const stopClock = (): void => clearTimeout(clock);
    const startClock = (): void => {
      // The connection may have closed before the stream noticed.
      if (response.destroyed) return;
      clock = setTimeout(() => {
        log.debug("answer not taken in time");
        response.destroy();
      }, answerTimeout);
    };
    response.once("close", stopClock);
    const { bytes, headers } = await encodeBody(answer, request.headers["accept-encoding"]);
    const isUnread = !request.complete;
    const write = (): void => {
      response.writeHead(answer.status, {
        ...answer.headers,
        ...headers,
        ...(answer.cookies && { "Set-Cookie": [...answer.cookies] }),
        ...((isLast || isUnread) && { Connection: "close" }),
      });
      if (bytes && request.method !== "HEAD") response.write(bytes);
      else response.flushHeaders();
    };
    if (isStream(answer.body) && request.method !== "HEAD") {
      write();
      await pipeline(timed(answer.body, startClock, stopClock), response).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "ERR_STREAM_PREMATURE_CLOSE") log.error({ err: error }, "stream failed");
      });
      return;
    }
    startClock();
    if (isUnread) await incoming.drain(write);
    else write();
    response.end();
  }

  /** Ends a connection with an answer. It is destroyed later, as destroying it at once could lose the answer. */
  function end(socket: Duplex, failure: Failure, cause?: Error): void {
    const requestId = randomUUID();
    log.debug({ requestId, err: cause }, failure.message);
    socket.on("error", (error) => log.debug({ requestId, err: error }, "connection closed before its answer was sent"));
    socket.end(rawAnswer(refuse(failure, requestId)));
    const timer = setTimeout(() => socket.destroy(), lingerTime);
    socket.once("close", () => clearTimeout(timer));
  }

  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const mayStart = connections.turn(request.socket);
    if (mayStart !== false) void respond(request, response, mayStart).catch(() => response.destroy());
  };
  server.on("request", onRequest);
  // An unknown Expect header changes nothing: the request is answered like any other.
  server.on("checkExpectation", onRequest);
  server.on("connection", (socket: Socket) => {
    const failure = connections.open(socket);
    if (!failure) return;
    socket.on("close", () => refused.delete(socket));
    if (refused.add(socket).size <= maxRefused) end(socket, failure);
    else socket.destroy();
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
    const { response } = answering.get(socket) ?? {};
    const isIncomplete = response?.req.complete === false;
    if (isIncomplete && response.headersSent) return void socket.destroy();
    // Answered after the pending requests of the connection.
    const mayStart = isIncomplete || connections.turn(socket);
    void Promise.resolve(mayStart).then((alive) => alive && end(socket, malformed(error.code), error));
  });
  // CONNECT is for proxies. Without a handler, node:http closes the connection without an answer.
  server.on("connect", (_request, socket) => {
    const message = "CONNECT is not supported: this server is not a proxy. See /api/openapi.json.";
    const allow = ["GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS"];
    end(socket, new Failure("method_not_allowed", message, { allow }));
  });

  server.listen(port, host);
  await once(server, "listening");
  server.on("error", (error) => log.error({ err: error }, "server error"));

  async function stop(): Promise<void> {
    if (drainTime > 0) await pause(drainTime);
    const deadline = setTimeout(() => server.closeAllConnections(), closeDeadline);
    const closed = once(server, "close");
    server.close();
    for (const { isEndless, controller } of answering.values()) if (isEndless) controller.abort();
    connections.closeIdle();
    await closed;
    clearTimeout(deadline);
  }

  return {
    url: urlOf(server.address(), host),
    close: () => (closing ??= stop()),
  };
}

/** The parts of a stream. The clock runs while the client has not taken one. */
async function* timed(
  parts: AsyncIterable<string>,
  startClock: () => void,
  stopClock: () => void,
): AsyncGenerator<string, void, undefined> {
  for await (const part of parts) {
    startClock();
    yield part;
    stopClock();
  }
  startClock();
}

/** The answer of a request that does not reach the app. */
function refuse(failure: Failure, requestId: string): ApiAnswer {
  const answer = failureAnswer(failure);
  return { ...answer, headers: { ...answer.headers, "X-Request-Id": requestId } };
}

/** The failure for malformed HTTP, by the error code of the parser. */
function malformed(code: string | undefined): Failure {
  const message =
    code === "HPE_HEADER_OVERFLOW"
      ? "The request line and headers exceed the limit of 16 KiB."
      : code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? "Timeout: the request was not complete in time."
        : "The request is not valid HTTP/1.1.";
  return new Failure("validation_error", message);
}

/** An answer as HTTP/1.1, for connections without a parsed request. */
function rawAnswer({ status, headers, body }: ApiAnswer): string {
  const text = JSON.stringify(body);
  const lines = Object.entries({ ...headers, "Content-Length": String(Buffer.byteLength(text)), Connection: "close" });
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.map((line) => line.join(": ")).join("\r\n")}\r\n\r\n${text}`;
}

function urlOf(address: string | AddressInfo | null, host: string): string {
  const port = typeof address === "object" && address ? address.port : 0;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
