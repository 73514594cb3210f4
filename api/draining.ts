import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Pace } from "./pace.ts";

/** Answers a request of an address whose body is not read to its end, and drains the body. Resolves when the connection may be closed. */
export type Drain = (address: string, body: Readable, answer: () => void) => Promise<void>;

/** Maximum bytes of a body that are drained, and the longest time, in milliseconds. */
const maxBytes = 4_194_304;
const maxTime = 2000;

/**
 * Drains unread bodies: closing a connection while its client writes could lose the answer. Those of an address one after the other, as
 * each takes time of the main thread; who waits for too long is answered without it.
 */
export function createDrain(pace: Pace): Drain {
  const last = new Map<string, Promise<void>>();
  return async (address, body, answer) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = last.get(address);
    last.set(address, promise);
    const isItsTurn = await Promise.race([before?.then(() => true) ?? true, sleep(maxTime, false)]);
    answer();
    if (isItsTurn) await readOut(body, (bytes) => pace(address, bytes));
    resolve();
    if (last.get(address) === promise) last.delete(address);
  };
}

function readOut(body: Readable, pauseFor: (bytes: number) => number): Promise<void> {
  return new Promise((resolve) => {
    let left = maxBytes;
    let resuming: NodeJS.Timeout | undefined;
    const done = (): void => {
      clearTimeout(timer);
      clearTimeout(resuming);
      resolve();
    };
    const timer = setTimeout(done, maxTime);
    body.on("data", (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) return done();
      const pause = pauseFor(chunk.length);
      if (pause === 0) return;
      body.pause();
      resuming = setTimeout(() => body.resume(), pause);
    });
    body.on("close", done).on("end", done);
    body.resume();
  });
}
