import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Failure } from "../../../domain/failures.ts";
import { killGroup } from "../threads/kill-group.ts";
import { temporaryFolder } from "../threads/temporary-folders.ts";
import { trustAuthorities, type TrustedAuthorities } from "./chromium.ts";
import { openGuardedProxy, type Traffic } from "./guarded-proxy.ts";
import type { News, Order, PageOrder } from "./messages.ts";
import type { Egress } from "./egress.ts";
import { close, open, read, readdir } from "node:fs";
import { promisify } from "node:util";

/** Maximum number of bytes read of a file in /proc: both kinds of file are shorter. */
const maxRead = 4096;

/** Every so many measurements look at all processes; the others only at new ones and those of the groups. */
const measurementsPerScan = 4;

const [openFile, readInto, closeFile, list] = [promisify(open), promisify(read), promisify(close), promisify(readdir)];

/**
 * Creates the function that measures the memory of process groups, in bytes, without memory shared with other processes, such as the
 * program. 0 if the system has no /proc, as on macOS.
 */
function createMemoryMeter(groups: ReadonlySet<number>): () => Promise<number> {
  // One buffer for all files: with a buffer for each measurement, four times a second, the process grew.
  const buffer = Buffer.allocUnsafeSlow(maxRead);
  let others = new Set<string>();
  let measurements = 0;
  return async () => {
    if (measurements++ % measurementsPerScan === 0) others = new Set();
    let sum = 0;
    for (const name of await list("/proc").catch(() => [])) {
      if (others.has(name) || !/^\d+$/.test(name)) continue;
      // The fields follow the name of the program, which may have any characters. They are state, parent, group …
      const stat = await beginningOf(`/proc/${name}/stat`, buffer);
      const group = Number(stat.slice(stat.lastIndexOf(")") + 1).split(" ")[3]);
      if (groups.has(group)) sum += ownBytes(await beginningOf(`/proc/${name}/status`, buffer));
      else others.add(name);
    }
    return sum;
  };
}

function ownBytes(status: string): number {
  const sizes = [...status.matchAll(/^Rss(?:Anon|Shmem):\s*(\d+) kB$/gm)].map(([, size]) => Number(size));
  return sizes.reduce((sum, size) => sum + size, 0) * 1024;
}

/** The beginning of a file; "" if the process has ended meanwhile. */
async function beginningOf(path: string, buffer: Buffer): Promise<string> {
  const file = await openFile(path, "r").catch(() => undefined);
  if (file === undefined) return "";
  const bytes = await readInto(file, buffer, 0, maxRead, 0)
    .then(({ bytesRead }) => bytesRead)
    .catch(() => 0);
  await closeFile(file);
  return buffer.toString("latin1", 0, bytes);
}

/** Limits on a browser process. */
export interface BrowserLimits {
  /** Time to start Chromium, in milliseconds. */
  readonly startTimeout: number;
  /** Time to load a page, in milliseconds. */
  readonly pageTimeout: number;
  /** Memory of the processes of a browser together, in bytes. */
  readonly memory: number;
  /** Size of all responses for one page, in bytes. */
  readonly traffic: number;
}

export interface BrowserProcessOptions {
  readonly chromium: string;
  readonly way: Egress;
  readonly sandbox: boolean;
  readonly userAgent: string;
  /** Authorities that are trusted in addition to Chromium's own. */
  readonly authorities: TrustedAuthorities;
  readonly limits: BrowserLimits;
}

/** Why a browser process has ended without a page. */
export type BrowserEnd =
  | { readonly type: "unstartable"; readonly reason: string }
  /** The process or Chromium exited, or something else killed it. */
  | { readonly type: "died" }
  | { readonly type: "timeout" }
  | { readonly type: "memory" }
  | { readonly type: "traffic"; readonly failure: Failure }
  | { readonly type: "aborted" };

type PageNews = Extract<News, { type: "page" | "failed" }>;
type StartNews = Extract<News, { type: "started" | "unstartable" }>;

/** The result of loading a page. */
export interface Loaded {
  /** A BrowserEnd is also the end of the process. */
  readonly outcome: PageNews | BrowserEnd;
  readonly traffic: Pick<Traffic, "failureOf">;
}

/** A browser in a process of its own, for one page at a time. */
export interface BrowserProcess {
  /** Whether its pages run in Chromium's own sandbox. */
  readonly sandboxed: boolean;
  load(order: PageOrder, signal: AbortSignal): Promise<Loaded>;
  /** Whether it can load another page. */
  isAlive(): boolean;
  /** Kills it with its child processes, and removes its folder. */
  end(): Promise<void>;
}

