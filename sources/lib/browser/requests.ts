import type { CDPSession } from "playwright-core";
import type { PageOrder, ProxyAccess } from "./messages.ts";

/** The requests of a page. */
export interface Requests {
  readonly mainFrame: string;
  /** The document that the main frame shows. */
  document(): MainDocument;
  /** URL of the main frame's last request. */
  lastRequested(): string;
  /** Number of pending requests that may bring content. */
  pending(): number;
  /** When the last of these succeeded or failed, in milliseconds since 1970; 0 if none has yet. */
  answeredAt(): number;
}

interface MainDocument {
  /** 1 for the first document; 0 before it. */
  readonly number: number;
  readonly status: number;
  readonly xRobotsTag: string | null;
  /** Chromium's error code if all or part of it is missing. */
  readonly broken: string | null;
}

/** A document that the main frame requests. */
interface RequestedDocument {
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
 * Decides about each request of a page, including redirects: refuses resources that are not documentation and frames of other origins;
 * sends the order's headers only to its own origin, and the proxy's credentials only to the proxy. The proxy does not rely on it.
 */
export async function watchRequests(
  session: CDPSession,
  { order, proxy }: { readonly order: PageOrder; readonly proxy: ProxyAccess },
): Promise<Requests> {
  const { frameTree } = await session.send("Page.getFrameTree");
  const mainFrame = frameTree.frame.id;
  const ownUrl = new URL(order.url);
  const pending = new Set<string>();
  let answeredAt = 0;
  const settle = (request: string): void => {
    if (pending.delete(request)) answeredAt = Date.now();
  };
  let number = 0;
  const unanswered = { status: 0, xRobotsTag: null, broken: null };
  let requested: RequestedDocument = { request: "", loader: "", url: order.url, ...unanswered };
  let shown = requested;

  const isRefused = (type: string, url: string, frame: string): boolean => {
    if (refusedTypes.has(type)) return true;
    const { protocol, origin } = new URL(url);
    const isWeb = protocol === "http:" || protocol === "https:";
    if (type !== "Document") return !isWeb && protocol !== "data:" && protocol !== "blob:";
    return !isWeb || (frame !== mainFrame && origin !== new URL(shown.url).origin);
  };

  /** The icon of a site has the type "Other", like workers. */
  const isImage = (headers: Readonly<Record<string, string>>): boolean =>
    headers["Accept"]?.startsWith("image/") ?? false;

  session.on("Fetch.requestPaused", ({ requestId, resourceType, frameId, request: { url, headers } }) => {
    // Sending fails if the page was closed meanwhile.
    const ignoreFailure = (sending: Promise<unknown>): void => void sending.catch(() => undefined);
    if (isRefused(resourceType, url, frameId) || isImage(headers))
      return ignoreFailure(session.send("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" }));
    if (Object.keys(order.headers).length === 0 || new URL(url).origin !== ownUrl.origin)
      return ignoreFailure(session.send("Fetch.continueRequest", { requestId }));
    // An override applies to this hop only: each redirect is paused again.
    const all = Object.entries({ ...lowerCased(headers), ...lowerCased(order.headers) });
    const override = all.map(([name, value]) => ({ name, value }));
    ignoreFailure(session.send("Fetch.continueRequest", { requestId, headers: override }));
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
      requested = { request: requestId, loader: loaderId, url, ...unanswered };
  });
  session.on("Network.responseReceived", ({ requestId, response: { status, headers } }) => {
    if (requestId !== requested.request) return;
    const tag = Object.entries(headers).find(([name]) => name.toLowerCase() === "x-robots-tag")?.[1];
    requested.status = status;
    requested.xRobotsTag = tag?.replaceAll("\n", ", ") ?? null;
  });
  session.on("Page.frameNavigated", ({ frame: { id, loaderId, url, unreachableUrl } }) => {
    if (id !== mainFrame) return;
    number += 1;
    // A document that a script creates without the network, such as about:blank, has no response.
    shown = requested.loader === loaderId ? requested : { ...requested, request: "", url, ...unanswered };
    if (unreachableUrl !== undefined) shown.broken ??= "net::ERR_FAILED";
  });
  session.on("Network.loadingFinished", ({ requestId }) => settle(requestId));
  session.on("Network.loadingFailed", ({ requestId, errorText }) => {
    settle(requestId);
    // A refused document or a download does not replace the shown one.
    for (const document of [requested, shown]) if (requestId === document.request) document.broken = errorText;
  });

  await session.send("Network.enable");
  await session.send("Page.enable");
  await session.send("Fetch.enable", { handleAuthRequests: true, patterns: [{ urlPattern: "*" }] });
  return {
    mainFrame,
    document: () => ({ ...shown, number }),
    lastRequested: () => requested.url,
    pending: () => pending.size,
    answeredAt: () => answeredAt,
  };
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
