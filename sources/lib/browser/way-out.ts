import { once } from "node:events";
import { request as ask } from "node:http";
import type { RequestOptions } from "node:http";
import { request as askSecurely } from "node:https";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { Failure } from "../../../domain/failures.ts";
import { toPinnedLookup } from "../fetch/guard.ts";
import type { Guard } from "../fetch/guard.ts";
import { createProxyChooser } from "../fetch/proxy.ts";
import type { ProxySettings } from "../fetch/proxy.ts";

/** Where connections of a browser go: to addresses that the guard has checked, or to the proxy of the deployment. */
export interface WayOut {
  /** How a plain HTTP request is sent: where to, and with which additional headers. @throws Failure as the guard does */
  requestTo(url: URL, signal: AbortSignal): Promise<PlainRequest>;
  /** Connects to host and port of a URL. @throws Failure as the guard does, or what connecting throws */
  connectTo(url: URL, signal: AbortSignal): Promise<Socket>;
}

export interface PlainRequest {
  readonly send: typeof ask;
  readonly options: RequestOptions;
  /** Names and values alternate. */
  readonly headers: readonly string[];
}

export interface WayOutOptions {
  readonly guard: Guard;
  readonly proxies: ProxySettings;
  /** Names that the deployment's proxy resolves are resolved and checked here as well. */
  readonly resolveLocally: boolean;
}

/** Connection timeout, in milliseconds. */
const connectTimeout = 10_000;

export function createWayOut({ guard, proxies, resolveLocally }: WayOutOptions): WayOut {
  const proxyFor = createProxyChooser(proxies);

  /** Checks the URL, and says which proxy is asked for it, or which addresses may be connected to. */
  async function check(url: URL, signal: AbortSignal) {
    guard.checkUrl(url);
    const proxy = proxyFor(url);
    const addresses = proxy === undefined || resolveLocally ? await guard.resolve(url, signal) : [];
    return proxy === undefined ? { lookup: toPinnedLookup(addresses) } : { proxy };
  }

  return {
    async requestTo(url, signal) {
      const { proxy, lookup } = await check(url, signal);
      if (proxy !== undefined)
        return {
          send: senderTo(proxy),
          options: { ...addressOf(proxy), path: url.href },
          headers: Object.entries(authorization(proxy)).flat(),
        };
      const options = { ...addressOf(url), path: url.pathname + url.search, lookup, autoSelectFamily: true };
      return { send: ask, options, headers: [] };
    },
    async connectTo(url, signal) {
      const { proxy, lookup } = await check(url, signal);
      if (proxy === undefined) {
        const { host, port } = addressOf(url);
        const socket = connect({ host, port, lookup, autoSelectFamily: true, signal });
        socket.setTimeout(connectTimeout, () => socket.destroy(late()));
        await once(socket, "connect");
        return socket;
      }
      const { host, port } = addressOf(url);
      const target = `${host.includes(":") ? `[${host}]` : host}:${port}`;
      const request = senderTo(proxy)({
        ...addressOf(proxy),
        method: "CONNECT",
        path: target,
        headers: { host: target, ...authorization(proxy) },
        agent: false,
        signal,
        timeout: connectTimeout,
      });
      request.once("timeout", () => request.destroy(late()));
      // After the connection is made, the socket reports errors.
      request.on("error", () => undefined);
      request.end();
      const [answer, socket] = (await once(request, "connect")) as [{ statusCode: number }, Socket];
      if (answer.statusCode === 200) return socket;
      socket.destroy();
      throw new Failure(
        "source_unreachable",
        `The proxy does not connect to ${target}: it answers ${answer.statusCode}.`,
      );
    },
  };
}

function senderTo(proxy: URL): typeof ask {
  return proxy.protocol === "https:" ? askSecurely : ask;
}

function addressOf(url: URL): { readonly host: string; readonly port: number } {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return { host, port: Number(url.port) || (url.protocol === "https:" ? 443 : 80) };
}

function authorization({ username, password }: URL): Record<string, string> {
  if (username === "" && password === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}

/** With undici's code, by which failures are told apart. */
function late(): Error {
  return Object.assign(new Error("The connection was not made in time."), { code: "UND_ERR_CONNECT_TIMEOUT" });
}
