import { once } from "node:events";
import { connect, type Socket } from "node:net";

import { describe, expect, it, onTestFinished } from "vitest";

import { textAnswer } from "../../api/answers.ts";
import type { ServerOptions } from "../../api/server.ts";
import { serve } from "./serving.ts";

/** More than the kernel takes for a client that does not read. */
const large = "documentation ".repeat(1_500_000);

/** A server whose app counts what it is asked, and waits where the test wants it to. */
async function start(options: Partial<ServerOptions> = {}) {
  const asked: string[] = [];
  const gone: string[] = [];
  const atOnce = { now: 0, most: 0 };
  const held = Promise.withResolvers<void>();
  const served = await serve(async ({ path, signal }) => {
    asked.push(path);
    signal.addEventListener("abort", () => void gone.push(path));
    atOnce.most = Math.max(atOnce.most, (atOnce.now += 1));
    if (path === "/held") await held.promise;
    else await new Promise((resolve) => setImmediate(resolve));
    atOnce.now -= 1;
    if (path === "/stream") return { status: 200, headers: {}, body: endless() };
    return textAnswer(path === "/large" ? large : `answer to ${path}.`);
  }, options);
  const open = async (more: { allowHalfOpen?: boolean; localAddress?: string } = {}) => {
    const socket = connect({ port: Number(new URL(served.server.url).port), host: "127.0.0.1", ...more });
    onTestFinished(() => void socket.destroy());
    let got = "";
    const closed = new Promise<string>((resolve) => socket.on("close", () => resolve(got)));
    // Being cut off is what these tests are about.
    socket.on("error", () => socket.destroy());
    await once(socket, "connect");
    return {
      socket,
      closed,
      read: () => socket.on("data", (chunk: Buffer) => (got += chunk.toString("latin1"))),
      got: () => got,
    };
  };
  return { ...served, asked, gone, atOnce, release: held.resolve, open };
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
  it("are answered one after the other, in their order", async () => {
    const { open, atOnce } = await start();
    const { socket, read, got } = await open();
    read();
    const paths = Array.from({ length: 30 }, (_, at) => `/${at}`);
    socket.write(paths.map(get).join(""));
    await expect.poll(() => [...got().matchAll(/answer to (\/\d+)\./g)].map(([, path]) => path)).toEqual(paths);
    expect(atOnce.most).toBe(1);
  });

  it("are not begun while the client does not take the answers before them", async () => {
    const { open, asked, ask } = await start();
    const { socket } = await open();
    socket.write(get("/large").repeat(20));
    await expect.poll(() => asked).toEqual(["/large"]);
    for (let others = 0; others < 5; others += 1) expect((await ask("/")).statusCode).toBe(200);
    expect(asked.filter((path) => path === "/large")).toHaveLength(1);
  });

  it("are not answered where there are too many ahead, and others are", async () => {
    const { open, asked, ask } = await start();
    const { socket, read, closed } = await open();
    read();
    socket.write(get("/many").repeat(1000));
    await closed;
    expect(asked.length).toBeLessThanOrEqual(1);
    expect((await ask("/")).bytes.toString()).toBe("answer to /.");
    expect(Error.stackTraceLimit).toBeGreaterThan(0);
  });

  it("that wait when the client goes are not begun", async () => {
    const { open, asked, release, ask } = await start();
    const { socket } = await open();
    socket.write(get("/held") + get("/waits").repeat(5));
    await expect.poll(() => asked).toEqual(["/held"]);
    socket.resetAndDestroy();
    release();
    await ask("/");
    expect(asked).toEqual(["/held", "/"]);
  });
});

describe("a client that does not take its answer in time", () => {
  it.each(["/large", "/stream"])("loses the connection: %s", async (path) => {
    const { open, gone } = await start({ answerTimeout: 100 });
    const { socket } = await open();
    socket.write(get(path));
    await expect.poll(() => gone).toEqual([path]);
  });

  it("loses it too where it takes a byte now and then", async () => {
    const { open, gone } = await start({ answerTimeout: 200 });
    const { socket } = await open();
    const trickle = setInterval(() => socket.read(1), 10);
    onTestFinished(() => clearInterval(trickle));
    socket.on("readable", () => {});
    socket.write(get("/large"));
    await expect.poll(() => gone).toEqual(["/large"]);
  });

  it("keeps it where only the app is slow", async () => {
    const { open, gone, release } = await start({ answerTimeout: 50 });
    const { socket, read, got } = await open();
    read();
    socket.write(get("/held"));
    setTimeout(release, 200);
    await expect.poll(got).toContain("answer to /held.");
    expect(gone).toEqual([]);
  });
});

it("a connection that was refused is closed also where the client leaves it open", async () => {
  const { open } = await start({ headersTimeout: 50 });
  const { socket, read, got, closed } = await open({ allowHalfOpen: true });
  read();
  socket.write("GET / HTTP/1.1\r\n");
  await once(socket, "end");
  expect(got()).toContain("Timeout: the request was not complete in time");
  const writing = setInterval(() => socket.write("x"), 20);
  onTestFinished(() => clearInterval(writing));
  await closed;
});

describe.each([
  ["in all", { maxConnections: 3 }, "503 Service Unavailable", "service_unavailable"],
  ["of one address", { maxConnectionsPerAddress: 3 }, "429 Too Many Requests", "rate_limit_exceeded"],
])("a maximum of connections %s", (_, options, status, code) => {
  it("is kept by closing the one that has been idle for longest", async () => {
    const { open, asked } = await start(options);
    const [first, second, third] = [await open(), await open(), await open()];
    for (const one of [first, second, third]) one.read();
    first.socket.write(get("/first"));
    await expect.poll(first.got).toContain("answer to");
    const fourth = await open();
    fourth.read();
    await second.closed;
    fourth.socket.write(get("/fourth"));
    await expect.poll(fourth.got).toContain("answer to");
    expect([first, third, fourth].map(({ socket }) => isClosed(socket))).toEqual([false, false, false]);
    expect(asked).toEqual(["/first", "/fourth"]);
  });

  it("never closes one with a request; where all have one, the next is refused", async () => {
    const { open, asked, release } = await start(options);
    const busy = [await open(), await open(), await open()];
    for (const { socket, read } of busy) {
      read();
      socket.write(get("/held"));
    }
    await expect.poll(() => asked).toHaveLength(3);
    const refused = await open();
    refused.read();
    const answer = await refused.closed;
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status}\r\n[^]*\r\nRetry-After: \\d+\r\n[^]*"error":"${code}"`));
    release();
    for (const { got } of busy) await expect.poll(got).toContain("answer to /held.");
    const later = await open();
    later.read();
    later.socket.write(get("/later"));
    await expect.poll(later.got).toContain("answer to /later.");
  });
});

it("the maximum of one address is not that of another, nor of a trusted proxy", async () => {
  const { open } = await start({
    maxConnectionsPerAddress: 1,
    isProxy: (address) => address === "127.0.0.3",
  });
  const one = await open({ localAddress: "127.0.0.1" });
  const other = await open({ localAddress: "127.0.0.2" });
  const proxied = [await open({ localAddress: "127.0.0.3" }), await open({ localAddress: "127.0.0.3" })];
  for (const { socket, read, got } of [one, other, ...proxied]) {
    read();
    socket.write(get("/"));
    await expect.poll(got).toContain("answer to /.");
  }
});
