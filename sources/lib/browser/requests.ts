import type { CDPSession } from "playwright-core";
import type { PageOrder, ProxyAccess } from "./messages.ts";

/** What a page asks for. */
export interface Requests {
  readonly mainFrame: string;
  /** The document that the main frame shows. */
  document(): MainDocument;
  /** What the main frame asked for last. */
  lastAsked(): string;
  /** Number of unanswered requests that may bring content. */
  pending(): number;
  /** When the last of these was answered or failed, in milliseconds since 1970; 0: none was. */
  answeredAt(): number;
}

export interface MainDocument {
  /** 1 for the first; 0 while there is none. */
  readonly number: number;
  readonly status: number;
  readonly xRobotsTag: string | null;
  /** Chromium's error code if it did not come, or only a part of it. */
  readonly broken: string | null;
}

/** A document that the main frame asks for. */
interface Asked {
  readonly request: string;
  readonly loader: string;
  readonly url: string;
  status: number;
  xRobotsTag: string | null;
  broken: string | null;
}

/** Types of resources that are not documentation. */
const refusedTypes = new Set([
  "Image",
  "Media",
  "Font",
  "TextTrack",
  "Prefetch",
  "Manifest",
  "Ping",
  "CSPViolationReport",
]);
/** Types of resources that may bring content. */
const awaitedTypes = new Set(["Document", "Stylesheet", "Script", "XHR", "Fetch"]);

/**
 * Decides about each request of a page, redirects included: resources that are not documentation are refused, and so are frames of other
 * origins; the order's headers go only to its own origin, the proxy's credentials only to the proxy. The proxy does not rely on it.
 */
export async function watchRequests(
  session: CDPSession,
  { order, proxy }: { readonly order: PageOrder; readonly proxy: ProxyAccess },
): Promise<Requests> {
  const { frameTree } = await session.send("Page.getFrameTree");
  const mainFrame = frameTree.frame.id;
  const own = new URL(order.url);
  const pending = new Set<string>();
  let answeredAt = 0;
  const settle = (request: string): void => {
    if (pending.delete(request)) answeredAt = Date.now();
  };
  let number = 0;
  let asked: Asked = { request: "", loader: "", url: order.url, status: 0, xRobotsTag: null, broken: null };
  let shown = asked;

  const isRefused = (type: string, url: string, frame: string): boolean => {
    if (refusedTypes.has(type)) return true;
    const { protocol, origin } = new URL(url);
    const isWeb = protocol === "http:" || protocol === "https:";
    if (type !== "Document") return !isWeb && protocol !== "data:" && protocol !== "blob:";
    return !isWeb || (frame !== mainFrame && origin !== new URL(shown.url).origin);
  };

  /** The icon of a site comes as "Other", which workers are too. */
  const isImage = (headers: Readonly<Record<string, string>>): boolean =>
    headers["Accept"]?.startsWith("image/") ?? false;

  session.on("Fetch.requestPaused", ({ requestId, resourceType, frameId, request: { url, headers } }) => {
    // A page that was closed meanwhile has no use for the answer.
    const send = (answering: Promise<unknown>): void => void answering.catch(() => undefined);
    if (isRefused(resourceType, url, frameId) || isImage(headers))
      return send(session.send("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" }));
    if (Object.keys(order.headers).length === 0 || new URL(url).origin !== own.origin)
      return send(session.send("Fetch.continueRequest", { requestId }));
    // An override counts for this hop alone: each redirect is paused again.
    const all = Object.entries({ ...lowerCased(headers), ...lowerCased(order.headers) }).map(([name, value]) => ({
      name,
      value,
    }));
    send(session.send("Fetch.continueRequest", { requestId, headers: all }));
  });
  session.on("Fetch.authRequired", ({ requestId, authChallenge }) => {
    const isProxy = authChallenge.source === "Proxy" && authChallenge.origin === proxy.url;
    const authChallengeResponse = isProxy
      ? ({ response: "ProvideCredentials", username: proxy.username, password: proxy.password } as const)
      : ({ response: "CancelAuth" } as const);
    session.send("Fetch.continueWithAuth", { requestId, authChallengeResponse }).catch(() => undefined);
  });

  session.on("Network.requestWillBeSent", ({ requestId, loaderId, frameId, type, request: { url } }) => {
    if (type !== undefined && awaitedTypes.has(type)) pending.add(requestId);
    if (type === "Document" && frameId === mainFrame)
      asked = { request: requestId, loader: loaderId, url, status: 0, xRobotsTag: null, broken: null };
  });
  session.on("Network.responseReceived", ({ requestId, response: { status, headers } }) => {
    if (requestId !== asked.request) return;
    const tag = Object.entries(headers).find(([name]) => name.toLowerCase() === "x-robots-tag")?.[1];
    asked.status = status;
    asked.xRobotsTag = tag?.replaceAll("\n", ", ") ?? null;
  });
  session.on("Page.frameNavigated", ({ frame: { id, loaderId, url, unreachableUrl } }) => {
    if (id !== mainFrame) return;
    number += 1;
    // What a script makes without the network, such as about:blank, has no response.
    shown =
      asked.loader === loaderId ? asked : { ...asked, request: "", url, status: 0, xRobotsTag: null, broken: null };
    if (unreachableUrl !== undefined) shown.broken ??= "net::ERR_FAILED";
  });
  session.on("Network.loadingFinished", ({ requestId }) => settle(requestId));
  session.on("Network.loadingFailed", ({ requestId, errorText }) => {
    settle(requestId);
    // A document that is refused, or is a download, does not replace the one before it.
    for (const document of [asked, shown]) if (requestId === document.request) document.broken = errorText;
  });

  await session.send("Network.enable");
  await session.send("Page.enable");
  await session.send("Fetch.enable", { handleAuthRequests: true, patterns: [{ urlPattern: "*" }] });
  return {
    mainFrame,
    document: () => ({ ...shown, number }),
    lastAsked: () => asked.url,
    pending: () => pending.size,
    answeredAt: () => answeredAt,
  };
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
