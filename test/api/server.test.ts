import { once } from "node:events";
import { connect } from "node:net";
import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

import { pino } from "pino";
import { Pool } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";

import { jsonAnswer, textAnswer, type ApiAnswer } from "../../api/answers.ts";
import { createDispatcher } from "../../api/http.ts";
import type { ApiRequest } from "../../api/request.ts";
import type { Route } from "../../api/route.ts";
import { stillHeld } from "../support/collected.ts";
import { codePassage } from "./samples.ts";
import { serve } from "./serving.ts";
import { adminKey, setup } from "./setup.ts";

type App = (request: ApiRequest) => Promise<ApiAnswer>;

async function serveApi() {
  const world = await setup({ loopback: true, publicUrl: "https://docs.example.com" });
  return { ...world, ...(await serve(world.app)) };
}

/** An app with one route, which takes a body of up to 1000 bytes. */
async function echo(): Promise<App> {
  const { options } = await setup();
  const handler: Route["handler"] = async ({ request }) =>
    jsonAnswer({ got: Buffer.from(await request.readBody(1000)).toString() });
  const about = { operationId: "echo", tag: "Server", summary: "Echo" } as const;
  return createDispatcher(
    [{ method: "POST", path: "/", scope: "open", limit: null, about, answers: {}, handler }],
    options,
  );
}

const long = "documentation ".repeat(500);

