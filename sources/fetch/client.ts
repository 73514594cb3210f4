import type { buildConnector, Dispatcher } from "undici";
import { Failure } from "../../domain/failures.ts";
import { asksLogIn } from "../../extract/website/log-in.ts";
import { toPinnedLookup, type HostAddress } from "./addresses.ts";
import { toBody, type Throughput } from "./body.ts";
import { isBrokenOff, toFetchFailure } from "./failures.ts";
import type { Guard } from "./guard.ts";
import { createProxyChooser, readProxySettings, type ProxySettings } from "./proxy.ts";

/** What is asked of a server. */
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
  /** False: a redirect is the answer. */
  readonly followRedirects?: boolean;
  /** Longest silence before the answer and within it, in milliseconds, in place of the client's. */
  readonly idleTimeout?: number;
  /** How the server is reached, and whatever it redirects to. */
  readonly route?: Route;
}

/** A way out that an operator has configured for some servers, in place of the client's own. */
export interface Route {
  readonly proxies?: ProxySettings;
  /** The certificates that are trusted, as PEM, in place of the usual ones. */
  readonly ca?: string;
}

/** An answer of any status; only what is no answer at all is thrown. Its body is to be read or discarded. */
export interface FetchResponse {
  readonly status: number;
  /** Names in lower case, repeated headers joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** Where the answer came from, after redirects. */
  readonly url: URL;
  /** The decompressed body, to be read once. @throws Failure source_unreachable, source_invalid or library_too_large */
  readonly body: AsyncIterable<Uint8Array>;
  /** The whole body as UTF-8. @throws as `body` does */
  text(): Promise<string>;
  /** Lets go of the connection without reading on. */
  discard(): void;
}

/** The one way out: every request goes through the guard, at every hop. */
export interface FetchClient {
  /** @throws Failure validation_error, address_not_allowed, source_unreachable or source_invalid; the signal's reason */
  request(url: URL, request?: FetchRequest): Promise<FetchResponse>;
  close(): Promise<void>;
}

/** What a client is made of. Times are in milliseconds. */
export interface FetchClientOptions {
  readonly guard: Guard;
  readonly userAgent: string;
  /** Those of the environment by default. */
  readonly proxies?: ProxySettings;
  /** Names that a proxy resolves are resolved and checked here as well, before it is asked. */
  readonly resolveLocally?: boolean;
  readonly connectTimeout?: number;
  /** Longest wait for the head of an answer. */
  readonly headersTimeout?: number;
  /** Longest silence in the middle of a body. */
  readonly bodyTimeout?: number;
  /** Slowest throughput of a body, so that a server cannot hold a run up with a byte now and then. */
  readonly slowest?: Throughput;
  /** Default of `maxBytes`. */
  readonly maxBytes?: number;
  /** Default of `maxRedirects`. */
  readonly maxRedirects?: number;
}

/** A Git server that prepares a pack says so with five bytes every five seconds, for minutes where the repository is large. */
const defaultSlowest: Throughput = { bytes: 30_000, within: 300_000 };

/** Kept connections that a server has closed may come one after the other. */
const maxAttempts = 3;

const redirects = new Set([301, 302, 303, 307, 308]);

/** The request headers that may follow a redirect to another origin, and go over plain http; any other could be a credential. */
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

/** Makes the client. Connections are kept and shared; `close` ends them. */
export function createFetchClient(options: FetchClientOptions): FetchClient {
  const { guard, userAgent, connectTimeout = 10_000, headersTimeout = 30_000, bodyTimeout = 30_000 } = options;
  const { slowest = defaultSlowest, resolveLocally = false } = options;
  const defaults = { maxBytes: options.maxBytes ?? 50_000_000, maxRedirects: options.maxRedirects ?? 5 };
  const timeouts = { headersTimeout, bodyTimeout, connectTimeout, maxHeaderSize: 32_768 };
  const ownProxyFor = createProxyChooser(options.proxies ?? readProxySettings(process.env));
  /** By the address of a proxy, "" for connections without one, and the certificates. */
  const dispatchers = new Map<string, Promise<Dispatcher>>();
  const proxyFor = (url: URL, { proxies }: Route): URL | undefined =>
    (proxies ? createProxyChooser(proxies) : ownProxyFor)(url);

  function dispatcherFor(url: URL, route: Route): Promise<Dispatcher> {
    const uri = proxyFor(url, route)?.href ?? "";
    const key = `${uri} ${route.ca ?? ""}`;
    const dispatcher = dispatchers.get(key) ?? createDispatcher(uri, route.ca === undefined ? {} : { ca: route.ca });
    dispatchers.set(key, dispatcher);
    return dispatcher;
  }

  async function createDispatcher(uri: string, trust: { readonly ca?: string }): Promise<Dispatcher> {
    // A server that has nothing to fetch yet starts without it: it is an eighth of what is loaded.
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
    // Without a proxy the connection goes to addresses that were resolved here.
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

  /** Sends a request that changes nothing again where its connection breaks off. */
  async function sendAgain(url: URL, hop: Hop, signal: AbortSignal | undefined): Promise<Dispatcher.ResponseData> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await send(url, hop, signal);
      } catch (error) {
        const isRepeatable = hop.method !== "POST" && hop.body === undefined;
        if (!isRepeatable || attempt === maxAttempts || !isBrokenOff(error)) throw error;
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
      const passed: URL[] = [];
      try {
        for (let hops = 0; ; hops += 1) {
          const response = await sendAgain(url, hop, signal);
          const answered = { status: response.statusCode, headers: joinHeaders(response.headers) };
          const { location } = answered.headers;
          if (!followRedirects || !redirects.has(answered.status) || location === undefined)
            return {
              ...answered,
              url,
              ...toBody(response.body, { url, headers: answered.headers, maxBytes, slowest, signal }),
            };
          await response.body.dump({ limit: 16_384 });
          const next = parseLocation(location, url);
          passed.push(next);
          if (hops === maxRedirects) throw tooManyRedirects(first, passed);
          hop = toNextHop(hop, answered.status, next.origin === url.origin);
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
  readonly route: Route;
}

/** Connects to an address the guard has just checked, so that no second resolution can bring in another one. */
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

/** What follows a redirect: 307 and 308 repeat the request, the others ask for the new place as a browser does. */
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

/** Why a request that was redirected too often has no answer. Queries are left out: they may hold what is meant for the site alone. */
function tooManyRedirects(first: URL, passed: readonly URL[]): Failure {
  const isLoop = new Set([first, ...passed].map(({ href }) => href)).size <= passed.length;
  const often = isLoop ? "in a loop" : `more than ${passed.length - 1} times in all`;
  const door = passed.find((url) => asksLogIn(first, url));
  if (!isLoop || door === undefined) return new Failure("source_invalid", `${first.host} redirects, ${often}.`);
  return new Failure(
    "source_refused",
    `${first.origin}${first.pathname} redirects in a loop by way of ${door.origin}${door.pathname}, as sites do that ask for a log-in. Submit it with a credential that the site lets in.`,
  );
}

function parseLocation(location: string, base: URL): URL {
  if (!URL.canParse(location, base.href))
    throw new Failure("source_invalid", `${base.host} redirects to something that is no address.`);
  return new URL(location, base.href);
}

function joinHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
    ),
  );
}
