import type { Readable } from "node:stream";

import { Failure } from "../domain/failures.ts";

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
