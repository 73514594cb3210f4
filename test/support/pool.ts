import { createThreadPool } from "../../sources/lib/threads/thread-pool.ts";

/** The thread pool of all tests of a process. Idle threads end, and keep no process alive. */
export const pool = createThreadPool({ maxThreads: 1 });
