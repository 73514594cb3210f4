/**
 * Gives the memory of bytes back that nobody reads any more: a garbage collection sees small objects only, and comes late.
 * Bytes that share their memory with others are left alone. `room` is the size of a buffer in which the bytes are alone
 * although they do not fill it, as those are that zlib wrote into a chunk.
 */
export function release({ buffer, byteLength }: Uint8Array | Uint32Array, room = byteLength): void {
  const alone = byteLength === buffer.byteLength || room === buffer.byteLength;
  if (buffer.byteLength > 0 && alone && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
