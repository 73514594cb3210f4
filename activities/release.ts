/**
 * Gives back the memory of bytes that nobody reads any more: a garbage collection, which sees small objects only, would
 * come late. Where the memory has more in it than these bytes, it stays, unless the caller knows that it is theirs `alone`.
 */
export function release(
  { buffer, byteLength }: Uint8Array,
  { alone = buffer.byteLength === byteLength }: { readonly alone?: boolean } = {},
): void {
  if (alone && byteLength > 0 && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
