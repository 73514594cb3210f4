/** A request as plain data, so that the API can be called without a socket. */
export interface ApiRequest {
  readonly method: string;
  /** As sent, still percent-encoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** By lower-case name; repeated headers are joined with a comma, or dropped where that makes no sense. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly remoteAddress: string;
  /**
   * Reads the whole body. With `take` its pieces go there as they come, and the answer is what `take` was not given; what it
   * throws ends the reading. @throws Failure payload_too_large beyond `limit` bytes, validation_error where it breaks off
   */
  readBody(limit: number, take?: (piece: Uint8Array) => void): Promise<Uint8Array>;
  /** Aborts when the client is gone, and for streams when the server stops. */
  readonly signal: AbortSignal;
}
