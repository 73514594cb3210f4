import { once } from "node:events";
import { createServer as createHttpServer, request, type IncomingMessage } from "node:http";
import { connect, createServer, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { openGuardedProxy, type GuardedProxy } from "../../../sources/lib/browser/guarded-proxy.ts";
import { createEgress } from "../../../sources/lib/browser/egress.ts";
import { createGuard } from "../../../sources/lib/fetch/guard.ts";
import type { ProxySettings } from "../../../sources/lib/fetch/proxy.ts";
import { listen, serve } from "../fetch/setup.ts";

const noProxies: ProxySettings = { http: undefined, https: undefined, except: "" };

async function open(allow: readonly string[], proxies = noProxies) {
  const way = createEgress({ guard: createGuard({ allow }), proxies, resolveLocally: false });
  const proxy = await openGuardedProxy(way);
  onTestFinished(() => proxy.close());
  const exceeded: string[] = [];
  return { proxy, exceeded, begin: () => proxy.begin(1_000_000, ({ message }) => exceeded.push(message)) };
}

const credentials = ({ access: { username, password } }: GuardedProxy): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;

/** Sends a request with an absolute URL through the proxy; "broken off" if it closes the connection. */
async function ask(proxy: GuardedProxy, url: string, headers: Record<string, string> = {}) {
  const { hostname, port } = new URL(proxy.access.url);
  const asking = request({ hostname, port, path: url, headers: { host: new URL(url).host, ...headers } }).end();
  try {
    const [answer] = (await once(asking, "response")) as [IncomingMessage];
    const body = Buffer.concat(await Array.fromAsync(answer as AsyncIterable<Buffer>)).toString();
    return { status: answer.statusCode, headers: answer.headers, body };
  } catch {
    return "broken off";
  }
}

/** Asks for a tunnel; returns the status and the connection. */
async function tunnel(proxy: GuardedProxy, target: string, authorization = credentials(proxy)) {
  const { hostname, port } = new URL(proxy.access.url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\nproxy-authorization: ${authorization}\r\n\r\n`);
  const [head] = (await Promise.race([once(socket, "data"), once(socket, "close").then(() => [""])])) as [
    Buffer | string,
  ];
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head.toString())?.[1] ?? 0), socket };
}

it("forwards what the guard lets through, without the proxy's own headers", async () => {
  const seen: unknown[] = [];
  const host = await serve(({ url, headers }, response) => {
    seen.push([url, headers["proxy-authorization"], headers["x-own"]]);
    response.writeHead(418, { "x-answer": "yes", "set-cookie": ["a=1", "b=2"] }).end("body");
  });
  const { proxy, begin } = await open([host]);
  begin();
  const headers = { "proxy-authorization": credentials(proxy), "x-own": "kept" };
  const answer = await ask(proxy, `http://${host}/path?query`, headers);
  expect(answer).toMatchObject({
    status: 418,
    body: "body",
    headers: { "x-answer": "yes", "set-cookie": ["a=1", "b=2"] },
  });
  expect(seen).toEqual([["/path?query", undefined, "kept"]]);
  const { status, socket } = await tunnel(proxy, host);
  expect(status).toBe(200);
  socket.write(`GET /tunnelled HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  const [head] = (await once(socket, "data")) as [Buffer];
  expect(head.toString()).toMatch(/^HTTP\/1\.1 418/);
});

it("refuses requests without the password, and all requests between two pages", async () => {
  const host = await serve((_, response) => void response.end("reached"));
  const { proxy, begin } = await open([host]);
  const right = { "proxy-authorization": credentials(proxy) };
  expect(await ask(proxy, `http://${host}/`, right)).toBe("broken off");
  const traffic = begin();
  for (const wrong of [{}, { "proxy-authorization": "Basic YTpi" }])
    expect(await ask(proxy, `http://${host}/`, wrong)).toMatchObject({ status: 407, body: "" });
  expect((await tunnel(proxy, host, "Basic YTpi")).status).toBe(407);
  expect(await ask(proxy, `http://${host}/`, right)).toMatchObject({ body: "reached" });
  traffic.end();
  expect(await ask(proxy, `http://${host}/`, right)).toBe("broken off");
  expect((await tunnel(proxy, host)).status).toBe(0);
});

it("breaks off what the guard refuses, and says why", async () => {
  let reached = 0;
  const canary = await listen(createServer(() => void (reached += 1)));
  const { proxy, begin } = await open([]);
  const traffic = begin();
  const authorization = { "proxy-authorization": credentials(proxy) };
  const port = canary.split(":")[1] ?? "";
  for (const name of ["127.0.0.1", "localhost", "127.1", "0x7f.0.0.1", "2130706433", "[::1]", "[::ffff:127.0.0.1]"]) {
    expect(await ask(proxy, `http://${name}:${port}/`, authorization), name).toBe("broken off");
    expect((await tunnel(proxy, `${name}:${port}`)).status, name).toBe(0);
    expect(traffic.failureOf(new URL(`http://${name}:${port}/`)), name).toMatchObject({ code: "address_not_allowed" });
  }
  for (const wrong of ["user@127.0.0.1:80", "127.0.0.1", "x/y:80", ""])
    expect((await tunnel(proxy, wrong)).status, wrong).not.toBe(200);
  expect(reached).toBe(0);
});

it("stops a page that loads more than it may, and reports that once", async () => {
  const host = await serve((_, response) => {
    const write = (): void =>
      void (response.destroyed || response.write(Buffer.alloc(100_000), () => setImmediate(write)));
    write();
  });
  const { proxy, begin, exceeded } = await open([host]);
  begin();
  const authorization = { "proxy-authorization": credentials(proxy) };
  const answers = await Promise.all([1, 2].map(() => ask(proxy, `http://${host}/`, authorization)));
  expect(answers).toEqual(["broken off", "broken off"]);
  expect(exceeded).toEqual([expect.stringMatching(/more than 1000000 bytes/)]);
});

it("goes through the deployment's proxy with its password, after the checks that need no lookup", async () => {
  const requests: unknown[] = [];
  const outer = createHttpServer((incoming, response) => {
    requests.push([incoming.method, incoming.url, incoming.headers["proxy-authorization"]]);
    response.end("by the outer proxy");
  });
  outer.on("connect", ({ method, url, headers }: IncomingMessage, socket: Socket) => {
    requests.push([method, url, headers["proxy-authorization"]]);
    socket.end(url === "refused.test:443" ? "HTTP/1.1 403 No\r\n\r\n" : "HTTP/1.1 200 OK\r\n\r\ntunnelled");
  });
  const address = `http://user:p%40ss@${await listen(outer)}`;
  onTestFinished(() => void outer.close());
  const { proxy, begin } = await open([], { http: address, https: address, except: "" });
  const traffic = begin();
  const authorization = { "proxy-authorization": credentials(proxy) };
  expect(await ask(proxy, "http://docs.test/a?b", authorization)).toMatchObject({ body: "by the outer proxy" });
  const { status, socket } = await tunnel(proxy, "docs.test:443");
  expect(status).toBe(200);
  socket.destroy();
  expect((await tunnel(proxy, "refused.test:443")).status).toBe(0);
  expect(traffic.failureOf(new URL("https://refused.test/"))?.message).toContain("403");
  expect(await ask(proxy, "http://10.0.0.1/", authorization)).toBe("broken off");
  const password = `Basic ${Buffer.from("user:p@ss").toString("base64")}`;
  expect(requests).toEqual([
    ["GET", "http://docs.test/a?b", password],
    ["CONNECT", "docs.test:443", password],
    ["CONNECT", "refused.test:443", password],
  ]);
});
