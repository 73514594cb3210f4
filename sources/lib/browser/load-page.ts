import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, CDPSession, Page } from "playwright-core";
import type { News, PageOrder, PageProblem, ProxyAccess } from "./messages.ts";
import { watchRequests, type Requests } from "./requests.ts";

/** How pages are loaded. */
export interface LoadHow {
  readonly userAgent: string;
  readonly proxy: ProxyAccess;
}

/** Maximum time for a document's text to settle, in milliseconds. */
const contentTimeout = 10_000;
const pollInterval = 50;
/**
 * Time without a change after which a text has settled, in milliseconds: once the timers of the page have run, and without any text. A page
 * whose timers wait for requests, such as a stream, has `waiting` until they run all the same.
 */
const quiet = { idle: 300, waiting: 4000, empty: 3000 };
/** Time on the clock of the page, which runs fast while the page waits for a timer, in milliseconds. */
const timers = 5000;
/** Maximum number of tasks of the page without a step of its clock. */
const maxTasks = 1000;
/** Number of consecutive snapshots that must have the same text: time alone is no evidence while a script blocks the page. */
const sameSnapshots = 3;
/** Maximum number of documents that a page navigates to. */
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
      // Tall, so that content that loads when scrolled into view is loaded.
      viewport: { width: 1280, height: 4000 },
      reducedMotion: "reduce",
    });
    try {
      await context.addInitScript(noPeers);
      const page = await context.newPage();
      context.on("page", (popup) => void popup.close());
      const crashed = new Promise<never>((_, reject) =>
        page.once("crash", () => reject(new Problem("crashed", "The page's process ended."))),
      );
      crashed.catch(() => undefined);
      const session = await context.newCDPSession(page);
      requests = await watchRequests(session, { order, proxy });
      const clock = watchClock(page, await context.newCDPSession(page));
      return await Promise.race([read({ page, session, requests, clock }, order), crashed]);
    } finally {
      await context.close();
    }
  } catch (error) {
    const kind = error instanceof Problem ? error.kind : "unexpected";
    const detail = error instanceof Error ? error.message : String(error);
    return { type: "failed", problem: { kind, url: requests?.lastRequested() ?? order.url, detail } };
  }
}

/** A page that is loaded. */
interface Loading {
  readonly page: Page;
  readonly session: CDPSession;
  readonly requests: Requests;
  readonly clock: Clock;
}

async function read({ page, session, requests, clock }: Loading, order: PageOrder): Promise<News> {
  const begun = Date.now();
  await open(page, order);
  const snapshot = createSnapshots(session, requests);
  let until = begun + order.timeout;
  let last = { hash: 0, since: Date.now(), complete: false, count: 0 };
  let shownNumber = 0;
  for (;;) {
    const { number, broken } = requests.document();
    if (broken !== null) throw new Problem("network", broken);
    if (number > maxDocuments) throw new Problem("restless", `It loads document after document.`);
    if (number !== shownNumber) await clock.run("pauseIfNetworkFetchesPending");
    shownNumber = number;
    const shown = number === 0 ? null : await snapshot(0);
    const now = Date.now();
    if (shown?.complete && !last.complete) until = Math.min(until, now + contentTimeout);
    if (!shown?.complete && now > until) throw new Problem("slow", "The document did not arrive in time.");
    if (shown !== null) {
      const isSame = shown.hash === last.hash && shown.complete === last.complete;
      last = isSame ? { ...last, count: last.count + 1 } : { ...shown, since: now, count: 1 };
      const isLoading = requests.pending() > 0;
      const hasRun = clock.hasRun();
      // The last response may not be shown yet.
      const since = isLoading ? last.since : Math.max(last.since, requests.answeredAt());
      const enough = isLoading || !hasRun ? quiet.waiting : shown.length === 0 ? quiet.empty : quiet.idle;
      const isQuiet = now - since >= enough && last.count >= sameSnapshots;
      if (shown.complete && isQuiet && !hasRun) {
        await clock.run("advance");
        last = { ...last, since: now, count: 0 };
      } else if (shown.complete && (isQuiet || now > until)) {
        const whole = await snapshot(order.maxBytes);
        const after = requests.document();
        if (whole !== null && after.number === number && after.broken === null)
          return toNews(whole, after, order.maxBytes);
      }
    }
    await sleep(pollInterval);
  }
}

