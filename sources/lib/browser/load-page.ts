import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, CDPSession, Page } from "playwright-core";
import { readDom, type Shown } from "./dom.ts";
import type { News, PageOrder, PageProblem, ProxyAccess } from "./messages.ts";
import { watchRequests, type Requests } from "./requests.ts";

/** How pages are loaded. */
export interface LoadHow {
  readonly userAgent: string;
  readonly proxy: ProxyAccess;
}

/** Maximum time that a document's text may take to settle, in milliseconds. */
const contentTimeout = 10_000;
const pollInterval = 50;
/**
 * Time without a change after which a text has settled, in milliseconds: while nothing is being loaded and nothing has come, while
 * something is being loaded, and while there is no text.
 */
const quiet = { idle: 200, loading: 4000, empty: 3000 };
/** Consecutive looks that must find the same text: time alone says nothing while a script blocks the page. */
const sameLooks = 3;
/** Maximum number of documents that a page navigates to, one after the other. */
const maxDocuments = 10;

/** UDP bypasses the proxy. Chromium's switches forbid it too, but their names differ between versions. */
const noPeers = `for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) delete globalThis[name];`;

class Problem extends Error {
  readonly kind: PageProblem["kind"];
  constructor(kind: PageProblem["kind"], detail: string) {
    super(detail);
    this.kind = kind;
  }
}

/** Loads one page in a context of its own and waits until it has content. */
export async function loadPage(browser: Browser, { userAgent, proxy }: LoadHow, order: PageOrder): Promise<News> {
  let requests: Requests | undefined;
  try {
    const context = await browser.newContext({
      userAgent,
      acceptDownloads: false,
      serviceWorkers: "block",
      // Tall, so that what is loaded when it comes into view is loaded.
      viewport: { width: 1280, height: 4000 },
      reducedMotion: "reduce",
    });
    try {
      await context.addInitScript(noPeers);
      const page = await context.newPage();
      // Popups are closed.
      context.on("page", (popup) => void popup.close());
      const crashed = new Promise<never>((_, reject) =>
        page.once("crash", () => reject(new Problem("crashed", "The page's process ended."))),
      );
      crashed.catch(() => undefined);
      const session = await context.newCDPSession(page);
      requests = await watchRequests(session, { order, proxy });
      return await Promise.race([read(page, session, requests, order), crashed]);
    } finally {
      await context.close();
    }
  } catch (error) {
    const kind = error instanceof Problem ? error.kind : "unexpected";
    const detail = error instanceof Error ? error.message : String(error);
    return { type: "failed", problem: { kind, url: requests?.lastAsked() ?? order.url, detail } };
  }
}

async function read(page: Page, session: CDPSession, requests: Requests, order: PageOrder): Promise<News> {
  const begun = Date.now();
  await open(page, order);
  const look = lookInto(session, requests);
  let until = begun + order.timeout;
  let last = { hash: 0, since: Date.now(), complete: false, looks: 0 };
  for (;;) {
    const { number, broken } = requests.document();
    if (broken !== null) throw new Problem("network", broken);
    if (number > maxDocuments) throw new Problem("restless", `It loads document after document.`);
    const shown = number === 0 ? null : await look(0);
    const now = Date.now();
    if (shown?.complete && !last.complete) until = Math.min(until, now + contentTimeout);
    if (!shown?.complete && now > until) throw new Problem("slow", "The document did not come in time.");
    if (shown !== null) {
      const isSame = shown.hash === last.hash && shown.complete === last.complete;
      last = isSame ? { ...last, looks: last.looks + 1 } : { ...shown, since: now, looks: 1 };
      const isLoading = requests.pending() > 0;
      // The last response may not be shown yet.
      const since = isLoading ? last.since : Math.max(last.since, requests.answeredAt());
      const enough = shown.length === 0 ? quiet.empty : isLoading ? quiet.loading : quiet.idle;
      const isQuiet = now - since >= enough && last.looks >= sameLooks;
      if (shown.complete && (isQuiet || now > until)) {
        const whole = await look(order.maxBytes);
        const after = requests.document();
        if (whole !== null && after.number === number && after.broken === null)
          return toNews(whole, after, order.maxBytes);
      }
    }
    await sleep(pollInterval);
  }
}

async function open(page: Page, { url, timeout }: PageOrder): Promise<void> {
  try {
    await page.goto(url, { waitUntil: "commit", timeout });
  } catch (error) {
    const detail = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    if (error instanceof Error && error.name === "TimeoutError") throw new Problem("slow", detail);
    throw new Problem("network", detail);
  }
}

/** Reads the document in a world that no script of the page can change. Null while there is another document on its way. */
function lookInto(session: CDPSession, requests: Requests): (maxLength: number) => Promise<Shown | null> {
  let world: { readonly number: number; readonly id: number } | undefined;
  return async (maxLength) => {
    const { number } = requests.document();
    try {
      if (world?.number !== number) {
        const { executionContextId } = await session.send("Page.createIsolatedWorld", {
          frameId: requests.mainFrame,
          worldName: "reader",
        });
        world = { number, id: executionContextId };
      }
      const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
        contextId: world.id,
        expression: `(${readDom.toString()})(document, ${maxLength})`,
        returnByValue: true,
      });
      if (exceptionDetails)
        throw new Problem("unexpected", exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value as Shown;
    } catch (error) {
      if (!(error instanceof Error) || !/context|navigat/i.test(error.message)) throw error;
      world = undefined;
      return null;
    }
  };
}

function toNews(shown: Shown, { status, xRobotsTag }: ReturnType<Requests["document"]>, maxBytes: number): News {
  const { url, mediaType, html } = shown;
  if (html === undefined || Buffer.byteLength(html) > maxBytes)
    throw new Problem("too long", `Its HTML has more than ${maxBytes} bytes.`);
  return { type: "page", page: { url, status, mediaType, html, xRobotsTag } };
}
