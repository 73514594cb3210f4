import { once } from "node:events";
import { request as ask, type RequestOptions } from "node:http";
import { request as askSecurely } from "node:https";
import { connect, type Socket } from "node:net";
import { Failure } from "../../../domain/failures.ts";
import { portOf, toPinnedLookup, type Guard } from "../fetch/guard.ts";
import { createProxyChooser, type ProxySettings } from "../fetch/proxy.ts";

/** The outgoing connections of a browser: to addresses that the guard has checked, or to the proxy of the deployment. */
export interface Egress {
  /** Target and additional headers of a plain HTTP request. @throws Failure as the guard does */
  requestTo(url: URL, signal: AbortSignal): Promise<PlainRequest>;
  /** Connects to the host and port of a URL. @throws Failure as the guard does; connection errors */
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
  /** Also resolve and check names here that the deployment's proxy resolves. */
  readonly resolveLocally: boolean;
}

/** Connection timeout, in milliseconds. */
const connectTimeout = 10_000;

export function createEgress({ guard, proxies, resolveLocally }: WayOutOptions): Egress {
  const proxyFor = createProxyChooser(proxies);

  /** Checks the URL. Returns the proxy for it, or else a lookup of the allowed addresses. */
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
      const { host, port } = addressOf(url);
      if (proxy === undefined) {
        const socket = connect({ host, port, lookup, autoSelectFamily: true, signal });
        socket.setTimeout(connectTimeout, () => socket.destroy(timeoutError()));
        await once(socket, "connect");
        return socket;
      }
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
      request.once("timeout", () => request.destroy(timeoutError()));
      // Once the connection is open, the socket reports errors.
      request.on("error", () => undefined);
      request.end();
      const [{ statusCode }, socket] = (await once(request, "connect")) as [{ statusCode: number }, Socket];
      if (statusCode === 200) return socket;
      socket.destroy();
      throw new Failure("source_unreachable", `The proxy does not connect to ${target}: it answers ${statusCode}.`);
    },
  };
}

function senderTo(proxy: URL): typeof ask {
  return proxy.protocol === "https:" ? askSecurely : ask;
}

function addressOf(url: URL): { readonly host: string; readonly port: number } {
  return { host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(portOf(url)) };
}

function authorization({ username, password }: URL): Record<string, string> {
  if (username === "" && password === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}

/** Has undici's code, by which failures are classified. */
function timeoutError(): Error {
  return Object.assign(new Error("The connection was not made in time."), { code: "UND_ERR_CONNECT_TIMEOUT" });
}
