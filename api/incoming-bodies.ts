import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../domain/failures.ts";

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

/** How long a client has to wait after it has sent so many bytes of a body, in milliseconds; 0: it may go on. */
type Pace = (address: string, bytes: number) => number;

/** Bytes of a millisecond that an address may send. */
const rate = 32_768;
/** Timers are no finer, in milliseconds. */
const shortestPause = 4;
/** Addresses from which on those that send nothing are forgotten. */
const maxIdle = 1000;

/**
 * Spreads what an address sends in bodies: reading a flood of them would take the main thread from others. Proxies, whose address many
 * clients share, never wait.
 */
export function createPace(isProxy: (address: string) => boolean, now = () => performance.now()): Pace {
  /** When the bytes of an address have been paid for. */
  const paid = new Map<string, number>();
  return (address, bytes) => {
    if (isProxy(address)) return 0;
    const time = now();
    if (paid.size >= maxIdle) for (const [other, until] of paid) if (until < time) paid.delete(other);
    const until = Math.max(time, paid.get(address) ?? 0) + bytes / rate;
    paid.set(address, until);
    return until - time < shortestPause ? 0 : until - time;
  };
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
export function onCrumbled(request: Readable, act: (failure: Failure) => void): () => void {
  const message = `The body comes in more than ${freePieces} pieces of less than ${bytesOfPiece} bytes. Send larger chunks, or the body at once with Content-Length.`;
  const refuse = (): void => act(new Failure("validation_error", message));
  if (crumbledRequests.has(request)) refuse();
  else request.once(crumbled, refuse);
  return () => void request.off(crumbled, refuse);
}
