import { Failure } from "../domain/failures.ts";
import { TaskTimeout } from "./thread-pool.ts";
import type { ThreadPool, ThreadTask } from "./thread-pool.ts";

/** What parsing a text from outside needs. */
export interface Threads {
  readonly pool: ThreadPool;
  /** Aborting ends the parser; texts of one signal share their part of the threads. */
  readonly signal: AbortSignal;
}

/** Processor time that a text may take of its thread, in milliseconds. */
const maxCpu = 10_000;

/**
 * Parses a text from outside on a thread: it may be large, and hostile. `name` is what it is called in an error.
 * @throws Failure source_invalid where it takes more time or memory than a thread has; what the parser throws
 */
export async function parseText<Input, Output>(
  { pool, signal }: Threads,
  task: ThreadTask,
  input: Input,
  name: string,
): Promise<Output> {
  try {
    return await pool.run<Input, Output>(task, input, { signal, maxCpu, group: signal });
  } catch (cause) {
    if (cause instanceof TaskTimeout) throw new Failure("source_invalid", `${name} is too slow to read.`, { cause });
    if (cause instanceof Error && "code" in cause && cause.code === "ERR_WORKER_OUT_OF_MEMORY")
      throw new Failure("source_invalid", `${name} takes more memory to read than a thread has.`, { cause });
    throw cause;
  }
}
