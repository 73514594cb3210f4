import { median } from "../../tools/bench/measure.ts";

/** Maximum median wait of readers under an attack, in milliseconds, on an idle machine. */
const idleLimit = 1000;

/** On a busy machine, this multiple of the wait before the attack is allowed. */
const times = 30;

/** Maximum median wait under an attack in milliseconds, from requests just before it. */
export async function maxMedianWait(ask: () => Promise<unknown>): Promise<number> {
  const waits: number[] = [];
  for (let at = 0; at < 9; at += 1) {
    const start = performance.now();
    await ask();
    waits.push(performance.now() - start);
  }
  return Math.max(idleLimit, times * median(waits));
}