const childArgs = ["--max-old-space-size=512", join(import.meta.dirname, "child.ts")];
/** Milliseconds between two measurements of its memory. */
const watchInterval = 250;

/** Starts a browser process. Aborting the signal cancels the start. */
export async function startBrowser(
  options: BrowserProcessOptions,
  signal: AbortSignal,
): Promise<BrowserProcess | BrowserEnd> {
  const { limits } = options;
  const { folder, proxy } = await prepare(options);
  const child = spawnChild(folder);
  const groups = new Set<number>(child.pid === undefined ? [] : [child.pid]);
  const measureMemory = createMemoryMeter(groups);
  const exited = Promise.withResolvers<void>();
  child.once("error", () => exited.resolve());
  child.once("exit", () => exited.resolve());
  let result = Promise.withResolvers<Exclude<News, { type: "spawned" }> | BrowserEnd>();
  let isAlive = true;
  let ending: Promise<void> | undefined;
  child.on("message", (news: News) => {
    if (news.type !== "spawned") result.resolve(news);
    else if (isAlive) groups.add(news.pid);
    else killGroup(news.pid);
  });
  void exited.promise.then(() => stop({ type: "died" }));

  /** Kills only once: later the IDs of the process groups may be reused. */
  function stop(end: BrowserEnd): void {
    if (!isAlive) return;
    isAlive = false;
    for (const leader of groups) killGroup(leader);
    result.resolve(end);
  }

  function end(): Promise<void> {
    stop({ type: "died" });
    ending ??= (async () => {
      await exited.promise;
      await proxy.close();
      // A killed process may still be writing its last file.
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    })();
    return ending;
  }

  /** Sends an order and waits for the result. */
  async function execute<N extends News>(order: Order, timeout: number, onTimeout: BrowserEnd, signal: AbortSignal) {
    result = Promise.withResolvers();
    const abort = (): void => stop({ type: "aborted" });
    if (signal.aborted) abort();
    if (!isAlive) return { type: "died" } as const;
    signal.addEventListener("abort", abort);
    const timer = setTimeout(() => stop(onTimeout), timeout);
    let isMeasuring = false;
    const watch = setInterval(() => {
      // On a busy machine a measurement may take longer than the interval.
      if (isMeasuring) return;
      isMeasuring = true;
      void measureMemory().then((bytes) => {
        isMeasuring = false;
        if (bytes > limits.memory) stop({ type: "memory" });
      });
    }, watchInterval);
    // Sending fails only if the process has ended, and its exit is handled.
    child.send(order, () => undefined);
    try {
      // The program replies to each kind of order with its own kind of message.
      return (await result.promise) as N | BrowserEnd;
    } finally {
      signal.removeEventListener("abort", abort);
      clearTimeout(timer);
      clearInterval(watch);
    }
  }

  const { chromium, sandbox, userAgent } = options;
  const start: Order = { type: "start", chromium, sandbox, userAgent, proxy: proxy.access };
  const reason = `It did not start within ${limits.startTimeout / 1000} s.`;
  const news = await execute<StartNews>(start, limits.startTimeout, { type: "unstartable", reason }, signal);
  if (news.type !== "started") {
    await end();
    return news.type === "died" ? { type: "unstartable", reason: "It ended at once." } : news;
  }
  return {
    sandboxed: news.sandboxed,
    isAlive: () => isAlive,
    end,
    async load(order, signal) {
      const traffic = proxy.begin(limits.traffic, (failure) => stop({ type: "traffic", failure }));
      try {
        return { outcome: await execute<PageNews>(order, limits.pageTimeout, { type: "timeout" }, signal), traffic };
      } finally {
        traffic.end();
      }
    },
  };
}

/** Creates the folder and the proxy of a browser process; removes the folder again if either fails. */
async function prepare({ way, authorities }: BrowserProcessOptions) {
  const folder = await temporaryFolder();
  try {
    await trustAuthorities(folder, authorities);
    return { folder, proxy: await openGuardedProxy(way) };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Starts the program of a browser process, in its own process group and without secrets. */
function spawnChild(folder: string) {
  // Limits on address space or data are no use: Chromium reserves far more than it uses.
  return spawn("/bin/sh", ["-c", 'ulimit -c 0; exec "$@"', "sh", process.execPath, ...childArgs], {
    cwd: folder,
    detached: true,
    env: {
      PATH: process.env["PATH"] ?? "",
      LANG: "C.UTF-8",
      HOME: folder,
      TMPDIR: folder,
      XDG_CONFIG_HOME: folder,
      XDG_CACHE_HOME: folder,
      LECTERN_BROWSER_FOLDER: folder,
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
    },
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
}
