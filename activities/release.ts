/**
 * Gives the memory of bytes back that nobody reads any more: a garbage collection sees small objects only, and comes late.
 * Bytes that share their memory with others are left alone.
 */
export function release({ buffer, byteLength }: Uint8Array): void {
  if (byteLength > 0 && byteLength === buffer.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
