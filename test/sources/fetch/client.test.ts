import { createServer as createTcpServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { createGuard } from "../../../sources/lib/fetch/guard.ts";
import { clientFor, listen, serve } from "./setup.ts";

/** A server that writes these bytes to every connection and keeps it open. */
async function serveRaw(write: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("data", () => write(socket));
  });
  const host = await listen(server);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return host;
}

describe("requests", () => {
  it("bring status, headers, final address and body, whatever the status", async () => {
    const host = await serve(async (request, response) => {
      response.writeHead(404, { "x-method": request.method, "x-agent": request.headers["user-agent"] });
      response.end(`got ${await text(request)}`);
    });
    const answer = await clientFor([host]).request(new URL(`http://${host}/a?b`), { method: "POST", body: "hello" });
    expect(answer).toMatchObject({ status: 404, headers: { "x-method": "POST", "x-agent": "Lectern test" } });
    expect(answer.url.href).toBe(`http://${host}/a?b`);
    expect(await answer.text()).toBe("got hello");
  });

  it.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
    ["zstd", zstdCompressSync],
  ])("undo the encoding %s, requested or not", async (encoding, compress) => {
    const host = await serve((_request, response) =>
      response.writeHead(200, { "content-encoding": encoding }).end(compress("plain text")),
    );
    const answer = await clientFor([host]).request(new URL(`http://${host}/`));
    expect(await answer.text()).toBe("plain text");
  });

  it("are sent again if the connection breaks before the response, unless they have a body", async () => {
    const asked: string[] = [];
    const host = await serve((request, response) => {
      asked.push(request.method ?? "");
      if (asked.length < 3) request.socket.destroy();
      else response.end("at last");
    });
    const client = clientFor([host]);
    expect(await (await client.request(new URL(`http://${host}/`))).text()).toBe("at last");
    expect(asked).toEqual(["GET", "GET", "GET"]);
    asked.length = 0;
    const post = client.request(new URL(`http://${host}/`), { method: "POST", body: "order" });
    await expect(post).rejects.toMatchObject({ code: "source_unreachable" });
    expect(asked).toEqual(["POST"]);
  });

  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateRawSync],
    ["zstd", zstdCompressSync],
  ])("stop at the cap of the decompressed body: %s", async (encoding, compress) => {
    const host = await serve((_request, response) =>
      response.writeHead(200, { "content-encoding": encoding }).end(compress(Buffer.alloc(10_000_000))),
    );
    const answer = await clientFor([host]).request(new URL(`http://${host}/`), { maxBytes: 1_000_000 });
    await expect(answer.text()).rejects.toMatchObject({ code: "library_too_large" });
  });

  it.each(["gzip", "gzip, gzip"])("count compressed bytes if nothing is unpacked from them: %s", async (encoding) => {
    const nothing = Buffer.concat(Array.from({ length: 5000 }, () => gzipSync("")));
    const host = await serve((_request, response) => {
      response.writeHead(200, { "content-encoding": encoding });
      const more = encoding === "gzip" ? nothing : gzipSync(Buffer.concat(Array.from({ length: 20 }, () => nothing)));
      const send = (): void => void (response.destroyed || response.write(more, send));
      send();
    });
    const answer = await clientFor([host]).request(new URL(`http://${host}/`), { maxBytes: 1_000_000 });
    await expect(answer.text()).rejects.toMatchObject({ code: "library_too_large" });
  });

  it("refuse bodies in unknown encodings, and broken ones", async () => {
    const host = await serve((request, response) =>
      response.writeHead(200, { "content-encoding": request.url?.slice(1) }).end("neither of them"),
    );
    const client = clientFor([host]);
    await expect(client.request(new URL(`http://${host}/rot13`))).rejects.toMatchObject({ code: "source_invalid" });
    for (const encoding of ["gzip", "deflate", "zstd"]) {
      const broken = await client.request(new URL(`http://${host}/${encoding}`));
      await expect(broken.text()).rejects.toMatchObject({ code: "source_invalid" });
    }
  });

  it("connect to the address that was checked, not to one resolved anew", async () => {
    const host = await serve((request, response) => response.end(request.headers.host));
    const port = host.split(":")[1] ?? "";
    let lookups = 0;
    const guard = createGuard({
      allow: [`docs.example.com:${port}`],
      lookup: async () => [{ address: lookups++ === 0 ? "127.0.0.1" : "192.0.2.1", family: 4 }],
    });
    const answer = await clientFor([], { guard }).request(new URL(`http://docs.example.com:${port}/`));
    expect(await answer.text()).toBe(`docs.example.com:${port}`);
    expect(lookups).toBe(1);
  });

  it("never reach a private address, by number or by name", async () => {
    let reached = 0;
    const host = await serve((_request, response) => response.end(String(reached++)));
    const port = host.split(":")[1] ?? "";
    const guard = createGuard({ allow: [], lookup: async () => [{ address: "127.0.0.1", family: 4 }] });
    const client = clientFor([], { guard });
    for (const name of ["127.0.0.1", "2130706433", "[::ffff:127.0.0.1]", "rebind.example.com"])
      await expect(client.request(new URL(`http://${name}:${port}/`))).rejects.toMatchObject({
        code: "address_not_allowed",
      });
    await expect(client.request(new URL("http://rebind.example.com:8080/"))).rejects.toMatchObject({
      code: "address_not_allowed",
    });
    expect(reached).toBe(0);
  });
});

