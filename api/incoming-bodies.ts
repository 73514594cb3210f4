import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../domain/failures.ts";
import { networkOf } from "./ip-addresses.ts";

/** Counts the bytes of a body, and returns the delay before more of it is read, in milliseconds; 0 without delay. */
export type Throttle = (address: string, bytes: number) => number;

/** Maximum rate of a network, in bytes per millisecond. */
const maxRate = 32_768;
/** Shorter delays are not worth a timer, in milliseconds. */
const shortestDelay = 4;
/** Number of networks above which idle ones are removed. */
const maxNetworks = 1000;

/**
 * Limits the rate at which request bodies of a network (`networkOf`) are read, as a flood of them would occupy the main thread. Proxies have
 * no limit: many clients share their address.
 */
export function createThrottle(isProxy: (address: string) => boolean, now = () => performance.now()): Throttle {
  /** The time at which the received bytes of a network are within its rate. */
  const busyUntil = new Map<string, number>();
  return (address, bytes) => {
    if (isProxy(address)) return 0;
    const time = now();
    if (busyUntil.size >= maxNetworks)
      for (const [network, until] of busyUntil) if (until < time) busyUntil.delete(network);
    const network = networkOf(address);
    const until = Math.max(time, busyUntil.get(network) ?? 0) + bytes / maxRate;
    busyUntil.set(network, until);
    return until - time < shortestDelay ? 0 : until - time;
  };
}

/** Answers a request whose body was not read to its end, then drains the body. Resolves when the connection may be closed. */
export type Drain = (address: string, body: Readable, answer: () => void) => Promise<void>;

/** Maximum size of a drained body in bytes, and maximum time in milliseconds. */
const maxDrained = 4_194_304;
const maxDrainTime = 2000;

/**
 * Drains unread bodies, as closing a connection while its client writes could lose the answer. A network has one drained at a time; a
 * request that waits too long is answered without it. A body in too many pieces is not read: its connection stays open for the time.
 */
export function createDrain(throttle: Throttle): Drain {
  const last = new Map<string, Promise<void>>();
  return async (address, body, answer) => {
    const network = networkOf(address);
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = last.get(network);
    last.set(network, promise);
    const isItsTurn =
      before === undefined ||
      (await Promise.race([before.then(() => true), sleep(maxDrainTime, false, { ref: false })]));
    answer();
    if (isItsTurn) await readOut(body, (bytes) => throttle(address, bytes));
    resolve();
    if (last.get(network) === promise) last.delete(network);
  };
}

function readOut(body: Readable, delayFor: (bytes: number) => number): Promise<void> {
  return new Promise((resolve) => {
    let left = maxDrained;
    let resuming: NodeJS.Timeout | undefined;
    const done = (): void => {
      clearTimeout(timer);
      clearTimeout(resuming);
      resolve();
    };
    const timer = setTimeout(done, maxDrainTime);
    body.on("data", (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) return done();
      const delay = delayFor(chunk.length);
      if (delay === 0) return;
      body.pause();
      resuming = setTimeout(() => body.resume(), delay);
    });
    body.on("close", done).on("end", done);
    body.resume();
  });
}

/** Number of pieces that a body may come in whatever its size, and minimum of bytes for each further one. */
const freePieces = 1000;
const bytesOfPiece = 64;

/** Emitted by a request when its body has come in too many pieces. */
const crumbled = "crumbled";

const crumbledRequests = new WeakSet<Readable>();

/**
 * Stops reading a body that comes in more pieces than its bytes need: a chunk of HTTP may be as small as a byte, costs the main thread a
 * microsecond, and takes half a kilobyte of memory until it is read. To be called before the body begins.
 */
export function limitPieces(request: Readable): void {
  let [pieces, bytes] = [0, 0];
  const push = request.push.bind(request);
  // What the parser of node:http calls with each chunk. After false it stops reading from the socket.
  request.push = (chunk: Buffer | null, encoding) => {
    if (chunk === null) return push(chunk, encoding);
    pieces += 1;
    bytes += chunk.length;
    if (pieces <= freePieces + bytes / bytesOfPiece) return push(chunk, encoding);
    if (!crumbledRequests.has(request)) {
      crumbledRequests.add(request);
      request.emit(crumbled);
    }
    return false;
  };
}

/** Calls back when a body has come in too many pieces, at once if it has already. Returns what stops waiting for that. */
export function onTooManyPieces(request: Readable, act: (failure: Failure) => void): () => void {
  const message = `The body comes in more than ${freePieces} pieces of less than ${bytesOfPiece} bytes. Send larger chunks, or the body at once with Content-Length.`;
  const refuse = (): void => act(new Failure("validation_error", message));
  if (crumbledRequests.has(request)) refuse();
  else request.once(crumbled, refuse);
  return () => void request.off(crumbled, refuse);
}
