import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, STATUS_CODES } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Failure } from "../../../domain/failures.ts";
import type { ProxyAccess } from "./messages.ts";
import type { WayOut } from "./way-out.ts";
import { toFetchFailure } from "../fetch/failures.ts";

/** A forward proxy on the loopback address for one browser, which reaches through it what the guard lets through. */
export interface GuardedProxy {
  readonly access: ProxyAccess;
  /** Lets the browser out for one page, after which `end` has to be called. `exceeded` is called when servers send more than `maxBytes`. */
  begin(maxBytes: number, exceeded: (failure: Failure) => void): Traffic;
  close(): Promise<void>;
}

/** Idle timeout of a connection, in milliseconds. */
const idleTimeout = 30_000;
/** Chromium itself opens at most 32. */
const maxConnections = 128;

/** Headers that are meant for the next hop alone (RFC 9110, 7.6.1). */
const hopHeaders = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const challenge = { "proxy-authenticate": 'Basic realm="browser"', connection: "close" };

/** Opens a proxy that lets out only requests between the beginning and the end of a page. */
export async function openGuardedProxy(way: WayOut): Promise<GuardedProxy> {
  const username = "browser";
  const password = randomBytes(24).toString("hex");
  // Other processes of the machine can connect too.
  const isAuthorized = authorizer(`Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`);
  let page: TrafficRecord | undefined;

  /** Breaks the connection off on a failure: no answer of ours is taken for one of the site. */
  function breakOffOnFailure(outside: Promise<void> | undefined, inside: Duplex | ServerResponse): void {
    if (outside === undefined) inside.destroy();
    // Traffic has recorded the reason.
    else outside.catch(() => inside.destroy());
  }

  async function relay(traffic: TrafficRecord, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "");
    const answer = await traffic.towards(url, async (signal) => {
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
      outgoing.once("timeout", () => outgoing.destroy(silent()));
      // After the answer has begun, its body reports errors.
      outgoing.on("error", () => undefined);
      response.once("close", () => outgoing.destroy());
      const answering = once(outgoing, "response") as Promise<[IncomingMessage]>;
      const [[answered]] = await Promise.all([answering, pipeline(request, outgoing)]);
      return answered;
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
    // A tunnel has no scheme, which would only decide the port, and that is given.
    const url = new URL(`https://${/^[^\s/?#@]+:\d{1,5}$/.exec(authority)?.[0]}`);
    const outside = await traffic.towards(url, (signal) => way.connectTo(url, signal));
    traffic.keep(outside);
    outside.setTimeout(idleTimeout, () => outside.destroy());
    outside.on("data", (chunk: Buffer) => traffic.count(chunk.length));
    inside.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    outside.write(head);
    await Promise.all([pipeline(inside, outside), pipeline(outside, inside)]);
  }

  const server = createServer((request, response) => {
    if (!isAuthorized(request)) return void response.writeHead(407, challenge).end();
    breakOffOnFailure(page && relay(page, request, response), response);
  });
  server.on("connect", (request: IncomingMessage, inside: Duplex, head: Buffer) => {
    if (!isAuthorized(request)) return void inside.end(toHead(407, challenge));
    breakOffOnFailure(page && tunnel(page, request, inside, head), inside);
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

/** With undici's code, by which failures are told apart. */
function silent(): Error {
  return Object.assign(new Error("The server did not answer in time."), { code: "UND_ERR_HEADERS_TIMEOUT" });
}

/** Network traffic of a browser for one page. */
export interface Traffic {
  /** Why an address could not be reached, if the last attempt failed. */
  failureOf(url: URL): Failure | undefined;
  /** Breaks off all connections. */
  end(): void;
}

/** The same, as the proxy records it. */
interface TrafficRecord extends Traffic {
  /** Reaches out to a URL; a failure is noted and thrown. */
  towards<T>(url: URL, reach: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Counts bytes that came from outside. */
  count(bytes: number): void;
  /** Has `end` break off this connection too. */
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