interface Clock {
  /** Whether the timers of the page have run. */
  hasRun(): boolean;
  run(policy: "advance" | "pauseIfNetworkFetchesPending"): Promise<void>;
}

/**
 * Controls the clock of the page, which does not depend on how busy the machine is: it stands while the page works or waits for requests
 * (unless it is told to `advance`), and otherwise goes on to the next timer at once. After `timers` it stands for good. Workers do not
 * run on such a clock, so that pages with some have the usual one. `session` has no other purpose: its end ends the control.
 */
function watchClock(page: Page, session: CDPSession): Clock {
  let hasRun = false;
  let isUsual = false;
  session.on("Emulation.virtualTimeBudgetExpired", () => {
    hasRun = true;
  });
  page.on("worker", () => {
    if (isUsual) return;
    isUsual = true;
    session.detach().catch(() => undefined);
  });
  return {
    hasRun: () => hasRun || isUsual,
    async run(policy) {
      hasRun = false;
      const task = { policy, budget: timers, maxVirtualTimeTaskStarvationCount: maxTasks };
      if (!isUsual)
        await session.send("Emulation.setVirtualTimePolicy", task).catch((error: unknown) => {
          if (!isUsual) throw error;
        });
    },
  };
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

/** Creates the function that reads the document, isolated from scripts of the page. It returns null during a navigation. */
function createSnapshots(session: CDPSession, requests: Requests): (maxLength: number) => Promise<Snapshot | null> {
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
      return result.value as Snapshot;
    } catch (error) {
      if (!(error instanceof Error) || !/context|navigat/i.test(error.message)) throw error;
      world = undefined;
      return null;
    }
  };
}

function toNews(shown: Snapshot, { status, xRobotsTag }: ReturnType<Requests["document"]>, maxBytes: number): News {
  const { url, mediaType, html } = shown;
  if (html === undefined || Buffer.byteLength(html) > maxBytes)
    throw new Problem("too long", `Its HTML has more than ${maxBytes} bytes.`);
  return { type: "page", page: { url, status, mediaType, html, xRobotsTag } };
}

/** The part of the DOM that `readDom` uses: Node's types don't include the DOM. */
interface PageNode {
  readonly nodeType: number;
  readonly childNodes: Iterable<PageNode>;
  readonly data: string;
  readonly localName: string;
  readonly namespaceURI: string | null;
  readonly attributes: Iterable<{ readonly name: string; readonly value: string }>;
  readonly shadowRoot: PageNode | null;
  readonly contentDocument: PageDocument | null;
  readonly href?: string;
  readonly src?: string;
  assignedNodes?(options: { flatten: boolean }): readonly PageNode[];
}

interface PageDocument {
  readonly URL: string;
  readonly contentType: string;
  readonly readyState: string;
  readonly documentElement: PageNode | null;
  readonly body: PageNode | null;
}

/** The state of a document. */
interface Snapshot {
  readonly url: string;
  readonly mediaType: string;
  /** Whether all of the document was received. */
  readonly complete: boolean;
  /** Characters of text, without blanks. */
  readonly length: number;
  /** Equal for documents with the same text. */
  readonly hash: number;
  /** Absent if not requested, or longer than the limit. */
  readonly html?: string;
}

/**
 * Reads a document as it is shown: with open shadow roots in their hosts, and the content of same-origin frames in place of the
 * frames; without scripts, styles, templates and comments. Includes its HTML if that has at most `maxLength` characters; 0 requests the
 * text only. This function is sent to the page as source text, so it uses nothing outside itself.
 */
