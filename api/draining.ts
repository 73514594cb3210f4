import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Pace } from "./pace.ts";

/** Answers a request whose body is not read to its end, and drains the body. Resolves when the connection may be closed. */
export type Drain = (request: IncomingMessage, answer: () => void) => Promise<void>;

/** Maximum bytes of a body that are drained, and the longest time, in milliseconds. */
const maxBytes = 4_194_304;
const maxTime = 2000;

/**
 * Drains unread bodies: closing a connection while its client writes could lose the answer. Those of an address one after the other, as
 * each takes time of the main thread; who waits for too long is answered without it.
 */
export function createDrain(pace: Pace): Drain {
  const last = new Map<string, Promise<void>>();
  return async (request, answer) => {
    const { remoteAddress = "" } = request.socket;
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = last.get(remoteAddress);
    last.set(remoteAddress, promise);
    const isItsTurn = await Promise.race([before?.then(() => true) ?? true, sleep(maxTime, false)]);
    answer();
    if (isItsTurn) await readOut(request, (bytes) => pace(remoteAddress, bytes));
    resolve();
    if (last.get(remoteAddress) === promise) last.delete(remoteAddress);
  };
}

function readOut(request: IncomingMessage, pauseFor: (bytes: number) => number): Promise<void> {
  return new Promise((resolve) => {
    let left = maxBytes;
    let resuming: NodeJS.Timeout | undefined;
    const done = (): void => {
      clearTimeout(timer);
      clearTimeout(resuming);
      resolve();
    };
    const timer = setTimeout(done, maxTime);
    request.on("data", (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) return done();
      const pause = pauseFor(chunk.length);
      if (pause === 0) return;
      request.pause();
      resuming = setTimeout(() => request.resume(), pause);
    });
    request.on("close", done).on("end", done);
    request.resume();
  });
}
