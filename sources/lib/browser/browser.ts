import { Failure } from "../../../domain/failures.ts";
import type { Guard } from "../fetch/guard.ts";
import { readProxySettings } from "../fetch/proxy.ts";
import type { ProxySettings } from "../fetch/proxy.ts";
import { readAuthorities } from "./chromium.ts";
import type { TrustedAuthorities } from "./chromium.ts";
import { startBrowser } from "./browser-process.ts";
import type { BrowserLimits, BrowserProcess, BrowserEnd, Loaded } from "./browser-process.ts";
import { createWayOut } from "./way-out.ts";
import { withoutPaths } from "../../../extract/screened-texts.ts";
import { asksLogIn } from "../../../extract/website/log-in.ts";
import type { LoadedPage, PageProblem } from "./messages.ts";

/** What is asked of a browser. */
export interface RenderOptions {
  /** Aborting ends the loading of the page at once. */
  readonly signal: AbortSignal;
  /** Sent to the page's own origin and to no other one; over https only, or to hosts of FETCH_ALLOW. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Cap on the HTML, in bytes. */
  readonly maxBytes: number;
}

/** Reads pages that are empty without scripts. */
export interface Browser {
  /**
   * Loads a page and waits until it has content. The HTML is that of the rendered DOM: open shadow roots and same-origin
   * frames put in place, scripts and styles left out.
   * @throws Failure validation_error, address_not_allowed, source_unreachable, source_invalid, library_too_large where the
   * HTML is longer than `maxBytes`, page_too_costly, browser_needed where Chromium does not start; the signal's reason
   */
  render(url: URL, options: RenderOptions): Promise<RenderedPage>;
  /** Ends all processes. Pages that are being loaded, or wait to be, fail with service_unavailable. */
  close(): Promise<void>;
}

export interface BrowserOptions {
  /** Path of Chromium. */
  readonly chromium: string;
  readonly guard: Guard;
  /** Those of the environment by default. */
  readonly proxies?: ProxySettings;
  /** Names that a proxy resolves are resolved and checked here as well. */
  readonly resolveLocally?: boolean;
  /** A file of certificates of authorities that are trusted in addition to Chromium's own; by default that of NODE_EXTRA_CA_CERTS. */
  readonly authorities?: string;
  /** Added to Chromium's own User-Agent. */
  readonly userAgent: string;
  /** Called once when Chromium runs without its sandbox. */
  readonly onUnsandboxed: () => void;
  readonly limits?: Partial<BrowserLimits & PoolLimits>;
}

/** How browser processes are used. */
interface PoolLimits {
  /** Pages loaded at a time, each in its own browser, so that a page which crashes its browser ends no other page. */
  readonly atOnce: number;
  /** Pages after which a browser is replaced. */
  readonly pages: number;
  /** A browser ends after so long without a page, in milliseconds. */
  readonly idleTimeout: number;
}

const defaults: BrowserLimits & PoolLimits = {
  startTimeout: 60_000,
  pageTimeout: 60_000,
  memory: 1_500_000_000,
  traffic: 100_000_000,
  atOnce: 2,
  pages: 50,
  idleTimeout: 60_000,
};

/** A browser that waits for its next page. */
interface Idle {
  readonly process: BrowserProcess;
  readonly pages: number;
  readonly clock: NodeJS.Timeout;
}

