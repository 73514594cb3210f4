import type { Readable } from "node:stream";
import { createFairQueue } from "../domain/fair-queue.ts";
import { Failure } from "../domain/failures.ts";
import { tooLarge } from "./body.ts";
import { networkOf } from "./ip-addresses.ts";

/** The body of a request, which is read or drained. */
export interface IncomingBody {
  /**
   * Collects it. After a failure the rest stays unread.
   * @throws Failure payload_too_large beyond `limit` bytes; validation_error if it comes in too many pieces, the connection is lost or times out
   */
  read(limit: number): Promise<Uint8Array>;
  /**
   * Answers its request, then drains the rest, as closing a connection while its client writes could lose the answer. A network has one
   * drained at a time; a request that waits too long is answered without it.
   */
  drain(answer: () => void): Promise<void>;
}

/** Maximum size of a drained body in bytes, and maximum time in milliseconds. */
const maxDrained = 4_194_304;
const maxDrainTime = 2000;

/**
 * How the bodies of a server are read. `timeout`: maximum time for a whole body, in milliseconds; `length`: its announced one, 0 without.
 * Proxies are not throttled.
 */
export function createIncomingBodies(
  isProxy: (address: string) => boolean,
  timeout: number,
): (request: Readable, head: { readonly address: string; readonly length: number }) => IncomingBody {
  const throttle = createThrottle(isProxy);
  const drains = createFairQueue<string>({ places: Infinity, most: () => 1, maxWait: maxDrainTime });

  return (request, { address, length }) => {
    const tooManyPieces = limitPieces(request);

    async function readOut(limit: number, time: number, take?: (chunk: Buffer) => void): Promise<void> {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const fail = (message: string): void => reject(new Failure("validation_error", message));
      let left = limit;
      let resuming: NodeJS.Timeout | undefined;
      const onData = (chunk: Buffer): void => {
        left -= chunk.length;
        if (left < 0) {
          // At once: more chunks may arrive before the awaiting reader runs.
          stop();
          return reject(tooLarge(limit));
        }
        take?.(chunk);
        const delay = throttle(address, chunk.length);
        if (delay === 0) return;
        request.pause();
        resuming = setTimeout(() => request.resume(), delay);
      };
      const onClose = (): void => fail("The connection closed before the body was complete.");
      const message = `Timeout: the body was not complete within ${Math.ceil(time / 1000)} s.`;
      const timer = setTimeout(fail, time, message);
      const stop = (): void => {
        clearTimeout(timer);
        clearTimeout(resuming);
        request.off("data", onData).off("end", resolve).off("close", onClose).pause();
      };
      request.on("data", onData).on("end", resolve).on("close", onClose).resume();
      // The connection of a body in too many pieces stays open while it is drained, though nothing is read.
      await (take ? Promise.race([promise, tooManyPieces]) : promise).finally(stop);
    }

    return {
      async read(limit) {
        if (length > limit) throw tooLarge(limit);
        const chunks: Buffer[] = [];
        await readOut(limit, timeout, (chunk) => chunks.push(chunk));
        return Buffer.concat(chunks);
      },
      async drain(answer) {
        const leave = await drains.enter(networkOf(address)).catch(() => undefined);
        answer();
        if (leave)
          await readOut(maxDrained, maxDrainTime)
            .catch(() => undefined)
            .finally(leave);
      },
    };
  };
}

/** Number of pieces that a body may come in whatever its size, and minimum of bytes for each further one. */
const freePieces = 1000;
const bytesOfPiece = 64;

/**
 * Stops reading a body that comes in more pieces than its bytes need: a chunk of HTTP may be as small as a byte, costs the main thread a
 * microsecond, and takes half a kilobyte of memory until it is read. To be called before the body begins; the promise rejects then.
 */
export function limitPieces(request: Readable): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  // A rejection before the body is read is handled when it is read.
  promise.catch(() => undefined);
  let [pieces, bytes] = [0, 0];
  const push = request.push.bind(request);
  // What the parser of node:http calls with each chunk. After false it stops reading from the socket.
  request.push = (chunk: Buffer | null, encoding) => {
    if (chunk === null) return push(chunk, encoding);
    pieces += 1;
    bytes += chunk.length;
    if (pieces <= freePieces + bytes / bytesOfPiece) return push(chunk, encoding);
    request.push = (late) => late === null && push(late);
    const message = `The body comes in more than ${freePieces} pieces of less than ${bytesOfPiece} bytes. Send larger chunks, or the body at once with Content-Length.`;
    reject(new Failure("validation_error", message));
    return false;
  };
  return promise;
}

/** Counts the bytes of a body, and returns the delay before more of it is read, in milliseconds; 0 without delay. */
type Throttle = (address: string, bytes: number) => number;

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
