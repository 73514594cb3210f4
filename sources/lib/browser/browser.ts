import { Failure } from "../../../domain/failures.ts";
import { createFairQueue } from "../../../domain/fair-queue.ts";
import type { Guard } from "../fetch/guard.ts";
import { readProxySettings, type ProxySettings } from "../fetch/proxy.ts";
import { readAuthorities, type TrustedAuthorities } from "./chromium.ts";
import {
  startBrowser,
  type BrowserLimits,
  type BrowserProcess,
  type BrowserEnd,
  type Loaded,
} from "./browser-process.ts";
import { createEgress } from "./egress.ts";
import { withoutPaths } from "../../../extract/screened-texts.ts";
import { asksLogIn } from "../../../extract/website/log-in.ts";
import type { LoadedPage, PageProblem } from "./messages.ts";

/** Options for rendering a page. */
export interface RenderOptions {
  /** Aborting stops loading the page at once. */
  readonly signal: AbortSignal;
  /** Sent only to the page's own origin, over https or to hosts of FETCH_ALLOW. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Cap on the HTML, in bytes. */
  readonly maxBytes: number;
}

/** Reads pages that are empty without scripts. */
export interface Browser {
  /**
   * Loads a page and waits until it has content. The HTML is that of the rendered DOM, with the content of open shadow roots and
   * same-origin frames in place, without scripts and styles.
   * @throws Failure validation_error, address_not_allowed, source_unreachable, source_invalid, library_too_large if the HTML is longer
   * than `maxBytes`, page_too_costly, browser_needed if Chromium does not start; the signal's reason
   */
  render(url: URL, options: RenderOptions): Promise<RenderedPage>;
  /** Ends all processes. Loading and waiting pages fail with service_unavailable. */
  close(): Promise<void>;
}

export interface BrowserOptions {
  /** Path of Chromium. */
  readonly chromium: string;
  readonly guard: Guard;
  /** From the environment by default. */
  readonly proxies?: ProxySettings;
  /** Also resolve and check names here that a proxy resolves. */
  readonly resolveLocally?: boolean;
  /** A file with certificates of authorities to trust in addition to Chromium's own; that of NODE_EXTRA_CA_CERTS by default. */
  readonly authorities?: string;
  /** Added to Chromium's own User-Agent. */
  readonly userAgent: string;
  /** Called once if Chromium runs without its sandbox. */
  readonly onUnsandboxed: () => void;
  readonly limits?: Partial<BrowserLimits & PoolLimits>;
}

/** How browser processes are used. */
interface PoolLimits {
  /** Pages loaded at a time, each in its own browser, so that a page that crashes its browser affects no other page. */
  readonly atOnce: number;
  /** Pages after which a browser is replaced. */
  readonly pages: number;
  /** Time without a page after which a browser ends, in milliseconds. */
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
  readonly timer: NodeJS.Timeout;
}

