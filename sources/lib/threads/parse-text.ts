import { Failure } from "../../../domain/failures.ts";
import { TaskTimeout } from "./thread-pool.ts";
import type { TaskOptions, ThreadPool, ThreadTask } from "./thread-pool.ts";

/** What parsing a text from outside needs. */
export interface Threads {
  readonly pool: ThreadPool;
  /** Aborting ends the parser. */
  readonly signal: AbortSignal;
  /** With what a text shares its part of the threads; by default, with those that have the same signal. */
  readonly sharing?: Pick<TaskOptions, "group" | "client">;
}

/** Maximum processor time for a text, in milliseconds. */
const usualCpu = 10_000;

/**
 * Parses a text from outside on a thread, as it may be large or hostile. `name`: of the text, for errors; `maxCpu`: maximum
 * processor time, in milliseconds.
 * @throws Failure source_invalid if it takes too much time or memory; what the parser throws
 */
export async function parseText<Input, Output>(
  { pool, signal, sharing = { group: signal } }: Threads,
  task: ThreadTask,
  input: Input,
  name: string,
  maxCpu = usualCpu,
): Promise<Output> {
  try {
    return await pool.run<Input, Output>(task, input, { signal, maxCpu, ...sharing });
  } catch (cause) {
    if (cause instanceof TaskTimeout) throw new Failure("source_invalid", `${name} is too slow to read.`, { cause });
    if (cause instanceof Error && "code" in cause && cause.code === "ERR_WORKER_OUT_OF_MEMORY")
      throw new Failure("source_invalid", `${name} takes more memory to read than a thread has.`, { cause });
    throw cause;
  }
}
