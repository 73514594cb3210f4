import { readFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { median, residentMegabytes } from "../../tools/bench/measure.ts";
import { settings } from "../../cli/config.ts";
import { maxMedianWait } from "../support/max-wait.ts";
import { files, startServers } from "../e2e/setup.ts";

const maximum = Number(settings.maxConnectionsPerAddress.default);
const { git, server, add } = await startServers();
const { hostname, port } = new URL(server.url);
const repository = await git.repository("acme/widgets.git", files);
await add(repository.url);
await server.settled("/acme/widgets");

const attackers = new Set<Socket>();
let round = 0;
afterEach(() => {
  round += 1;
  for (const socket of attackers) socket.destroy();
  attackers.clear();
});

/** A hostile connection, which reads nothing by itself. */
function attacker(): Socket {
  const socket = connect(Number(port), hostname).pause();
  attackers.add(socket);
  // It expects to be cut off.
  socket.on("error", () => socket.destroy());
  socket.on("close", () => attackers.delete(socket));
  return socket;
}

/** Acts every 50 ms while the connection is open. */
function keep(socket: Socket, act: () => void): void {
  const timer = setInterval(act, 50);
  socket.on("close", () => clearInterval(timer));
}

const openapi = "GET /api/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n";

/** Sends many requests at a time and never reads; reconnects when it is cut off. */
function pipelines(): void {
  const begun = round;
  const socket = attacker();
  const write = (): void => void (socket.destroyed || socket.write(openapi.repeat(2000), () => setTimeout(write, 10)));
  socket.on("connect", write);
  socket.on("close", () => setTimeout(() => round === begun && pipelines(), 10));
}

/** Number of the server's connections by proc_net_tcp(5); state 01 is ESTABLISHED. */
async function established(): Promise<number> {
  const local = `:${Number(port).toString(16).toUpperCase().padStart(4, "0")}`;
  const rows = (await readFile("/proc/net/tcp", "utf8")).split("\n").map((row) => row.trim().split(/\s+/));
  return rows.filter(([, address = "", , state]) => address.endsWith(local) && state === "01").length;
}

/** The answer of `health` on a new connection. */
async function health(): Promise<string> {
  const socket = connect(Number(port), hostname);
  socket.write("GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  return text(socket);
}

/** Median wait for `health` in milliseconds, without the delays of this process, and the server's peak memory in MB. */
async function watch(): Promise<{ wait: number; memory: number }> {
  const times: number[] = [];
  let memory = 0;
  for (const end = performance.now() + 1200; performance.now() < end || times.length < 5;) {
    const paused = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 20));
    const late = performance.now() - paused - 20;
    const start = performance.now();
    expect(await health()).toMatch(/^HTTP\/1\.1 200 /);
    times.push(performance.now() - start - late);
    memory = Math.max(memory, await residentMegabytes(server.pid, "now"));
  }
  return { wait: median(times), memory };
}

describe("health answers, and memory is bounded, under", () => {
  it.each<[string, number, () => void, number]>([
    ["20 connections that pipeline and never read", 20, pipelines, 25],
    [
      "20 connections that pipeline no more than they may, and read a byte now and then",
      20,
      () => {
        const socket = attacker();
        socket.on("connect", () => socket.write(openapi.repeat(30)));
        keep(socket, () => socket.read(1));
      },
      25,
    ],
    ["500 connections that say nothing", 500, () => void attacker(), maximum],
    [
      "300 connections that send headers byte by byte",
      300,
      () => {
        const socket = attacker();
        socket.on("connect", () => socket.write("GET /api/health HTTP/1.1\r\nHost: localhost\r\n"));
        keep(socket, () => socket.write("X"));
      },
      maximum,
    ],
  ])("%s", async (_, count, begin, left) => {
    const maxWait = await maxMedianWait(health);
    for (let at = 0; at < count; at += 1) begin();
    const { wait, memory } = await watch();
    expect(wait).toBeLessThan(maxWait);
    expect(memory).toBeLessThan(1000);
    await expect.poll(established).toBeLessThanOrEqual(left);
  });
});

describe("status streams", () => {
  async function newKey(name: string): Promise<string> {
    const { body } = await server.call("POST", "/v2/keys", { name, scopes: ["read"] });
    return (body as { key: string }).key;
  }

  const leaving = new AbortController();
  const open = (key: string): Promise<Response> =>
    fetch(`${server.url}/api/v2/libs/status/stream?libraryId=/acme/widgets`, {
      headers: { Authorization: `Bearer ${key}` },
      signal: leaving.signal,
    });

  it("205 of one key leave some to another", async () => {
    onTestFinished(() => leaving.abort());
    const [greedy, other] = [await newKey("greedy"), await newKey("other")];
    const opened = await Promise.all(Array.from({ length: 205 }, () => open(greedy)));
    const statuses = opened.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(185);
    const stream = await open(other);
    const { value } = (await stream.body?.getReader().read()) ?? {};
    expect(Buffer.from(value ?? []).toString()).toMatch(/^event: status\ndata: /);
  });

  it("do not delay a stop after their clients have left", async () => {
    const started = performance.now();
    await server.kill("SIGTERM");
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