/** Creates a browser. It starts no process until a page needs one. */
export function createBrowser(options: BrowserOptions): Browser {
  const limits = { ...defaults, ...options.limits };
  const { guard, resolveLocally = false, proxies = readProxySettings(process.env) } = options;
  const way = createEgress({ guard, proxies, resolveLocally });
  // Chromium refuses to run as root with its sandbox.
  let sandbox = process.getuid?.() !== 0;
  let warned = false;
  let trusted: Promise<TrustedAuthorities> | undefined;
  let idle: Idle[] = [];
  const active = new Set<Promise<unknown>>();
  const places = createFairQueue<AbortSignal>({ places: limits.atOnce });
  const closing = new AbortController();

  async function start(signal: AbortSignal): Promise<BrowserProcess> {
    const { chromium, userAgent, authorities = process.env["NODE_EXTRA_CA_CERTS"] } = options;
    trusted ??= (authorities ? readAuthorities(authorities) : Promise.resolve(new Map())).catch((error: unknown) => {
      trusted = undefined;
      throw error;
    });
    const settings = { authorities: await trusted, chromium, limits, sandbox, userAgent, way };
    const started = await startBrowser(settings, signal);
    if ("type" in started) {
      signal.throwIfAborted();
      throw toStartFailure(started);
    }
    sandbox &&= started.sandboxed;
    if (!sandbox && !warned) options.onUnsandboxed();
    warned ||= !sandbox;
    return started;
  }

  /** Keeps a browser for the next page, or ends it. */
  async function putBack(process: BrowserProcess, pages: number): Promise<void> {
    if (!process.isAlive() || pages >= limits.pages || closing.signal.aborted) return process.end();
    const retire = (): void => {
      idle = idle.filter((one) => one.process !== process);
      void process.end();
    };
    idle.push({ process, pages, timer: setTimeout(retire, limits.idleTimeout).unref() });
  }

  async function loadOnce(url: URL, { headers = {}, maxBytes }: RenderOptions, signal: AbortSignal) {
    let kept = idle.pop();
    clearTimeout(kept?.timer);
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

  /** Waits for a place, in which runs take turns, then loads a page. */
  async function renderOne(url: URL, options: RenderOptions): Promise<RenderedPage> {
    const signal = AbortSignal.any([options.signal, closing.signal]);
    if (Object.keys(options.headers ?? {}).length > 0) await guard.checkToken(url, signal);
    return places.run(
      options.signal,
      async () => {
        let loaded = await loadOnce(url, options, signal);
        // The page may not have caused the end of the browser, so it is tried once more.
        if (loaded.outcome.type === "died") loaded = await loadOnce(url, options, signal);
        signal.throwIfAborted();
        const page = toRenderedPage(loaded, url);
        guard.checkUrl(page.url);
        return page;
      },
      { signal },
    );
  }

  return {
    async render(url, options) {
      guard.checkUrl(url);
      const rendering = renderOne(url, options);
      active.add(rendering);
      try {
        return await rendering;
      } finally {
        active.delete(rendering);
      }
    },
    async close() {
      closing.abort(new Failure("service_unavailable", "The server is stopping, and loads no more pages."));
      const ended = idle.map(({ process, timer }) => {
        clearTimeout(timer);
        return process.end();
      });
      idle = [];
      // Active starts and loads are aborted, and end their own processes.
      await Promise.allSettled([...ended, ...active]);
    },
  };
}

/** A page as a browser renders it. */
export interface RenderedPage {
  /** Its address after redirects by servers and scripts. */
  readonly url: URL;
  readonly status: number;
  readonly html: string;
  readonly xRobotsTag?: string;
}

/** @throws Failure without a page */
function toRenderedPage({ outcome, traffic }: Loaded, requested: URL): RenderedPage {
  if (outcome.type === "page") return toPage(outcome.page);
  if (outcome.type !== "failed") throw toEndFailure(outcome);
  const url = URL.canParse(outcome.problem.url) ? new URL(outcome.problem.url) : requested;
  throw toPageFailure(outcome.problem, { requested, url }, traffic.failureOf(url));
}

function toPage({ url: address, mediaType, status, html, xRobotsTag }: LoadedPage): RenderedPage {
  const url = new URL(address);
  if (!/^https?:$/.test(url.protocol))
    throw new Failure(
      "source_invalid",
      `The page redirects to a ${url.protocol} address. Only http: and https: are read.`,
    );
  if (!/^(?:text\/html|application\/xhtml\+xml)$/.test(mediaType))
    throw new Failure("source_invalid", `${url.host} sent ${mediaType} to the browser in place of an HTML page.`);
  return { url, status, html, ...(xRobotsTag !== null && { xRobotsTag }) };
}

const certificateError = /^net::ERR_(?:CERT_|SSL_|BAD_SSL)/;

/** `relayed`: the failure of the guarded proxy, which names the cause better than Chromium does. */
function toPageFailure(
  { kind, detail }: PageProblem,
  { requested, url }: { readonly requested: URL; readonly url: URL },
  relayed: Failure | undefined,
): Failure {
  const cause = new Error(detail);
  const fail = (code: Failure["code"], message: string): Failure => new Failure(code, message, { cause });
  const word = /net::ERR_\w+/.exec(detail)?.[0] ?? detail;
  switch (kind) {
    case "network":
      if (relayed !== undefined) return relayed;
      if (certificateError.test(word))
        return fail(
          "source_invalid",
          `${url.host} offers no TLS connection that a browser trusts (${word}). For a certificate of your own authority, name it in NODE_EXTRA_CA_CERTS, and install certutil (libnss3-tools).`,
        );
      if (word === "net::ERR_ABORTED" || detail.includes("Download is starting"))
        return fail("source_invalid", `${url.host} sent a download or nothing in place of a page.`);
      if (word === "net::ERR_TOO_MANY_REDIRECTS" && asksLogIn(requested, url))
        return fail(
          "source_refused",
          `${requested.host} redirects in a loop, as sites do that require a log-in. Submit it with headers that give access.`,
        );
      if (word === "net::ERR_BLOCKED_BY_CLIENT" || word === "net::ERR_TOO_MANY_REDIRECTS")
        return fail("source_invalid", `${url.host} redirects endlessly, or to an address that is not of a web page.`);
      return fail("source_unreachable", `${url.host} is out of reach: the browser reports ${word}.`);
    case "slow":
      return relayed ?? fail("source_unreachable", `${url.host} is too slow: a page did not arrive in time.`);
    case "restless":
      return fail("source_invalid", `${url.host} has a page that navigates endlessly.`);
    case "too long":
      return fail("library_too_large", `${url.host} has a page that is too large. ${detail}`);
    case "crashed":
      return fail("page_too_costly", `The page crashed in the browser. ${detail}`);
    case "unexpected":
      return fail("source_invalid", `${url.host} has a page that a browser cannot read: ${detail}`);
  }
}

function toEndFailure(end: BrowserEnd): Failure {
  switch (end.type) {
    case "unstartable":
      return toStartFailure(end);
    case "traffic":
      return end.failure;
    case "memory":
      return new Failure("page_too_costly", "The page takes more memory than a browser may use.");
    case "died":
      return new Failure("page_too_costly", "The browser ended twice while it was loading the page.");
    case "timeout":
      return new Failure("page_too_costly", "The page takes a browser more time than is allowed.");
    case "aborted":
      return new Failure("service_unavailable", "Loading the page was cancelled.");
  }
}

function toStartFailure(end: BrowserEnd): Failure {
  const reason = end.type === "unstartable" ? end.reason : "It ended.";
  const message = `Chromium does not start: ${withoutPaths(reason)} See docs/guides/harden.md.`;
  return new Failure("browser_needed", message, { cause: new Error(reason) });
}
