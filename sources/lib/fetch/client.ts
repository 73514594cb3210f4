import type { buildConnector, Dispatcher } from "undici";
import { Failure } from "../../../domain/failures.ts";
import type { RegistryRoute } from "../../../domain/packages.ts";
import { asksLogIn } from "../../../extract/website/log-in.ts";
import { toPinnedLookup, type HostAddress, type Guard } from "./guard.ts";
import { toBody, type Body, type Throughput } from "./body.ts";
import { isConnectionClosed, toFetchFailure } from "./failures.ts";
import { beginRequest } from "./stall-watch.ts";
import { createProxyChooser, readProxySettings, type ProxySettings } from "./proxy.ts";

/** A request to a server. */
interface FetchRequest {
  /** GET by default. */
  readonly method?: "GET" | "HEAD" | "POST";
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  readonly signal?: AbortSignal;
  /** Cap on the decompressed body, in bytes. */
  readonly maxBytes?: number;
  /** 0 makes any redirect a failure. */
  readonly maxRedirects?: number;
  /** False: a redirect is returned as the response. */
  readonly followRedirects?: boolean;
  /** Overrides headersTimeout and bodyTimeout of the client, in milliseconds. */
  readonly idleTimeout?: number;
  /** Proxies and certificates in place of the client's own, for the server and its redirects. */
  readonly route?: RegistryRoute;
}

/** A response of any status. Its body has to be read or discarded. */
export interface FetchResponse extends Body {
  readonly status: number;
  /** Names in lower case, repeated headers joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** Final address, after redirects. */
  readonly url: URL;
}

/** The only HTTP client of the program: the guard checks every hop of every request. */
export interface FetchClient {
  /** @throws Failure validation_error, address_not_allowed, source_unreachable or source_invalid; the signal's reason */
  request(url: URL, request?: FetchRequest): Promise<FetchResponse>;
  close(): Promise<void>;
}

/** Dependencies and settings of a client. Times are in milliseconds. */
export interface FetchClientOptions {
  readonly guard: Guard;
  readonly userAgent: string;
  /** From the environment by default. */
  readonly proxies?: ProxySettings;
  /** Also resolve and check names here that a proxy resolves, before a request to it. */
  readonly resolveLocally?: boolean;
  readonly connectTimeout?: number;
  /** Maximum wait for the head of a response. */
  readonly headersTimeout?: number;
  /** Maximum pause within a body. */
  readonly bodyTimeout?: number;
  /** Slower bodies fail, so that a server cannot stall a run with a byte now and then. */
  readonly slowest?: Throughput;
  /** Default of `maxBytes`. */
  readonly maxBytes?: number;
  /** Default of `maxRedirects`. */
  readonly maxRedirects?: number;
}

/** Low, as a Git server that prepares a large pack sends only five bytes every five seconds, for minutes. */
const defaultSlowest: Throughput = { bytes: 30_000, within: 300_000 };

/** Attempts of a request whose connection breaks: the server may have closed several kept connections. */
const maxAttempts = 3;

const redirects = new Set([301, 302, 303, 307, 308]);

/** Request headers that may be sent over plain http, and to another origin after a redirect; any other could be a credential. */
const harmlessHeaders = new Set([
  "accept",
  "accept-language",
  "content-encoding",
  "content-type",
  "git-protocol",
  "if-modified-since",
  "if-none-match",
  "range",
  "x-lectern-upstream",
]);

