import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Runs some work once as a warm-up, then several times. Returns the seconds of each counted run. */
export async function timed(runs: number, work: (run: number) => Promise<void>): Promise<readonly number[]> {
  const seconds: number[] = [];
  for (let run = 0; run <= runs; run += 1) {
    const start = performance.now();
    await work(run);
    if (run > 0) seconds.push((performance.now() - start) / 1000);
  }
  return seconds;
}

/** The value below which a share of all values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Memory of a process in MB, at its peak or now. Linux only. */
export async function residentMegabytes(pid: number, which: "peak" | "now"): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const line = new RegExp(`${which === "peak" ? "VmHWM" : "VmRSS"}:\\s+(\\d+) kB`).exec(status);
  return Number(line?.[1] ?? Number.NaN) / 1024;
}

/** Present memory of a process and its descendants in MB. */
export async function treeMegabytes(pid: number): Promise<number> {
  const { stdout } = await run("ps", ["-e", "-o", "pid=,ppid=,rss="]);
  const rows = stdout.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
  const sum = (parent: number): number =>
    rows.reduce((total, [id = 0, of, kB = 0]) => total + (id === parent ? kB : of === parent ? sum(id) : 0), 0);
  return sum(pid) / 1024;
}

/** Watches the memory of a process and its descendants until the returned function is called, which returns the peak in MB. */
export function watchMemory(pid: number): () => Promise<number> {
  let peak = 0;
  let over = false;
  const watching = (async () => {
    while (!over) {
      peak = Math.max(peak, await treeMegabytes(pid));
      await pause(watchInterval);
    }
  })();
  return async () => {
    over = true;
    await watching;
    return peak;
  };
}

/** Interval of memory readings in milliseconds: each takes some milliseconds of a core. */
const watchInterval = 200;

/**
 * Processor time of a process and its ended children in seconds, and with `living` also that of its running children. Other processes do
 * not change it. Linux only, where a tick is 10 ms.
 */
export async function processorSeconds(pid: number, { living = false } = {}): Promise<number> {
  const pids = living ? (await readdir("/proc")).filter((name) => /^\d+$/.test(name)) : [String(pid)];
  const all = await Promise.all(pids.map((name) => readFile(`/proc/${name}/stat`, "utf8").catch(() => "")));
  let ticks = 0;
  for (const stat of all) {
    // The name in parentheses may have any characters. After it: state, parent, and from the 12th field on the four times.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (Number.parseInt(stat, 10) !== pid && Number(fields[1]) !== pid) continue;
    ticks += fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  }
  return ticks / 100;
}

/** Processor time of the main thread of a process, in seconds. Linux only. */
export async function mainThreadSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/task/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Times of requests in milliseconds, and of all together in seconds. */
export interface Timing {
  readonly times: readonly number[];
  readonly seconds: number;
}

/** Sends requests with a number of concurrent clients; `at` is the number of a request, from 0. */
export async function drive(
  clients: number,
  requests: number,
  request: (at: number) => Promise<void>,
): Promise<Timing> {
  const times: number[] = [];
  let next = 0;
  const start = performance.now();
  const client = async (): Promise<void> => {
    for (let at = next++; at < requests; at = next++) {
      const begin = performance.now();
      await request(at);
      times.push(performance.now() - begin);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { times, seconds: (performance.now() - start) / 1000 };
}

/** A random generator with a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Prints rows as a Markdown table. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  for (const row of [head, head.map(() => "---"), ...rows]) console.log(`| ${row.join(" | ")} |`);
}
