import { threadId } from "node:worker_threads";

/** Returns the id of its thread. */
export function whichThread(): number {
  return threadId;
}

/** Counts in shared memory, and never ends. */
export function forEver(counter: Int32Array): never {
  for (;;) Atomics.add(counter, 0, 1);
}

/** Ends its thread: every second time by an exit, otherwise by an error that nobody catches. */
export function dieIn(index: number): Promise<never> {
  setTimeout(() => {
    if (index % 12 === 0) process.exit(3);
    throw new Error("thrown outside of the task");
  });
  return new Promise(() => {});
}

/** Returns a value that cannot be copied between threads. */
export function answersAFunction(): () => void {
  return () => {};
}

/** Never ends, in a regular expression or in native code. */
export function hang(how: "expression" | "sort"): void {
  if (how === "expression") /^(?:a+)+$/.test(`${"a".repeat(60)}!`);
  else for (;;) Array.from({ length: 500_000 }, (_, index) => (index * 7919) % 500_009).sort((a, b) => a - b);
}

/** Uses this much processor time, in milliseconds. */
export function work(milliseconds: number): void {
  const end = milliseconds * 1000;
  const start = process.threadCpuUsage();
  for (let used = { user: 0, system: 0 }; used.user + used.system < end; used = process.threadCpuUsage(start));
}

/** Waits without using the processor, in milliseconds. */
export function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Allocates that many megabytes of heap and releases them. */
export function fill(megabytes: number): number {
  // Fractions take eight bytes each.
  const held = Array.from({ length: megabytes }, (_, at) => Array.from({ length: 131_072 }, (__, n) => at + n + 0.5));
  return held.length;
}
