/** A request as plain data, so that the API can be called without a socket. */
export interface ApiRequest {
  readonly method: string;
  /** As sent, still percent-encoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** By lower-case name; repeated headers are joined with a comma, or dropped where they cannot be. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly remoteAddress: string;
  /**
   * Reads the whole body. With `take` its chunks go there, and the result is empty; an error of `take` ends the reading.
   * @throws Failure payload_too_large beyond `limit` bytes, validation_error where it breaks off
   */
  readBody(limit: number, take?: (piece: Uint8Array) => void): Promise<Uint8Array>;
  /** Aborts when the client disconnects, for reads when their time is over, and for streams when the server stops. */
  readonly signal: AbortSignal;
}
