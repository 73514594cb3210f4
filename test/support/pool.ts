import { createThreadPool } from "../../sources/lib/threads/thread-pool.ts";

/** A thread pool for all tests of a process: idle threads end, and keep no process alive. */
export const pool = createThreadPool({ maxThreads: 1 });
