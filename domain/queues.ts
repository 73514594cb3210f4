/** Task queues. `browser` is for sources that need one. */
export const queues = ["main", "git", "browser", "load"] as const;
export type Queue = (typeof queues)[number];
