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
import { collectBody } from "./body.ts";
import { createConnections, type ConnectionLimits } from "./connections.ts";
import { createDrain, createThrottle, limitPieces, type Drain } from "./incoming-bodies.ts";
import { encodeBody } from "./encoding.ts";
import { parseTarget, plainHeaders, type ApiRequest } from "./request.ts";
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

/** Serves the app on a socket. Neither input of a client nor an error of the app ends the process. */
export async function startServer(
  app: (request: ApiRequest) => Promise<ApiAnswer>,
  options: ServerOptions,
): Promise<Server> {
  const { log, host, port, bodyTimeout = 30_000, drainTime = 0, closeDeadline = 5000 } = options;
  const { headersTimeout = 15_000, keepAliveTimeout = 75_000, answerTimeout = 60_000 } = options;
  const { maxConnections = 1000, maxConnectionsPerAddress = 250, isProxy = () => false } = options;
  const connections = createConnections({ maxConnections, maxConnectionsPerAddress, isProxy }, log);
  const busy = new Map<Duplex, ServerResponse>();
  const streams = new Set<AbortController>();
  const refused = new Set<Socket>();
  const turn = createTurns();
  const throttle = createThrottle(isProxy);
  const drain = createDrain(throttle);
  let closing: Promise<void> | undefined;
  /** Set after draining: connections without an answer under way are closed. */
  let isDrained = false;

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
    const { socket } = request;
    request.on("error", (error) => log.debug({ err: error }, "connection closed before the request was complete"));
    response.on("error", (error) => log.debug({ err: error }, "connection closed before the answer was complete"));
    // Concurrent answers of a connection would all be in memory until the client takes the first.
    if (!(await mayStart)) return;
    const controller = new AbortController();
    response.on("close", () => {
      connections.answered(socket);
      busy.delete(socket);
      streams.delete(controller);
      // An abort creates an expensive error, and nothing waits for it after the answer was sent.
      if (!response.writableFinished) controller.abort();
      if (isDrained) server.closeIdleConnections();
    });
    busy.set(socket, response);
    await turn(request.headers.authorization ?? socket.remoteAddress ?? "");
    if (controller.signal.aborted) return;
    const answer = await decide(request, controller.signal);
    // After a disconnect nothing would remove the stream.
    if (isStream(answer.body) && request.method !== "HEAD" && !controller.signal.aborted) {
      streams.add(controller);
      if (isDrained) controller.abort();
    }
    await send(request, response, answer, { last: closing !== undefined, answerTimeout, log, drain });
  }

  async function decide(request: IncomingMessage, signal: AbortSignal): Promise<ApiAnswer> {
    const target = parseTarget(request);
    if (!target) {
      const requestId = randomUUID();
      log.debug({ requestId }, "request rejected");
      return refuse(new Failure("validation_error", "The request's target or Host header is malformed."), requestId);
    }
    return app({
      method: request.method ?? "GET",
      path: target.path,
      query: target.query,
      headers: { ...plainHeaders(request), ...(target.host !== undefined && { host: target.host }) },
      remoteAddress: request.socket.remoteAddress ?? "",
      readBody: (limit, take) =>
        collectBody(request, {
          announced: Number(request.headers["content-length"] ?? 0),
          limit,
          timeout: bodyTimeout,
          take,
          delayFor: (bytes) => throttle(request.socket.remoteAddress ?? "", bytes),
        }),
      signal,
    });
  }

  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    limitPieces(request);
    const mayStart = connections.turn(request.socket);
    if (mayStart === false) return;
    respond(request, response, mayStart).catch((error: unknown) => {
      const requestId = randomUUID();
      log.error({ requestId, err: error }, "answering failed");
      if (response.headersSent) response.destroy();
      else {
        const answer = refuse(unexpectedFailure(requestId), requestId);
        send(request, response, answer, { last: true, answerTimeout, log, drain }).catch(() => response.destroy());
      }
    });
  };
  server.on("request", onRequest);
  // An unknown Expect header changes nothing: the request is answered like any other.
  server.on("checkExpectation", onRequest);
  server.on("connection", (socket: Socket) => {
    const failure = connections.open(socket);
    if (!failure) return;
    socket.on("close", () => refused.delete(socket));
    if (refused.add(socket).size <= maxRefused) endWith(socket, failure, randomUUID());
    else socket.destroy();
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const requestId = randomUUID();
    log.debug({ requestId, err: error }, "malformed request");
    if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
    const current = busy.get(socket);
    const isIncomplete = current !== undefined && !current.req.complete;
    if (isIncomplete && current.headersSent) return void socket.destroy();
    // Answered after the pending requests of the connection.
    const mayStart = isIncomplete || connections.turn(socket);
    const end = (alive: boolean): void => void (alive && endWith(socket, malformed(error.code), requestId));
    if (typeof mayStart === "boolean") end(mayStart);
    else void mayStart.then(end);
  });
  // CONNECT is for proxies. Without a handler, node:http closes the connection without an answer.
  server.on("connect", (_request, socket) => {
    const requestId = randomUUID();
    log.debug({ requestId }, "CONNECT rejected");
    socket.on("error", (error) =>
      log.debug({ requestId, err: error }, "connection closed before the answer was complete"),
    );
    const message = "CONNECT is not supported: this server is not a proxy. See /api/openapi.json.";
    const allow = ["GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS"];
    endWith(socket, new Failure("method_not_allowed", message, { allow }), requestId);
  });

  server.listen(port, host);
  await once(server, "listening");
  server.on("error", (error) => log.error({ err: error }, "server error"));

  async function end(): Promise<void> {
    if (drainTime > 0) await pause(drainTime);
    isDrained = true;
    const deadline = setTimeout(() => server.closeAllConnections(), closeDeadline);
    const closed = once(server, "close");
    server.close();
    for (const stream of streams) stream.abort();
    connections.closeIdle();
    await closed;
    clearTimeout(deadline);
  }

  return {
    url: urlOf(server.address(), host),
    close: () => (closing ??= end()),
  };
}

