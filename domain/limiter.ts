/** How far a bucket is used up. */
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
  /** Counts one request: allowed for the first `limit` of a window, however many come at the same time. */
  take(bucket: string, limit: number): Promise<LimiterState>;
  /** What the next request would find, which is not counted. */
  look(bucket: string, limit: number): Promise<LimiterState>;
  /** Removes what is kept of windows that have ended, in all processes. */
  forget(): Promise<void>;
}
