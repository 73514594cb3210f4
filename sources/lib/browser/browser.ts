import { Failure } from "../../../domain/failures.ts";
import type { Guard } from "../fetch/guard.ts";
import { readProxySettings, type ProxySettings } from "../fetch/proxy.ts";
import { readAuthorities, type TrustedAuthorities } from "./authorities.ts";
import { startBrowser, type BrowserLimits, type BrowserProcess } from "./browser-process.ts";
import { browserGone, toRenderedPage, type RenderedPage } from "./outcome.ts";
import { createWayOut } from "./way-out.ts";

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