interface Sending extends Required<Pick<ServerOptions, "answerTimeout" | "log">> {
  /** Close the connection after the answer. */
  readonly last: boolean;
  readonly drain: Drain;
}

/** Sends an answer. Closes the connection afterwards if the request's body was not read to its end. */
async function send(
  request: IncomingMessage,
  response: ServerResponse,
  answer: ApiAnswer,
  { last, answerTimeout, log, drain }: Sending,
): Promise<void> {
  const { body } = answer;
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
  if (isStream(body)) {
    response.writeHead(answer.status, { ...answer.headers, ...(last && { Connection: "close" }) });
    if (request.method === "HEAD") return void response.end();
    response.flushHeaders();
    const parts = timed(body, startClock, stopClock);
    await pipeline(parts, response).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ERR_STREAM_PREMATURE_CLOSE") log.error({ err: error }, "stream failed");
    });
    return;
  }
  const { bytes, headers } = await encodeBody(answer, request.headers["accept-encoding"]);
  const unread = !request.complete;
  const write = (): void => {
    startClock();
    response.writeHead(answer.status, {
      ...answer.headers,
      ...headers,
      ...(answer.cookies && { "Set-Cookie": [...answer.cookies] }),
      ...((last || unread) && { Connection: "close" }),
    });
    if (bytes && request.method !== "HEAD") response.write(bytes);
    else response.flushHeaders();
  };
  if (unread) await drain(request.socket.remoteAddress ?? "", request, write);
  else write();
  response.end();
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

function isStream(body: ApiAnswer["body"]): body is AsyncIterable<string> {
  return body !== null && typeof body === "object" && Symbol.asyncIterator in body;
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

/** Ends a connection with an answer. It is destroyed later, as destroying it at once could lose the answer. */
function endWith(socket: Duplex, failure: Failure, requestId: string): void {
  socket.end(rawAnswer(failure, requestId));
  const timer = setTimeout(() => socket.destroy(), lingerTime);
  socket.once("close", () => clearTimeout(timer));
}

/** An answer as HTTP/1.1, for connections without a parsed request. */
function rawAnswer(failure: Failure, requestId: string): string {
  const { status, headers, body } = refuse(failure, requestId);
  const text = JSON.stringify(body);
  const lines = Object.entries({ ...headers, "Content-Length": String(Buffer.byteLength(text)), Connection: "close" });
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.map((line) => line.join(": ")).join("\r\n")}\r\n\r\n${text}`;
}

function urlOf(address: string | AddressInfo | null, host: string): string {
  const port = typeof address === "object" && address ? address.port : 0;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
