/** Messages to a browser process: first to start Chromium, then to load one page at a time. */
export type Order = StartOrder | PageOrder;

export interface StartOrder {
  readonly type: "start";
  /** Path of Chromium. */
  readonly chromium: string;
  /** The guarded proxy, its only access to the network. */
  readonly proxy: ProxyAccess;
  /** Whether Chromium's sandbox is tried. */
  readonly sandbox: boolean;
  /** Added to Chromium's own User-Agent. */
  readonly userAgent: string;
}

/** How Chromium uses the guarded proxy. */
export interface ProxyAccess {
  readonly url: string;
  readonly username: string;
  readonly password: string;
}

export interface PageOrder {
  readonly type: "page";
  readonly url: string;
  /** Sent only to the origin of `url`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Cap on the HTML, in bytes. */
  readonly maxBytes: number;
  /** Time for the document to arrive, in milliseconds. */
  readonly timeout: number;
}

/** Messages of a browser process. */
export type News =
  /** A process of Chromium was started. It leads its own process group. */
  | { readonly type: "spawned"; readonly pid: number }
  | { readonly type: "started"; readonly sandboxed: boolean }
  /** Chromium did not start; the process ends. */
  | { readonly type: "unstartable"; readonly reason: string }
  | { readonly type: "page"; readonly page: LoadedPage }
  | { readonly type: "failed"; readonly problem: PageProblem };

export interface LoadedPage {
  /** Address of the main frame, after all redirects. */
  readonly url: string;
  /** HTTP status of the main frame's response. */
  readonly status: number;
  readonly mediaType: string;
  readonly html: string;
  readonly xRobotsTag: string | null;
}

/** Why there is no page. */
export interface PageProblem {
  readonly kind: "network" | "slow" | "crashed" | "restless" | "too long" | "unexpected";
  /** The last document that the main frame requested. */
  readonly url: string;
  /** Message of Chromium or Playwright, such as net::ERR_EMPTY_RESPONSE. */
  readonly detail: string;
}