describe("redirects", () => {
  it("are followed with the method and body they ask for", async () => {
    const host = await serve(async (request, response) => {
      const status = Number(request.url?.slice(1));
      if (status > 0) response.writeHead(status, { location: "/end" }).end("moved");
      else response.end(`${request.method} ${await text(request)} ${request.headers["content-type"] ?? "-"}`);
    });
    const client = clientFor([host]);
    const ask = async (status: number): Promise<string> => {
      const headers = { "content-type": "text/plain" };
      const url = new URL(`http://${host}/${status}`);
      return (await client.request(url, { method: "POST", body: "hello", headers })).text();
    };
    expect(await ask(302)).toBe("GET  -");
    expect(await ask(303)).toBe("GET  -");
    expect(await ask(307)).toBe("POST hello text/plain");
    expect(await ask(308)).toBe("POST hello text/plain");
  });

  it("drop credentials on the way to another origin", async () => {
    const other = await serve((request, response) => response.end(JSON.stringify(request.headers)));
    const host = await serve((request, response) =>
      request.url === "/far"
        ? response.writeHead(302, { location: `http://${other}/` }).end()
        : request.url === "/near"
          ? response.writeHead(302, { location: "/here" }).end()
          : response.end(JSON.stringify(request.headers)),
    );
    const client = clientFor([host, other]);
    const headers = { authorization: "Basic c2VjcmV0", "private-token": "secret", accept: "text/markdown" };
    const far = JSON.parse(await (await client.request(new URL(`http://${host}/far`), { headers })).text());
    expect(far).toMatchObject({ accept: "text/markdown" });
    expect(JSON.stringify(far)).not.toMatch(/secret|c2VjcmV0/);
    const near = JSON.parse(await (await client.request(new URL(`http://${host}/near`), { headers })).text());
    expect(near).toMatchObject(headers);
  });

  it("are checked at every hop", async () => {
    let reached = 0;
    const inner = await serve((_request, response) => response.end(String(reached++)));
    const host = await serve((_request, response) => response.writeHead(302, { location: `http://${inner}/` }).end());
    const fileHost = await serve((_request, response) =>
      response.writeHead(302, { location: "file:///etc/passwd" }).end(),
    );
    const client = clientFor([host, fileHost]);
    await expect(client.request(new URL(`http://${host}/`))).rejects.toMatchObject({ code: "address_not_allowed" });
    await expect(client.request(new URL(`http://${fileHost}/`))).rejects.toMatchObject({ code: "validation_error" });
    expect(reached).toBe(0);
  });

  it("end after as many as are allowed", async () => {
    let asked = 0;
    const host = await serve((_request, response) => response.writeHead(302, { location: `/${asked++}` }).end());
    const client = clientFor([host]);
    await expect(client.request(new URL(`http://${host}/`))).rejects.toMatchObject({ code: "source_invalid" });
    expect(asked).toBe(6);
    await expect(client.request(new URL(`http://${host}/`), { maxRedirects: 0 })).rejects.toMatchObject({
      code: "source_invalid",
    });
    expect(asked).toBe(7);
  });
});