/** Creates a browser. It starts no process until a page needs one. */
export function createBrowser(options: BrowserOptions): Browser {
  const limits = { ...defaults, ...options.limits };
  const { guard, resolveLocally = false, proxies = readProxySettings(process.env) } = options;
  const way = createWayOut({ guard, proxies, resolveLocally });
  // Chromium refuses to run as root with its sandbox.
  let sandbox = process.getuid?.() !== 0;
  let warned = false;
  let trusted: Promise<TrustedAuthorities> | undefined;
  let idle: Idle[] = [];
  const underWay = new Set<Promise<unknown>>();
  const waiting: (() => void)[] = [];
  let places = limits.atOnce;
  const closing = new AbortController();

  async function start(signal: AbortSignal): Promise<BrowserProcess> {
    const { chromium, userAgent, authorities = process.env["NODE_EXTRA_CA_CERTS"] } = options;
    trusted ??= (authorities ? readAuthorities(authorities) : Promise.resolve(new Map())).catch((error: unknown) => {
      trusted = undefined;
      throw error;
    });
    const own = { authorities: await trusted, chromium, limits, sandbox, userAgent, way };
    const started = await startBrowser(own, signal);
    if ("type" in started) {
      signal.throwIfAborted();
      throw browserGone(started);
    }
    sandbox &&= started.sandboxed;
    if (!sandbox && !warned) options.onUnsandboxed();
    warned ||= !sandbox;
    return started;
  }

  /** Waits for a free place, first come first served. */
  async function place(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (places > 0) {
      places -= 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = (): void => {
      const at = waiting.indexOf(resolve);
      if (at >= 0) waiting.splice(at, 1);
      reject(signal.reason);
    };
    waiting.push(resolve);
    signal.addEventListener("abort", abort);
    await promise.finally(() => signal.removeEventListener("abort", abort));
  }

  function leave(): void {
    const next = waiting.shift();
    if (next === undefined) places += 1;
    else next();
  }

  /** Keeps a browser for the next page, or ends it. */
  async function putBack(process: BrowserProcess, pages: number): Promise<void> {
    if (!process.isAlive() || pages >= limits.pages || closing.signal.aborted) return process.end();
    const retire = (): void => {
      idle = idle.filter((one) => one.process !== process);
      void process.end();
    };
    idle.push({ process, pages, clock: setTimeout(retire, limits.idleTimeout).unref() });
  }

  /** Loads a page in one browser. */
  async function loadOnce(url: URL, { headers = {}, maxBytes }: RenderOptions, signal: AbortSignal) {
    let kept = idle.pop();
    clearTimeout(kept?.clock);
    if (kept !== undefined && !kept.process.isAlive()) {
      await kept.process.end();
      kept = undefined;
    }
    const process = kept?.process ?? (await start(signal));
    try {
      return await process.load(
        { type: "page", url: url.href, headers, maxBytes, timeout: limits.pageTimeout / 2 },
        signal,
      );
    } finally {
      await putBack(process, (kept?.pages ?? 0) + 1);
    }
  }

  /** Loads a page when its turn has come. */
  async function renderOne(url: URL, options: RenderOptions): Promise<RenderedPage> {
    const signal = AbortSignal.any([options.signal, closing.signal]);
    if (Object.keys(options.headers ?? {}).length > 0) await guard.checkToken(url, signal);
    await place(signal);
    try {
      let loaded = await loadOnce(url, options, signal);
      // The page may not be what ended the browser: it is tried once more.
      if (loaded.outcome.type === "died") loaded = await loadOnce(url, options, signal);
      signal.throwIfAborted();
      const page = toRenderedPage(loaded, url);
      guard.checkUrl(page.url);
      return page;
    } finally {
      leave();
    }
  }

  return {
    async render(url, options) {
      guard.checkUrl(url);
      const rendering = renderOne(url, options);
      underWay.add(rendering);
      try {
        return await rendering;
      } finally {
        underWay.delete(rendering);
      }
    },
    async close() {
      closing.abort(new Failure("service_unavailable", "The server is stopping, and loads no more pages."));
      const ended = idle.map(({ process, clock }) => {
        clearTimeout(clock);
        return process.end();
      });
      idle = [];
      // What is being started or loaded is aborted, and ends its own process.
      await Promise.allSettled([...ended, ...underWay]);
    },
  };
}

/** A page as a browser renders it. */
export interface RenderedPage {
  /** Where it is, after redirects of servers and scripts. */
  readonly url: URL;
  readonly status: number;
  readonly html: string;
  readonly xRobotsTag?: string;
}

/** @throws Failure that says why there is no page */
function toRenderedPage({ outcome, traffic }: Loaded, asked: URL): RenderedPage {
  if (outcome.type === "page") return toPage(outcome.page);
  if (outcome.type !== "failed") throw endOf(outcome);
  const url = URL.canParse(outcome.problem.url) ? new URL(outcome.problem.url) : asked;
  throw problemOf(outcome.problem, { asked, url }, traffic.failureOf(url));
}

function toPage({ url: address, mediaType, status, html, xRobotsTag }: LoadedPage): RenderedPage {
  const url = new URL(address);
  if (!/^https?:$/.test(url.protocol))
    throw new Failure("source_invalid", `The page leads to ${url.protocol}, which is no address of a page.`);
  if (!/^(?:text\/html|application\/xhtml\+xml)$/.test(mediaType))
    throw new Failure("source_invalid", `${url.host} sent ${mediaType}, which a browser is not needed for.`);
  return { url, status, html, ...(xRobotsTag !== null && { xRobotsTag }) };
}

const certificate = /^net::ERR_(?:CERT_|SSL_|BAD_SSL)/;

function problemOf(
  { kind, detail }: PageProblem,
  { asked, url }: { readonly asked: URL; readonly url: URL },
  outside: Failure | undefined,
): Failure {
  const cause = new Error(detail);
  const fail = (code: Failure["code"], message: string): Failure => new Failure(code, message, { cause });
  const word = /net::ERR_\w+/.exec(detail)?.[0] ?? detail;
  switch (kind) {
    case "network":
      if (outside !== undefined) return outside;
      if (certificate.test(word))
        return fail(
          "source_invalid",
          `${url.host} offers no TLS connection that a browser trusts (${word}). For a certificate of your own authority, name it in NODE_EXTRA_CA_CERTS, and install certutil (libnss3-tools).`,
        );
      if (word === "net::ERR_ABORTED" || detail.includes("Download is starting"))
        return fail("source_invalid", `${url.host} sent a download or nothing, and no page.`);
      if (word === "net::ERR_TOO_MANY_REDIRECTS" && asksLogIn(asked, url))
        return fail(
          "source_refused",
          `${asked.host} redirects in a loop, as sites do that ask for a log-in. Submit it with headers that it lets in.`,
        );
      if (word === "net::ERR_BLOCKED_BY_CLIENT" || word === "net::ERR_TOO_MANY_REDIRECTS")
        return fail("source_invalid", `${url.host} redirects endlessly, or to what is no address of a page.`);
      return fail("source_unreachable", `${url.host} is out of reach: the browser says ${word}.`);
    case "slow":
      return outside ?? fail("source_unreachable", `${url.host} is too slow: a page did not come in time.`);
    case "restless":
      return fail("source_invalid", `${url.host} has a page that goes on to other pages endlessly.`);
    case "too long":
      return fail("library_too_large", `${url.host} has a page that is too large. ${detail}`);
    case "crashed":
      return fail("page_too_costly", `The browser could not hold the page. ${detail}`);
    case "unexpected":
      return fail("source_invalid", `${url.host} has a page that a browser cannot read: ${detail}`);
  }
}

function endOf(end: BrowserEnd): Failure {
  switch (end.type) {
    case "unstartable":
      return browserGone(end);
    case "traffic":
      return end.failure;
    case "memory":
      return new Failure("page_too_costly", "The page takes more memory than a browser is given.");
    case "died":
      return new Failure("page_too_costly", "The browser ended twice while it was loading the page.");
    case "timeout":
      return new Failure("page_too_costly", "The page takes a browser more time than it is given.");
    case "aborted":
      return new Failure("service_unavailable", "The page was given up.");
  }
}

/** The failure of a machine whose Chromium does not start. */
function browserGone(end: BrowserEnd): Failure {
  const reason = end.type === "unstartable" ? end.reason : "It ended.";
  const message = `Chromium does not start: ${withoutPaths(reason)} See docs/guides/harden.md.`;
  return new Failure("browser_needed", message, { cause: new Error(reason) });
}
