import { createSocket } from "node:dgram";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { inject, onTestFinished } from "vitest";
import { createBrowser, type Browser, type BrowserOptions } from "../../../sources/lib/browser/browser.ts";
import { createGuard, type GuardOptions } from "../../../sources/lib/fetch/guard.ts";
import { startSite, type Site, type SitePage } from "../../support/site.ts";

const noProxies = { http: undefined, https: undefined, except: "" };

/** A browser for the duration of a test, which reaches what is allowed. */
export function browserFor(
  allow: readonly string[],
  { limits, lookup, ...options }: Partial<BrowserOptions> & Pick<GuardOptions, "lookup"> = {},
): Browser {
  const browser = createBrowser({
    chromium: inject("chromium") ?? "",
    guard: createGuard({ allow, ...(lookup && { lookup }) }),
    proxies: noProxies,
    authorities: "",
    userAgent: "Lectern/test (+https://example.com)",
    onUnsandboxed: () => undefined,
    limits: { pageTimeout: 40_000, ...limits },
    ...options,
  });
  onTestFinished(() => browser.close());
  return browser;
}

/** A site for the duration of a test. */
export async function siteWith(pages: Readonly<Record<string, SitePage>>): Promise<Site> {
  const site = await startSite(pages);
  onTestFinished(() => site.close());
  return site;
}

/** Renders with a test's patience. */
export function render(browser: Browser, url: string, headers?: Readonly<Record<string, string>>) {
  return browser.render(new URL(url), {
    signal: new AbortController().signal,
    maxBytes: 5_000_000,
    ...(headers && { headers }),
  });
}

/** A place that nothing may come to, by TCP or UDP. */
export async function openCanary(): Promise<{ readonly port: number; readonly arrivals: string[] }> {
  const arrivals: string[] = [];
  const tcp = createServer((socket) => {
    arrivals.push("tcp");
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      arrivals.push(data.toString("latin1").split("\r\n")[0] ?? "");
      socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\naccess-control-allow-origin: *\r\n\r\n");
    });
  });
  tcp.listen(0, "127.0.0.1");
  await once(tcp, "listening");
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket("udp4").on("message", () => arrivals.push("udp"));
  udp.bind(port, "127.0.0.1");
  await once(udp, "listening");
  onTestFinished(() => {
    udp.close();
    tcp.close();
  });
  return { port, arrivals };
}

/** The processes below one, itself left out, that are still at work: their IDs and command lines. */
export function processesBelow(parent: number): { readonly pid: number; readonly command: string }[] {
  const all = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? processAt(Number(name)) : []));
  const below = new Set([parent]);
  for (let size = 0; size !== below.size;) {
    size = below.size;
    for (const { pid, ppid } of all) if (below.has(ppid)) below.add(pid);
  }
  return all.filter(({ pid, state }) => pid !== parent && state !== "Z" && below.has(pid));
}

/** Whether a process is there that is no zombie. */
export function isRunning(pid: number): boolean {
  return processAt(pid).some(({ state }) => state !== "Z");
}

function processAt(pid: number) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [, state = "", ppid = ""] = stat.slice(stat.lastIndexOf(")") + 1).split(" ");
    const command = readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");
    return [{ pid, ppid: Number(ppid), state, command }];
  } catch {
    // It has ended meanwhile.
    return [];
  }
}
