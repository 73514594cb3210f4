import { once } from "node:events";
import { connect, type Socket } from "node:net";

import { describe, expect, it, onTestFinished } from "vitest";

import { textAnswer } from "../../api/answers.ts";
import type { ServerOptions } from "../../api/server.ts";
import { serve } from "./serving.ts";

/** More than the socket buffers hold. */
const large = "documentation ".repeat(1_500_000);

/** A server that records requests; those of /held wait for release(). */
async function start(options: Partial<ServerOptions> = {}) {
  const started: string[] = [];
  const aborted: string[] = [];
  const running = { now: 0, most: 0 };
  const held = Promise.withResolvers<void>();
  const served = await serve(async ({ path, signal }) => {
    started.push(path);
    signal.addEventListener("abort", () => void aborted.push(path));
    running.most = Math.max(running.most, (running.now += 1));
    if (path === "/held") await held.promise;
    else await new Promise((resolve) => setImmediate(resolve));
    running.now -= 1;
    if (path === "/stream") return { status: 200, headers: {}, body: endless() };
    return textAnswer(path === "/large" ? large : `answer to ${path}.`);
  }, options);
  const open = async (more: { allowHalfOpen?: boolean; localAddress?: string } = {}) => {
    const socket = connect({ port: Number(new URL(served.server.url).port), host: "127.0.0.1", ...more });
    onTestFinished(() => void socket.destroy());
    let received = "";
    const closed = new Promise<string>((resolve) => socket.on("close", () => resolve(received)));
    // Resets are expected.
    socket.on("error", () => socket.destroy());
    await once(socket, "connect");
    return {
      socket,
      closed,
      read: () => socket.on("data", (chunk: Buffer) => (received += chunk.toString("latin1"))),
      received: () => received,
    };
  };
  return { ...served, started, aborted, running, release: held.resolve, open };
}

async function* endless(): AsyncGenerator<string> {
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve));
    yield large;
  }
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const isClosed = (socket: Socket): boolean => socket.closed || socket.readableEnded;

describe("requests of one connection", () => {
  it("are answered one after the other, in order", async () => {
    const { open, running } = await start();
    const { socket, read, received } = await open();
    read();
    const paths = Array.from({ length: 30 }, (_, at) => `/${at}`);
    socket.write(paths.map(get).join(""));
    await expect.poll(() => [...received().matchAll(/answer to (\/\d+)\./g)].map(([, path]) => path)).toEqual(paths);
    expect(running.most).toBe(1);
  });

  it("are not started while the client does not read the answers before them", async () => {
    const { open, started, ask } = await start();
    const { socket } = await open();
    socket.write(get("/large").repeat(20));
    await expect.poll(() => started).toEqual(["/large"]);
    for (let others = 0; others < 5; others += 1) expect((await ask("/")).statusCode).toBe(200);
    expect(started.filter((path) => path === "/large")).toHaveLength(1);
  });

  it("are dropped if there are too many, while other clients are served", async () => {
    const { open, started, ask } = await start();
    const { socket, read, closed } = await open();
    read();
    socket.write(get("/many").repeat(1000));
    await closed;
    expect(started.length).toBeLessThanOrEqual(1);
    expect((await ask("/")).bytes.toString()).toBe("answer to /.");
    expect(Error.stackTraceLimit).toBeGreaterThan(0);
  });

  it("are not started after the client has left", async () => {
    const { open, started, release, ask } = await start();
    const { socket } = await open();
    socket.write(get("/held") + get("/waits").repeat(5));
    await expect.poll(() => started).toEqual(["/held"]);
    socket.resetAndDestroy();
    release();
    await ask("/");
    expect(started).toEqual(["/held", "/"]);
  });
});

describe("a client that does not read its answer in time", () => {
  it.each(["/large", "/stream"])("loses the connection: %s", async (path) => {
    const { open, aborted } = await start({ answerTimeout: 100 });
    const { socket } = await open();
    socket.write(get(path));
    await expect.poll(() => aborted).toEqual([path]);
  });

  it("loses it too if it reads single bytes", async () => {
    const { open, aborted } = await start({ answerTimeout: 200 });
    const { socket } = await open();
    const trickle = setInterval(() => socket.read(1), 10);
    onTestFinished(() => clearInterval(trickle));
    socket.on("readable", () => {});
    socket.write(get("/large"));
    await expect.poll(() => aborted).toEqual(["/large"]);
  });

  it("keeps it if only the app is slow", async () => {
    const { open, aborted, release } = await start({ answerTimeout: 50 });
    const { socket, read, received } = await open();
    read();
    socket.write(get("/held"));
    setTimeout(release, 200);
    await expect.poll(received).toContain("answer to /held.");
    expect(aborted).toEqual([]);
  });
});

it("a refused connection is closed even if the client keeps it open", async () => {
  const { open } = await start({ headersTimeout: 50 });
  const { socket, read, received, closed } = await open({ allowHalfOpen: true });
  read();
  socket.write("GET / HTTP/1.1\r\n");
  await once(socket, "end");
  expect(received()).toContain("Timeout: the request was not complete in time");
  const writing = setInterval(() => socket.write("x"), 20);
  onTestFinished(() => clearInterval(writing));
  await closed;
});

describe.each([
  ["in all", { maxConnections: 3 }, "503 Service Unavailable", "service_unavailable"],
  ["of one address", { maxConnectionsPerAddress: 3 }, "429 Too Many Requests", "rate_limit_exceeded"],
])("a maximum of connections %s", (_, options, status, code) => {
  it("is kept by closing the connection that was idle longest", async () => {
    const { open, started } = await start(options);
    const [first, second, third] = [await open(), await open(), await open()];
    for (const one of [first, second, third]) one.read();
    first.socket.write(get("/first"));
    await expect.poll(first.received).toContain("answer to");
    const fourth = await open();
    fourth.read();
    await second.closed;
    fourth.socket.write(get("/fourth"));
    await expect.poll(fourth.received).toContain("answer to");
    expect([first, third, fourth].map(({ socket }) => isClosed(socket))).toEqual([false, false, false]);
    expect(started).toEqual(["/first", "/fourth"]);
  });

  it("never closes a connection with a request; if all have one, the next is refused", async () => {
    const { open, started, release } = await start(options);
    const busy = [await open(), await open(), await open()];
    for (const { socket, read } of busy) {
      read();
      socket.write(get("/held"));
    }
    await expect.poll(() => started).toHaveLength(3);
    const refused = await open();
    refused.read();
    const answer = await refused.closed;
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status}\r\n[^]*\r\nRetry-After: \\d+\r\n[^]*"error":"${code}"`));
    release();
    for (const { received } of busy) await expect.poll(received).toContain("answer to /held.");
    const later = await open();
    later.read();
    later.socket.write(get("/later"));
    await expect.poll(later.received).toContain("answer to /later.");
  });
});

it("the maximum of an address does not affect others, and does not apply to trusted proxies", async () => {
  const { open } = await start({
    maxConnectionsPerAddress: 1,
    isProxy: (address) => address === "127.0.0.3",
  });
  const one = await open({ localAddress: "127.0.0.1" });
  const other = await open({ localAddress: "127.0.0.2" });
  const proxied = [await open({ localAddress: "127.0.0.3" }), await open({ localAddress: "127.0.0.3" })];
  for (const { socket, read, received } of [one, other, ...proxied]) {
    read();
    socket.write(get("/"));
    await expect.poll(received).toContain("answer to /.");
  }
});