/** Creates the client. Connections are kept and shared; `close` ends them. */
export function createFetchClient(options: FetchClientOptions): FetchClient {
  const { guard, userAgent, connectTimeout = 10_000, headersTimeout = 30_000, bodyTimeout = 30_000 } = options;
  const { slowest = defaultSlowest, resolveLocally = false } = options;
  const defaults = { maxBytes: options.maxBytes ?? 50_000_000, maxRedirects: options.maxRedirects ?? 5 };
  const timeouts = { headersTimeout, bodyTimeout, connectTimeout, maxHeaderSize: 32_768 };
  const ownProxyFor = createProxyChooser(options.proxies ?? readProxySettings(process.env));
  /** By the address of the proxy ("" without one) and the certificates. */
  const dispatchers = new Map<string, Promise<Dispatcher>>();
  const proxyFor = (url: URL, { proxies }: RegistryRoute): URL | undefined =>
    (proxies ? createProxyChooser(proxies) : ownProxyFor)(url);

  function dispatcherFor(url: URL, route: RegistryRoute): Promise<Dispatcher> {
    const uri = proxyFor(url, route)?.href ?? "";
    const key = `${uri} ${route.ca ?? ""}`;
    const dispatcher = dispatchers.get(key) ?? createDispatcher(uri, route.ca === undefined ? {} : { ca: route.ca });
    dispatchers.set(key, dispatcher);
    return dispatcher;
  }

  async function createDispatcher(uri: string, trust: { readonly ca?: string }): Promise<Dispatcher> {
    // Loaded on demand: it is an eighth of the code that a process loads at its start.
    const { Agent, buildConnector: connectorOf, ProxyAgent } = await import("undici");
    if (uri !== "") return new ProxyAgent({ ...timeouts, allowH2: false, uri, requestTls: trust, proxyTls: trust });
    const connect = createPinnedConnector(guard, { timeout: connectTimeout, ...trust }, connectorOf);
    return new Agent({ ...timeouts, allowH2: false, connect });
  }

  async function send(url: URL, request: Hop, signal: AbortSignal | undefined): Promise<Dispatcher.ResponseData> {
    guard.checkUrl(url);
    signal?.throwIfAborted();
    const { method, headers, body, idleTimeout, route } = request;
    if (Object.keys(headers).some((name) => !harmlessHeaders.has(name))) await guard.checkToken(url, signal);
    // Without a proxy the connector resolves and checks the name.
    if (resolveLocally && proxyFor(url, route) !== undefined) await guard.resolve(url, signal);
    const dispatcher = await dispatcherFor(url, route);
    return dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers: { "user-agent": userAgent, "accept-encoding": "gzip, br", ...headers },
      body: body ?? null,
      signal: signal ?? null,
      ...(idleTimeout !== undefined && { headersTimeout: idleTimeout, bodyTimeout: idleTimeout }),
    });
  }

  /** Sends a request; repeats it if its connection breaks and it changes nothing. */
  async function sendRepeatedly(url: URL, hop: Hop, signal: AbortSignal | undefined): Promise<Dispatcher.ResponseData> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await send(url, hop, signal);
      } catch (error) {
        const isRepeatable = hop.method !== "POST" && hop.body === undefined;
        if (!isRepeatable || attempt === maxAttempts || !isConnectionClosed(error)) throw error;
      }
    }
  }

  return {
    async request(
      first,
      { method = "GET", headers = {}, body, signal, idleTimeout, followRedirects = true, route = {}, ...caps } = {},
    ) {
      const { maxBytes, maxRedirects } = { ...defaults, ...caps };
      let url = first;
      let hop: Hop = { method, headers, body, idleTimeout, route };
      const redirectedTo: URL[] = [];
      try {
        for (let hops = 0; ; hops += 1) {
          const pending = beginRequest(hop.method, url, idleTimeout !== undefined);
          pending.wait();
          const response = await sendRepeatedly(url, hop, signal).finally(() => pending.pause());
          pending.heard();
          const { statusCode: status, body } = response;
          const headers = joinHeaders(response.headers);
          const { location } = headers;
          if (!followRedirects || !redirects.has(status) || location === undefined)
            return { status, headers, url, ...toBody(body, { url, headers, maxBytes, slowest, signal, pending }) };
          await body.dump({ limit: 16_384 });
          const next = parseLocation(location, url);
          redirectedTo.push(next);
          if (hops === maxRedirects) throw tooManyRedirects(first, redirectedTo);
          hop = toNextHop(hop, status, next.origin === url.origin);
          url = next;
        }
      } catch (error) {
        throw toFetchFailure(error, url, signal);
      }
    },
    async close() {
      await Promise.all([...dispatchers.values()].map(async (dispatcher) => (await dispatcher).destroy()));
    },
  };
}

interface Hop {
  readonly method: "GET" | "HEAD" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string | undefined;
  readonly idleTimeout: number | undefined;
  readonly route: RegistryRoute;
}

/** Connects to an address that the guard has just checked, so that a second resolution cannot return a different one. */
function createPinnedConnector(
  guard: Guard,
  tls: { readonly timeout: number; readonly ca?: string },
  connectorOf: typeof buildConnector,
): buildConnector.connector {
  const connectPinned = async (target: buildConnector.Options, callback: buildConnector.Callback): Promise<void> => {
    const url = new URL(`${target.protocol}//${target.host ?? target.hostname}`);
    if (target.port !== "") url.port = target.port;
    let addresses: readonly HostAddress[];
    try {
      addresses = await guard.resolve(url);
    } catch (error) {
      return callback(error instanceof Error ? error : new Error("The guard failed.", { cause: error }), null);
    }
    const connect = connectorOf({
      ...tls,
      allowH2: false,
      autoSelectFamily: true,
      lookup: toPinnedLookup(addresses),
    });
    return connect(target, callback);
  };
  return (target, callback) => void connectPinned(target, callback);
}

/** The request after a redirect: 307 and 308 repeat it, the others become a GET as in a browser. */
function toNextHop(hop: Hop, status: number, sameOrigin: boolean): Hop {
  const repeats =
    status === 307 || status === 308 || (hop.method !== "POST" && status !== 303) || hop.method === "HEAD";
  const headers = Object.fromEntries(
    Object.entries(hop.headers).filter(
      ([name]) => (sameOrigin || harmlessHeaders.has(name)) && (repeats || name !== "content-type"),
    ),
  );
  return repeats ? { ...hop, headers } : { ...hop, method: "GET", headers, body: undefined };
}

/** The failure of a request that was redirected too often. It has no queries, as they may contain secrets of the site. */
function tooManyRedirects(first: URL, redirectedTo: readonly URL[]): Failure {
  const isLoop = new Set([first, ...redirectedTo].map(({ href }) => href)).size <= redirectedTo.length;
  const often = isLoop ? "in a loop" : `more than ${redirectedTo.length - 1} times in all`;
  const logIn = redirectedTo.find((url) => asksLogIn(first, url));
  if (!isLoop || logIn === undefined) return new Failure("source_invalid", `${first.host} redirects, ${often}.`);
  return new Failure(
    "source_refused",
    `${first.origin}${first.pathname} redirects in a loop by way of ${logIn.origin}${logIn.pathname}, as sites do that require a log-in. Submit it with a credential of the site.`,
  );
}

function parseLocation(location: string, base: URL): URL {
  if (!URL.canParse(location, base.href))
    throw new Failure("source_invalid", `${base.host} redirects to something that is not an address.`);
  return new URL(location, base.href);
}

function joinHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
    ),
  );
}
