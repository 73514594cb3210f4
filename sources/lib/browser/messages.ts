/** Messages to a browser process: first how to start Chromium, then one page after the other. */
export type Order = StartOrder | PageOrder;

export interface StartOrder {
  readonly type: "start";
  /** Path of Chromium. */
  readonly chromium: string;
  /** The guarded proxy, its only way out. */
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
  /** Sent to the origin of `url` and to no other one. */
  readonly headers: Readonly<Record<string, string>>;
  /** Cap on the HTML, in bytes. */
  readonly maxBytes: number;
  /** Milliseconds in which the document has to come. */
  readonly timeout: number;
}

/** Messages of a browser process. */
export type News =
  /** A process of Chromium was started, which leads its own process group. */
  | { readonly type: "spawned"; readonly pid: number }
  | { readonly type: "started"; readonly sandboxed: boolean }
  /** Chromium did not start; the process ends. */
  | { readonly type: "unstartable"; readonly reason: string }
  | { readonly type: "page"; readonly page: LoadedPage }
  | { readonly type: "failed"; readonly problem: PageProblem };

export interface LoadedPage {
  /** Where the main frame is, after all redirects. */
  readonly url: string;
  /** Of the response that the main frame shows. */
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
