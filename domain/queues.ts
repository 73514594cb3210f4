/** Task queues. `crawl` is for what asks hosts politely and so waits for most of its time, `browser` for pages that need one. */
export const queues = ["main", "git", "crawl", "browser", "load"] as const;
export type Queue = (typeof queues)[number];

/** Where the step runs that reads a source, and for how long. */
export interface Work {
  readonly queue: Queue;
  /** In milliseconds. */
  readonly timeout: number;
}
