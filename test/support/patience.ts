import { median } from "../../tools/bench/measure.ts";

/** How long readers may wait at the median under an attack, in milliseconds, on a machine that has nothing else to do. */
const longest = 1000;

/** So many times the quiet wait is allowed where the machine is busy with something else. */
const times = 30;

/** Milliseconds that a request may take at the median under an attack, measured against what it takes just before. */
export async function patience(ask: () => Promise<unknown>): Promise<number> {
  const waits: number[] = [];
  for (let at = 0; at < 9; at += 1) {
    const asked = performance.now();
    await ask();
    waits.push(performance.now() - asked);
  }
  return Math.max(longest, times * median(waits));
}
