import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, STATUS_CODES, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Failure } from "../../../domain/failures.ts";
import type { ProxyAccess } from "./messages.ts";
import { recordTraffic, type Traffic, type TrafficRecord } from "./traffic.ts";
import type { WayOut } from "./way-out.ts";

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