describe("the server", () => {
  it("answers GET, and HEAD with the same headers and no body", async () => {
    const { ask, submit, finish } = await serveApi();
    await finish(await submit("/acme/widgets"), [codePassage]);
    const path = "/api/v2/context?libraryId=%2Facme%2Fwidgets&query=widget";
    const [get, head] = [await ask(path), await ask(path, { method: "HEAD" })];
    expect([get.statusCode, head.statusCode]).toEqual([200, 200]);
    expect(get.bytes.toString()).toContain("### Widgets > Create a widget");
    expect(head.bytes).toHaveLength(0);
    for (const name of ["content-length", "content-type", "etag", "cache-control", "vary"]) {
      expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
    }
  });

  it("accepts JSON bodies, and answers malformed ones, large ones and other types with an error body", async () => {
    const { ask } = await serveApi();
    const post = (body: string, type = "application/json") =>
      ask("/api/v1/refresh", {
        method: "POST",
        headers: { authorization: `Bearer ${adminKey}`, "content-type": type },
        body,
      });
    const statusAndError = async (answer: ReturnType<typeof post>) => {
      const { statusCode, bytes } = await answer;
      return [statusCode, (JSON.parse(bytes.toString()) as { error: string }).error];
    };
    expect(await statusAndError(post('{"libraryName":"/a/b"}'))).toEqual([404, "library_not_found"]);
    expect(await statusAndError(post("{"))).toEqual([400, "validation_error"]);
    expect(await statusAndError(post("{}", "text/plain"))).toEqual([415, "unsupported_media_type"]);
    expect(await statusAndError(post(`{"x":"${"x".repeat(1_100_000)}"}`))).toEqual([413, "payload_too_large"]);
  });

  it("limits chunked bodies too", async () => {
    const { raw } = await serve(await echo());
    const chunk = `400\r\n${"x".repeat(1024)}\r\n`;
    const head = "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
    const answer = await raw(head, chunk, "0\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('"error":"payload_too_large"');
  });

  it("has timeouts for bodies and headers", async () => {
    const { raw } = await serve(await echo(), { bodyTimeout: 100, headersTimeout: 150 });
    const slow = raw("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
    expect(await slow).toMatch(
      /^HTTP\/1\.1 400 [^]*"error":"validation_error","message":"Timeout: the body was not complete/,
    );
    expect(await raw("GET / HTTP/1.1\r\nHost: x\r\n")).toMatch(
      /^HTTP\/1\.1 400 [^]*Timeout: the request was not complete in time/,
    );
  });

  it.each([
    ["garbage", "\x16\x03\x01 garbage\r\n\r\n"],
    ["a target with a space", "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["no Host", "GET / HTTP/1.1\r\n\r\n"],
    ["too many headers", `GET / HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(20_000)}\r\n\r\n`],
    ["a query of 20,000 characters", `GET /?query=${"x".repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ["two lengths", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx"],
    ["length and chunks", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nx"],
    ["a target of other bytes", "GET /\xff HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"],
  ])("answers 400 with an error body to %s, and keeps running", async (_, text) => {
    const { raw, ask } = await serve(async () => textAnswer("well"));
    const answer = await raw(text.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toMatch(/\{"error":"validation_error","message":"[^"]+\."\}/);
    expect(answer).toMatch(/\r\nX-Request-Id: [\da-f-]{36}\r\n/);
    expect((await ask("/")).bytes.toString()).toBe("well");
  });

  it("answers 405 with an error body to CONNECT, and keeps running", async () => {
    const { raw, ask } = await serve(async () => textAnswer("well"));
    const answer = await raw("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
    expect(answer).toMatch(/\r\nAllow: GET, /);
    expect(answer).toMatch(/\{"error":"method_not_allowed","message":"[^"]+\."\}$/);
    expect((await ask("/")).bytes.toString()).toBe("well");
  });

  it.each(["websocket", "h2c"])("ignores an upgrade to %s", async (protocol) => {
    const { raw } = await serve(async () => textAnswer("well"));
    const offer = `Upgrade: ${protocol}\r\nConnection: Upgrade, close`;
    expect(await raw(`GET / HTTP/1.1\r\nHost: x\r\n${offer}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*well$/);
  });

  it("accepts the absolute form, and uses its host", async () => {
    const { raw } = await serve(async ({ path, query, headers }) =>
      jsonAnswer({ path, q: query.get("q"), host: headers["host"] }),
    );
    const answer = await raw("GET http://real.example/a?q=1 HTTP/1.1\r\nHost: fake\r\nConnection: close\r\n\r\n");
    expect(answer).toContain('{"path":"/a","q":"1","host":"real.example"}');
  });

  it("serves new connections while others send requests continuously", async () => {
    const clients = 100;
    const { server } = await serve(async () => textAnswer("here"));
    const open = (): Pool => {
      const pool = new Pool(server.url, { connections: clients });
      onTestFinished(() => pool.destroy());
      return pool;
    };
    const ask = async (pool: Pool): Promise<void> => {
      const { body } = await pool.request({ path: "/", method: "GET" });
      await body.dump();
    };
    const all = Array.from({ length: clients }, (_, client) => client);
    const answers = all.map(() => 0);
    let done = false;
    const busy = open();
    const asking = all.map(async (client) => {
      for (; !done; answers[client] = (answers[client] ?? 0) + 1) await ask(busy);
    });
    while (answers.includes(0)) await pause(1);
    const before = [...answers];
    const fresh = open();
    await Promise.all(all.map(() => ask(fresh)));
    done = true;
    await Promise.all(asking);
    // A new connection and its request take one turn each, so the others get about two answers meanwhile.
    const meanwhile = answers.map((count, client) => count - (before[client] ?? 0));
    expect(Math.max(...meanwhile)).toBeLessThan(10);
  });

  it("does not start requests whose clients left while they waited", async () => {
    let started = 0;
    const { ask, server } = await serve(async ({ path }) => {
      if (path === "/gone") {
        started += 1;
        for (const socket of sockets) socket.resetAndDestroy();
      }
      return textAnswer("here");
    });
    const sockets = Array.from({ length: 100 }, () => connect(Number(new URL(server.url).port), "127.0.0.1"));
    const all = async (path: string, event: "data" | "close"): Promise<void> => {
      for (const socket of sockets) socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await Promise.all(sockets.map((socket) => once(socket, event)));
    };
    await all("/", "data");
    await all("/gone", "close");
    expect((await ask("/")).statusCode).toBe(200);
    expect(started).toBeGreaterThan(0);
    expect(started).toBeLessThan(50);
  });

  it("survives clients that vanish and an app that throws", async () => {
    let logged = "";
    const log = pino({ level: "error" }, { write: (line: string) => void (logged += line) });
    const { ask, server } = await serve(
      async ({ path, signal }) => {
        if (path === "/throws") throw new Error("secret");
        if (path === "/gone") await new Promise((resolve) => signal.addEventListener("abort", resolve));
        return textAnswer("well");
      },
      { log },
    );
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    socket.write("GET /gone HTTP/1.1\r\nHost: x\r\n\r\n");
    await pause(50);
    socket.resetAndDestroy();
    const thrown = await ask("/throws");
    expect(thrown.statusCode).toBe(500);
    expect(thrown.bytes.toString()).toMatch(/"error":"internal_error"/);
    expect(thrown.bytes.toString()).not.toContain("secret");
    expect(logged).toContain("secret");
    expect(logged).toContain(`"requestId":"${String(thrown.headers["x-request-id"])}"`);
    expect((await ask("/")).statusCode).toBe(200);
  });
});

describe("compression", () => {
  it.each([
    ["br, gzip", "br"],
    ["gzip", "gzip"],
    ["gzip;q=1, br;q=0", "gzip"],
    ["identity", undefined],
    ["deflate", undefined],
    [undefined, undefined],
  ])("for Accept-Encoding %s is %s", async (accept, encoding) => {
    const { ask } = await serve(async () => textAnswer(long, { Vary: "Authorization" }));
    const { headers, bytes } = await ask("/", {
      ...(accept !== undefined && { headers: { "accept-encoding": accept } }),
    });
    expect([headers["content-encoding"], headers["vary"]]).toEqual([encoding, "Authorization, Accept-Encoding"]);
    const plain = encoding === "br" ? brotliDecompressSync(bytes) : encoding === "gzip" ? gunzipSync(bytes) : bytes;
    expect(plain.toString()).toBe(long);
    expect(headers["content-length"]).toBe(String(bytes.length));
  });

  it("leaves small bodies alone", async () => {
    const { ask } = await serve(async () => jsonAnswer({ small: true }));
    const { headers } = await ask("/", { headers: { "accept-encoding": "br" } });
    expect(headers["content-encoding"]).toBeUndefined();
  });
});

describe("closing", () => {
  it("waits for requests in flight, and accepts no others", async () => {
    const received = Promise.withResolvers<void>();
    const { server, ask } = await serve(async () => {
      received.resolve();
      await pause(150);
      return textAnswer("done");
    });
    const inFlight = ask("/");
    await received.promise;
    const closed = server.close();
    await expect(ask("/other")).rejects.toThrow(/ECONNREFUSED|other side closed|ECONNRESET/);
    const answer = await inFlight;
    expect([answer.bytes.toString(), answer.headers["connection"]]).toEqual(["done", "close"]);
    await closed;
  });

  it("answers new connections and those that are open while it drains, and asks them to close", async () => {
    const { server, ask } = await serve(async () => textAnswer("done"), { drainTime: 400 });
    expect((await ask("/")).headers["connection"]).toBe("keep-alive");
    const closed = server.close();
    for (const { bytes, headers } of [await ask("/"), await ask("/")])
      expect([bytes.toString(), headers["connection"]]).toEqual(["done", "close"]);
    await closed;
    await expect(ask("/")).rejects.toThrow(/ECONNREFUSED/);
  });

  it("is quick with idle and half-open connections", async () => {
    const { server, ask } = await serve(async () => textAnswer("done"));
    await ask("/");
    const half = connect(Number(new URL(server.url).port), "127.0.0.1");
    half.on("error", () => half.destroy());
    await new Promise((resolve) => half.once("connect", resolve));
    const started = performance.now();
    await server.close();
    expect(performance.now() - started).toBeLessThan(1000);
  });

  it("aborts a request after the deadline", async () => {
    const { server, ask } = await serve(() => new Promise<ApiAnswer>(() => {}), { closeDeadline: 100 });
    const lost = ask("/").catch((error: Error) => error.message);
    await pause(50);
    await server.close();
    expect(await lost).toMatch(/other side closed|ECONNRESET/);
  });

  it("ends streams of events", async () => {
    const { server, submit } = await serveApi();
    await submit("/acme/widgets");
    const answer = await fetch(`${server.url}/api/v2/libs/status/stream?libraryId=/acme/widgets`, {
      headers: { authorization: `Bearer ${adminKey}` },
    });
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    const reader = answer.body?.getReader();
    const first = await reader?.read();
    expect(Buffer.from(first?.value ?? []).toString()).toMatch(/^event: status\ndata: /);
    const started = performance.now();
    await server.close();
    expect((await reader?.read())?.done).toBe(true);
    expect(performance.now() - started).toBeLessThan(500);
  });
});

it("fails with the reason if it cannot listen", async () => {
  const { server } = await serve(await echo());
  const port = Number(new URL(server.url).port);
  await expect(serve(await echo(), { port })).rejects.toThrow("EADDRINUSE");
});

it("releases the request of a client that left before its stream started", async () => {
  const gates: PromiseWithResolvers<void>[] = [];
  const signals: WeakRef<object>[] = [];
  const { server } = await serve(async ({ signal }) => {
    signals.push(new WeakRef(signal));
    const gate = Promise.withResolvers<void>();
    gates.push(gate);
    await gate.promise;
    return { status: 200, headers: {}, body: Readable.from(["event: status\n\n"]) };
  });
  const { port } = new URL(server.url);
  for (let number = 1; number <= 10; number += 1) {
    const socket = connect(Number(port), "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    await expect.poll(() => gates.length).toBe(number);
    const closed = once(socket, "close");
    socket.destroy();
    await closed;
    // Until the server has noticed.
    await pause(20);
    gates[number - 1]?.resolve();
  }
  await pause(50);
  expect(await stillHeld(signals)).toBeLessThan(3);
});
