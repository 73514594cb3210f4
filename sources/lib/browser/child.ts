/**
 * The program of a browser process: runs one Chromium and loads pages, one at a time, as its parent orders. When the parent has ended
 * for any reason, it ends with Chromium.
 */
import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { rmSync } from "node:fs";
import type { Browser } from "playwright-core";
import { killGroup } from "../threads/kill-group.ts";
import { loadPage } from "./load-page.ts";
import type { News, Order, PageOrder, ProxyAccess, StartOrder } from "./messages.ts";

/** Longest start of Chromium, in milliseconds. */
const startTimeout = 30_000;

const children = new Set<ChildProcess>();
let chromium: { readonly browser: Browser; readonly userAgent: string; readonly proxy: ProxyAccess } | undefined;

const send = (news: News): void => void process.send?.(news);

// Playwright does not expose the processes it starts; Chromium leads its own process group.
subscribe("child_process", (message) => {
  const { process: child } = message as { readonly process: ChildProcess };
  children.add(child);
  child.once("spawn", () => send({ type: "spawned", pid: child.pid ?? 0 }));
  child.once("exit", () => children.delete(child));
});

process.on("disconnect", () => {
  for (const { pid } of children) if (pid !== undefined) killGroup(pid);
  const { LECTERN_BROWSER_FOLDER: folder } = process.env;
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exit();
});

process.on("message", (order: Order) => {
  if (order.type === "page") void load(order);
  else void start(order).catch((error: unknown) => send({ type: "unstartable", reason: String(error) }));
});

async function start(order: StartOrder): Promise<void> {
  const { chromium: type } = await import("playwright-core");
  const launch = (sandbox: boolean): Promise<Browser> =>
    type.launch({
      executablePath: order.chromium,
      chromiumSandbox: sandbox,
      // Credentials follow when the proxy asks for them (requests.ts).
      proxy: { server: order.proxy.url },
      args: [...switches],
      ignoreDefaultArgs: [...withoutSwitches],
      env: process.env as Record<string, string>,
      timeout: startTimeout,
      // The parent ends this process with its group.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
  let sandboxed = order.sandbox;
  const browser = await launch(sandboxed).catch((error: unknown) => {
    if (!sandboxed || !/sandbox|namespace/i.test(String(error))) throw error;
    sandboxed = false;
    return launch(false);
  });
  const major = browser.version().split(".")[0];
  // Sites see that it is a Chromium, and who runs it.
  const userAgent = `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36 ${order.userAgent}`;
  browser.once("disconnected", () => process.exit(1));
  chromium = { browser, userAgent, proxy: order.proxy };
  send({ type: "started", sandboxed });
}

async function load(order: PageOrder): Promise<void> {
  if (chromium === undefined) throw new Error("A page was ordered before Chromium was started.");
  const { browser, ...how } = chromium;
  send(await loadPage(browser, how, order));
}

/** Switches of Chromium in addition to Playwright's. */
const switches: readonly string[] = [
  // Nothing bypasses the proxy: no UDP of WebRTC, no QUIC. Chromium 156 has the second switch, older ones the first.
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--disable-quic",
  "--no-pings",
  "--dns-prefetch-disable",
  "--disable-domain-reliability",
  "--disable-client-side-phishing-detection",
  // Reading a page does not need these.
  "--disable-gpu",
  "--disable-3d-apis",
  "--disable-remote-fonts",
  "--disable-notifications",
  "--disable-speech-api",
  "--disable-print-preview",
  "--disable-crash-reporter",
  "--blink-settings=imagesEnabled=false",
  // Limits on the processes and the heap of a page.
  "--renderer-process-limit=4",
  "--js-flags=--max-old-space-size=512",
];

/** Switches of Playwright that are removed, so that popups are blocked and pages cannot flood the browser with messages. */
const withoutSwitches: readonly string[] = ["--disable-popup-blocking", "--disable-ipc-flooding-protection"];
