import { threadId } from "node:worker_threads";

/** Answers on which thread it runs. */
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

/** Answers what no thread can be given. */
export function answersAFunction(): () => void {
  return () => {};
}
