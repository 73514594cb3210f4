import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, STATUS_CODES, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Failure } from "../../../domain/failures.ts";
import type { ProxyAccess } from "./messages.ts";
import type { Egress } from "./egress.ts";
import { toFetchFailure } from "../fetch/failures.ts";
import { portOf } from "../fetch/guard.ts";

/** A forward proxy on the loopback address for one browser. It lets through the addresses that the guard allows. */
export interface GuardedProxy {
  readonly access: ProxyAccess;
  /** Accepts requests for one page; call `end` after it. `exceeded` is called when servers send more than `maxBytes`. */
  begin(maxBytes: number, exceeded: (failure: Failure) => void): Traffic;
  close(): Promise<void>;
}

/** Idle timeout of a connection, in milliseconds. */
const idleTimeout = 30_000;
/** Chromium itself opens at most 32. */
const maxConnections = 128;

/** Headers for the next hop only (RFC 9110, 7.6.1). */
const hopHeaders = new Set(
  (
    "connection,keep-alive,proxy-authenticate,proxy-authorization,proxy-connection,te,trailer," +
    "transfer-encoding,upgrade"
  ).split(","),
);

const challenge = { "proxy-authenticate": 'Basic realm="browser"', connection: "close" };

/** Opens a proxy that accepts requests only between the beginning and the end of a page. */
export async function openGuardedProxy(way: Egress): Promise<GuardedProxy> {
  const username = "browser";
  const password = randomBytes(24).toString("hex");
  // Other processes of the machine can connect too.
  const isAuthorized = authorizer(`Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`);
  let page: TrafficRecord | undefined;

  /** Closes the connection on a failure: a response of the proxy would look like one of the site. Traffic has recorded the reason. */
  function closeOnFailure(relaying: Promise<void> | undefined, inside: Duplex | ServerResponse): void {
    if (relaying === undefined) inside.destroy();
    else relaying.catch(() => inside.destroy());
  }

  async function relay(traffic: TrafficRecord, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "");
    const answer = await traffic.record(url, async (signal) => {
      const { send, options, headers } = await way.requestTo(url, signal);
      const outgoing = send({
        ...options,
        method: request.method,
        headers: [...withoutHopHeaders(request.rawHeaders), ...headers],
        setHost: false,
        agent: false,
        signal,
        timeout: idleTimeout,
      });
      outgoing.once("timeout", () => outgoing.destroy(timeoutError()));
      // Once the response has begun, its body reports errors.
      outgoing.on("error", () => undefined);
      response.once("close", () => outgoing.destroy());
      const responding = once(outgoing, "response") as Promise<[IncomingMessage]>;
      const [[incoming]] = await Promise.all([responding, pipeline(request, outgoing)]);
      return incoming;
    });
    answer.on("data", (chunk: Buffer) => traffic.count(chunk.length));
    response.writeHead(answer.statusCode ?? 502, [...withoutHopHeaders(answer.rawHeaders), "connection", "close"]);
    await pipeline(answer, response);
  }

  async function tunnel(
    traffic: TrafficRecord,
    { url: authority = "" }: IncomingMessage,
    inside: Duplex,
    head: Buffer,
  ) {
    // A tunnel has no scheme. It would only decide the port, which the authority has.
    const url = new URL(`https://${/^[^\s/?#@]+:\d{1,5}$/.exec(authority)?.[0]}`);
    const outside = await traffic.record(url, (signal) => way.connectTo(url, signal));
    traffic.keep(outside);
    outside.setTimeout(idleTimeout, () => outside.destroy());
    outside.on("data", (chunk: Buffer) => traffic.count(chunk.length));
    inside.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    outside.write(head);
    await Promise.all([pipeline(inside, outside), pipeline(outside, inside)]);
  }

  const server = createServer((request, response) => {
    if (!isAuthorized(request)) return void response.writeHead(407, challenge).end();
    closeOnFailure(page && relay(page, request, response), response);
  });
  server.on("connect", (request: IncomingMessage, inside: Duplex, head: Buffer) => {
    if (!isAuthorized(request)) return void inside.end(toHead(407, challenge));
    closeOnFailure(page && tunnel(page, request, inside, head), inside);
  });
  server.maxConnections = maxConnections;
  server.on("connection", (socket: Socket) => {
    if (page === undefined) socket.destroy();
    else page.keep(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  return {
    access: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, username, password },
    begin(maxBytes, exceeded) {
      const traffic = recordTraffic(maxBytes, exceeded);
      page = traffic;
      return {
        ...traffic,
        end() {
          if (page === traffic) page = undefined;
          traffic.end();
        },
      };
    },
    async close() {
      page?.end();
      page = undefined;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function authorizer(expected: string): (request: IncomingMessage) => boolean {
  const digest = hash("sha256", expected, "buffer");
  return ({ headers }) => timingSafeEqual(digest, hash("sha256", headers["proxy-authorization"] ?? "", "buffer"));
}

function withoutHopHeaders(raw: readonly string[]): string[] {
  return raw.filter((_, at) => !hopHeaders.has((raw[at - (at % 2)] ?? "").toLowerCase()));
}

function toHead(status: number, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}content-length: 0\r\n\r\n`;
}

/** Has undici's code, by which failures are classified. */
function timeoutError(): Error {
  return Object.assign(new Error("The server did not answer in time."), { code: "UND_ERR_HEADERS_TIMEOUT" });
}

/** Network traffic of a browser for one page. */
export interface Traffic {
  /** Why the last request to an address failed; undefined if it succeeded. */
  failureOf(url: URL): Failure | undefined;
  /** Closes all connections. */
  end(): void;
}

/** The traffic as the proxy records it. */
interface TrafficRecord extends Traffic {
  /** Makes a request to a URL; records and rethrows a failure. */
  record<T>(url: URL, request: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Counts bytes received from servers. */
  count(bytes: number): void;
  /** Makes `end` close this connection too. */
  keep(socket: Duplex): void;
}

/** Begins the record of one page. `exceeded` is called once, when servers have sent more than `maxBytes`. */
function recordTraffic(maxBytes: number, exceeded: (failure: Failure) => void): TrafficRecord {
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
    async record(url, request) {
      failures.delete(authorityOf(url));
      try {
        return await request(ended.signal);
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
        new Failure(
          "page_too_costly",
          `The page loads more than ${maxBytes} bytes in the browser, the limit of one page.`,
        ),
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

/** Host and port: the scheme of a tunnel is unknown. */
function authorityOf(url: URL): string {
  return `${url.hostname}:${portOf(url)}`;
}
