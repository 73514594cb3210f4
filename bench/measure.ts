import { readFile } from "node:fs/promises";

/** Runs something several times and answers the seconds of each run, after one that is not counted. */
export async function timed(runs: number, work: (run: number) => Promise<void>): Promise<readonly number[]> {
  const seconds: number[] = [];
  for (let run = 0; run <= runs; run += 1) {
    const start = performance.now();
    await work(run);
    if (run > 0) seconds.push((performance.now() - start) / 1000);
  }
  return seconds;
}

/** The value below which the given share of all values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Memory of a process in MB: the most it ever had, or what it has now. Linux only. */
export async function residentMegabytes(pid: number, which: "peak" | "now"): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const line = new RegExp(`${which === "peak" ? "VmHWM" : "VmRSS"}:\\s+(\\d+) kB`).exec(status);
  return Number(line?.[1] ?? Number.NaN) / 1024;
}

/** Ticks of `/proc` in a second: USER_HZ, which is 100 on every Linux. */
const ticks = 100;

/** CPU time that a process has taken so far, all threads together, in seconds. Linux only. */
export async function processorSeconds(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).replace(/^.*\) /, "").split(" ");
  // utime and stime, the 14th and 15th of all fields (proc_pid_stat(5)).
  return (Number(fields[11]) + Number(fields[12])) / ticks;
}

/** Prints rows as a Markdown table. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  for (const row of [head, head.map(() => "---"), ...rows]) console.log(`| ${row.join(" | ")} |`);
}