describe("servers that misbehave", () => {
  it("are out of reach when they refuse connections", async () => {
    const server = createTcpServer();
    const host = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    await expect(clientFor([host]).request(new URL(`http://${host}/`))).rejects.toMatchObject({
      code: "source_unreachable",
      message: expect.stringContaining(host),
    });
  });

  it("are invalid when they speak something else than HTTP", async () => {
    const host = await serveRaw((socket) => socket.write("SSH-2.0-OpenSSH_9.6\r\n\r\n"));
    await expect(clientFor([host]).request(new URL(`http://${host}/`))).rejects.toMatchObject({
      code: "source_invalid",
    });
  });

  it("are invalid when they offer no TLS", async () => {
    const host = await serveRaw((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    await expect(clientFor([host]).request(new URL(`https://${host}/`))).rejects.toMatchObject({
      code: "source_invalid",
    });
  });

  it("are out of reach when they never answer", async () => {
    const host = await serveRaw(() => undefined);
    const client = clientFor([host], { headersTimeout: 50 });
    await expect(client.request(new URL(`http://${host}/`))).rejects.toMatchObject({ code: "source_unreachable" });
  });

  it("are out of reach when they stop in the middle of a body", async () => {
    const host = await serveRaw((socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf"));
    const answer = await clientFor([host], { bodyTimeout: 50 }).request(new URL(`http://${host}/`));
    await expect(answer.text()).rejects.toMatchObject({ code: "source_unreachable" });
  });

  it("are out of reach when they drip bytes, but not when we read slowly", async () => {
    const host = await serveRaw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n");
      const timer = setInterval(() => socket.write("x"), 20);
      socket.once("close", () => clearInterval(timer));
    });
    const url = new URL(`http://${host}/`);
    const dripping = await clientFor([host], { slowest: { bytes: 100, within: 100 } }).request(url);
    await expect(dripping.text()).rejects.toMatchObject({
      code: "source_unreachable",
      message: expect.stringContaining("too slow"),
    });
    const steady = await serve((_request, response) => response.end(Buffer.alloc(300_000)));
    const answer = await clientFor([steady], { slowest: { bytes: 1e9, within: 400 } }).request(
      new URL(`http://${steady}/`),
    );
    let size = 0;
    for await (const chunk of answer.body) {
      size += chunk.length;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(size).toBe(300_000);
  });

  it("are out of reach when they break off in the middle of a body", async () => {
    const host = await serveRaw((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf"));
    const answer = await clientFor([host]).request(new URL(`http://${host}/`));
    await expect(answer.text()).rejects.toMatchObject({ code: "source_unreachable" });
  });

  it("are aborted when the caller gives up, with the caller's reason", async () => {
    const host = await serveRaw((socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf"));
    const client = clientFor([host]);
    const reason = new Error("enough");
    const controller = new AbortController();
    const answer = await client.request(new URL(`http://${host}/`), { signal: controller.signal });
    const reading = answer.text();
    controller.abort(reason);
    await expect(reading).rejects.toBe(reason);
    await expect(client.request(new URL(`http://${host}/`), { signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
  });
});
