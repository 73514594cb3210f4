/** Task queues. `crawl` is for polite fetching, which mostly waits; `browser` for pages that need one. */
export const queues = ["main", "git", "crawl", "browser", "load"] as const;
export type Queue = (typeof queues)[number];

/** Task queue and timeout of the step that reads a source. */
export interface Work {
  readonly queue: Queue;
  /** In milliseconds. */
  readonly timeout: number;
}
