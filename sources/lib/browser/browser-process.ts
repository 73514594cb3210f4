import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Failure } from "../../../domain/failures.ts";
import { killGroup } from "../threads/kill-group.ts";
import { temporaryFolder } from "../threads/temporary-folders.ts";
import { trustAuthorities } from "./chromium.ts";
import type { TrustedAuthorities } from "./chromium.ts";
import { openGuardedProxy } from "./guarded-proxy.ts";
import type { Traffic } from "./guarded-proxy.ts";
import type { News, Order, PageOrder } from "./messages.ts";
import type { WayOut } from "./way-out.ts";
import { close, open, read, readdir } from "node:fs";
import { promisify } from "node:util";

/** Bytes that are read of a file in /proc: both kinds of file are shorter. */
const maxRead = 4096;

/** Looks after which all processes are looked at again; in between only new ones and those of the groups are. */
const looksBetween = 4;

const [openFile, readInto, closeFile, list] = [promisify(open), promisify(read), promisify(close), promisify(readdir)];

/**
 * Makes what measures the memory of process groups, in bytes; what their processes share with others, such as the program, does not count.
 * 0 where the system has no /proc, as on macOS.
 */
function watchMemory(groups: ReadonlySet<number>): () => Promise<number> {
  // One for all files: the process grew when each look, four times a second, took its own.
  const buffer = Buffer.allocUnsafeSlow(maxRead);
  let others = new Set<string>();
  let looks = 0;
  return async () => {
    if (looks++ % looksBetween === 0) others = new Set();
    let sum = 0;
    for (const name of await namesIn("/proc")) {
      if (others.has(name) || !/^\d+$/.test(name)) continue;
      // The fields follow the name of the program, which may have any characters: state, parent, group …
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

async function namesIn(folder: string): Promise<readonly string[]> {
  return list(folder).catch(() => []);
}

/** The beginning of a file; "" where the process has ended meanwhile. */
async function beginningOf(path: string, buffer: Buffer): Promise<string> {
  const file = await openFile(path, "r").catch(() => undefined);
  if (file === undefined) return "";
  const bytes = await readInto(file, buffer, 0, maxRead, 0)
    .then(({ bytesRead }) => bytesRead)
    .catch(() => 0);
  await closeFile(file);
  return buffer.toString("latin1", 0, bytes);
}

/** What a browser process may take. */
export interface BrowserLimits {
  /** Until Chromium has started, and for one page, in milliseconds. */
  readonly startTimeout: number;
  readonly pageTimeout: number;
  /** Bytes that the processes of a browser may hold together. */
  readonly memory: number;
  /** Bytes that servers may send for one page. */
  readonly traffic: number;
}

export interface BrowserProcessOptions {
  readonly chromium: string;
  readonly way: WayOut;
  readonly sandbox: boolean;
  readonly userAgent: string;
  /** Authorities that are trusted in addition to Chromium's own. */
  readonly authorities: TrustedAuthorities;
  readonly limits: BrowserLimits;
}

/** Why a browser process has ended without a page. */
export type BrowserEnd =
  | { readonly type: "unstartable"; readonly reason: string }
  /** It, or Chromium, exited or was killed by somebody else. */
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
  /** Whether Chromium's own sandbox holds its pages. */
  readonly sandboxed: boolean;
  load(order: PageOrder, signal: AbortSignal): Promise<Loaded>;
  /** Whether it can load another page. */
  isAlive(): boolean;
  /** Kills it with all that it started, and removes its folder. */
  end(): Promise<void>;
}

const childArgs = ["--max-old-space-size=512", join(import.meta.dirname, "child.ts")];
/** Milliseconds between two looks at its memory. */
const watchInterval = 250;

/** Starts a browser process, which is given up when the signal is aborted meanwhile. */
export async function startBrowser(
  options: BrowserProcessOptions,
  signal: AbortSignal,
): Promise<BrowserProcess | BrowserEnd> {
  const { limits } = options;
  const { folder, proxy } = await prepare(options);
  const child = spawnChild(folder);
  const groups = new Set<number>(child.pid === undefined ? [] : [child.pid]);
  const memoryOf = watchMemory(groups);
  const exited = Promise.withResolvers<void>();
  child.once("error", () => exited.resolve());
  child.once("exit", () => exited.resolve());
  let awaited = Promise.withResolvers<Exclude<News, { type: "spawned" }> | BrowserEnd>();
  let isAlive = true;
  let ending: Promise<void> | undefined;
  child.on("message", (news: News) => {
    if (news.type !== "spawned") awaited.resolve(news);
    else if (isAlive) groups.add(news.pid);
    else killGroup(news.pid);
  });
  void exited.promise.then(() => stop({ type: "died" }));

  /** Kills only once: later the process groups may be somebody else's. */
  function stop(end: BrowserEnd): void {
    if (!isAlive) return;
    isAlive = false;
    for (const leader of groups) killGroup(leader);
    awaited.resolve(end);
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
  async function ask<N extends News>(order: Order, timeout: number, late: BrowserEnd, signal: AbortSignal) {
    awaited = Promise.withResolvers();
    const abort = (): void => stop({ type: "aborted" });
    if (signal.aborted) abort();
    if (!isAlive) return { type: "died" } as const;
    signal.addEventListener("abort", abort);
    const clock = setTimeout(() => stop(late), timeout);
    let looking = false;
    const watch = setInterval(() => {
      // On a busy machine a look may take longer than the interval.
      if (looking) return;
      looking = true;
      void memoryOf().then((bytes) => {
        looking = false;
        if (bytes > limits.memory) stop({ type: "memory" });
      });
    }, watchInterval);
    // If it cannot be sent, the process has ended, and its exit is handled.
    child.send(order, () => undefined);
    try {
      // The program answers each kind of order with its own kind of message.
      return (await awaited.promise) as N | BrowserEnd;
    } finally {
      signal.removeEventListener("abort", abort);
      clearTimeout(clock);
      clearInterval(watch);
    }
  }

  const { chromium, sandbox, userAgent } = options;
  const start: Order = { type: "start", chromium, sandbox, userAgent, proxy: proxy.access };
  const reason = `It did not start within ${limits.startTimeout / 1000} s.`;
  const news = await ask<StartNews>(start, limits.startTimeout, { type: "unstartable", reason }, signal);
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
        return { outcome: await ask<PageNews>(order, limits.pageTimeout, { type: "timeout" }, signal), traffic };
      } finally {
        traffic.end();
      }
    },
  };
}

/** Makes the folder and the proxy of a browser process; removes the folder again if either fails. */
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
  // Limits on address space or data would not do: Chromium reserves far more than it uses.
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
