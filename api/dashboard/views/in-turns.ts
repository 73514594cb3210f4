import { setImmediate as nextTurn } from "node:timers/promises";
import type { Html } from "../html.ts";

/** Maximum time of one turn of the event loop before the next view, in milliseconds. */
const turnTime = 5;

/** The views of many items, created in several turns of the event loop, so that other requests go on. */
export async function viewsInTurns<T>(items: readonly T[], viewOf: (item: T) => Html): Promise<readonly Html[]> {
  const views: Html[] = [];
  let began = performance.now();
  for (const item of items) {
    views.push(viewOf(item));
    if (performance.now() - began < turnTime) continue;
    await nextTurn();
    began = performance.now();
  }
  return views;
}