function readDom(page: object, maxLength: number): Snapshot {
  const dropped = new Set("script style noscript template noembed noframes object embed applet".split(" "));
  const empty = new Set("area base br col hr img input link meta param source track wbr".split(" "));
  // The parser reads the content of these as text, and would miss elements that a script has added to them.
  const renamed: Readonly<Record<string, string>> = { xmp: "pre", listing: "pre", plaintext: "pre" };
  const document = page as PageDocument;
  const parts: string[] = [];
  let size = 0;
  let length = 0;
  let hash = 0;

  const write = (text: string): void => {
    if (maxLength === 0 || size > maxLength) return;
    size += text.length;
    parts.push(text);
  };
  const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  const escape = (text: string): string => text.replace(/[&<>"]/g, (character) => escapes[character] ?? "");

  const readText = (text: string): void => {
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === 32 || (code >= 9 && code <= 13)) continue;
      length += 1;
      hash = (Math.imul(hash, 31) + code) | 0;
    }
    if (maxLength > 0) write(escape(text));
  };
  const childrenOf = (node: PageNode): readonly PageNode[] => {
    if (node.shadowRoot !== null && node.shadowRoot !== undefined) return [...node.shadowRoot.childNodes];
    const assigned = node.localName === "slot" ? (node.assignedNodes?.({ flatten: true }) ?? []) : [];
    return assigned.length > 0 ? assigned : [...node.childNodes];
  };
  /** Links in a frame are relative to the frame's own address. */
  const valueOf = (node: PageNode, name: string, value: string, framed: boolean): string => {
    const absolute = framed && (name === "href" || name === "src") ? node[name] : undefined;
    return typeof absolute === "string" && absolute !== "" ? absolute : value;
  };
  const open = (node: PageNode, name: string, framed: boolean): void => {
    write(`<${name}`);
    for (const attribute of node.attributes)
      if (/^[^\s"'<>/=]+$/.test(attribute.name))
        write(` ${attribute.name}="${escape(valueOf(node, attribute.name, attribute.value, framed))}"`);
    write(">");
  };

  // A list of steps in place of recursion: elements may be nested deeper than calls can be.
  type Step = { readonly node: PageNode; readonly framed: boolean } | string;
  const steps: Step[] = [];
  const push = (nodes: readonly PageNode[], framed: boolean): void => {
    for (let at = nodes.length - 1; at >= 0; at -= 1) {
      const node = nodes[at];
      if (node !== undefined) steps.push({ node, framed });
    }
  };
  if (document.documentElement !== null) push([document.documentElement], false);
  write("<!doctype html>");
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    if (typeof step === "string") {
      write(step);
      continue;
    }
    const { node, framed } = step;
    if (node.nodeType === 3 || node.nodeType === 4) readText(node.data);
    if (node.nodeType !== 1 || dropped.has(node.localName)) continue;
    const frame = node.localName === "iframe" || node.localName === "frame" ? node.contentDocument : undefined;
    const inner = frame?.body ? [...frame.body.childNodes] : undefined;
    const isHtml = node.namespaceURI === "http://www.w3.org/1999/xhtml";
    const name = frame === undefined ? (isHtml ? (renamed[node.localName] ?? node.localName) : node.localName) : "div";
    if (!/^[a-z][^\s"'<>/=]*$/i.test(name)) continue;
    if (frame === undefined) open(node, name, framed);
    else if (inner === undefined) continue;
    else write("<div>");
    if (isHtml && empty.has(name)) continue;
    const children = inner ?? childrenOf(node);
    // The parser drops a leading line break, so one is added.
    const first = children[0];
    if ((name === "pre" || name === "textarea") && first?.nodeType === 3 && first.data.startsWith("\n")) write("\n");
    steps.push(`</${name}>`);
    push(children, framed || frame !== undefined);
  }
  const isShort = maxLength > 0 && size <= maxLength;
  return {
    url: document.URL,
    mediaType: document.contentType,
    complete: document.readyState !== "loading",
    length,
    hash,
    ...(isShort && { html: parts.join("") }),
  };
}
