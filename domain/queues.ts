/** Task queues. `browser` is for sources that need one. */
export const queues = ["main", "git", "browser", "load"] as const;
export type Queue = (typeof queues)[number];

/** Where the step runs that reads a source, and for how long. */
export interface Work {
  readonly queue: Queue;
  /** In milliseconds. */
  readonly timeout: number;
}
