/** The state of a bucket. */
export interface LimiterState {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly resetIn: number;
}

/**
 * Counts requests in windows of one minute, over all processes that share the store. A bucket's window begins with its first
 * request. Each bucket has one limit, the same in all processes.
 */
export interface Limiter {
  /** Counts a request; the first `limit` of a window are allowed, also of concurrent ones. */
  take(bucket: string, limit: number): Promise<LimiterState>;
  /** The state that the next request would find, without counting it. */
  look(bucket: string, limit: number): Promise<LimiterState>;
  /** Removes windows that have ended, for all processes. */
  forget(): Promise<void>;
}
