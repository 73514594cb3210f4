import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createGuard } from "../../../sources/lib/fetch/guard.ts";
import { clientFor, listen, serve } from "./setup.ts";

describe("a proxy of the environment", () => {
  it("carries requests, https ones through a tunnel, except to the hosts that NO_PROXY names", async () => {
    const seen: string[] = [];
    const target = await serve((_request, response) => response.end("direct"));
    const proxyServer = createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      response.end("proxied");
    });
    proxyServer.on("connect", (request, socket: Socket) => {
      seen.push(`CONNECT ${request.url}`);
      const upstream = connect(Number(target.split(":")[1]), "127.0.0.1");
      upstream.once("connect", () => socket.write("HTTP/1.1 200 OK\r\n\r\n")).on("error", () => undefined);
      socket
        .pipe(upstream)
        .pipe(socket)
        .on("error", () => undefined);
    });
    const proxy = await listen(proxyServer);
    onTestFinished(() => {
      proxyServer.closeAllConnections();
      proxyServer.close();
    });
    const lookup = (): never => {
      throw new Error("Nothing is resolved here: the proxy does that.");
    };
    const guard = createGuard({ allow: [target], lookup });
    const proxies = { http: `http://${proxy}`, https: `http://${proxy}`, except: "127.0.0.1" };
    const client = clientFor([], { guard, proxies });

    expect(await (await client.request(new URL("http://docs.example.com/a"))).text()).toBe("proxied");
    await expect(client.request(new URL("https://docs.example.com/b"))).rejects.toMatchObject({ name: "Failure" });
    expect(await (await client.request(new URL(`http://${target}/c`))).text()).toBe("direct");
    await expect(client.request(new URL("http://10.0.0.1/"))).rejects.toMatchObject({ code: "address_not_allowed" });
    expect(seen).toEqual(["GET http://docs.example.com/a", "CONNECT docs.example.com:443"]);
  });

  it("never gets a token over plain http, except for hosts of FETCH_ALLOW", async () => {
    const seen: string[] = [];
    const proxy = await serve((request, response) => {
      seen.push(`${request.url} ${request.headers.authorization}`);
      response.end("proxied");
    });
    const proxies = { http: `http://${proxy}`, https: `http://${proxy}`, except: "" };
    const client = clientFor(["git.corp.example"], { proxies });
    const headers = { authorization: "Basic abc" };
    const request = client.request(new URL("http://git.example.com/a"), { headers });
    await expect(request).rejects.toMatchObject({ code: "address_not_allowed" });
    (await client.request(new URL("http://git.example.com/b"))).discard();
    (await client.request(new URL("http://git.corp.example/c"), { headers })).discard();
    expect(seen).toEqual(["http://git.example.com/b undefined", "http://git.corp.example/c Basic abc"]);
  });

  it("gets no request for a name with a private address, if names are resolved locally too", async () => {
    const seen: string[] = [];
    const proxy = await serve((request, response) => {
      seen.push(request.url ?? "");
      response.end("proxied");
    });
    const proxies = { http: `http://${proxy}`, https: undefined, except: "" };
    const lookup = async (name: string) => [
      { address: name === "inside.example.com" ? "10.0.0.1" : "8.8.8.8", family: 4 },
    ];
    const guard = createGuard({ allow: [], lookup });
    const inside = new URL("http://inside.example.com/");
    (await clientFor([], { guard, proxies }).request(inside)).discard();
    const careful = clientFor([], { guard, proxies, resolveLocally: true });
    await expect(careful.request(inside)).rejects.toMatchObject({ code: "address_not_allowed" });
    (await careful.request(new URL("http://docs.example.com/"))).discard();
    expect(seen).toEqual(["http://inside.example.com/", "http://docs.example.com/"]);
  });
});
