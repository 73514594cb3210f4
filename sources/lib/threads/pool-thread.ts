import { getHeapStatistics } from "node:v8";
import { parentPort } from "node:worker_threads";
import { Failure, toFailureRecord, type FailureRecord } from "../../../domain/failures.ts";

/** A task for a thread of the pool: a function, by its module's address and its name, and the function's input. */
export interface TaskRequest {
  readonly module: string;
  readonly name: string;
  readonly input: unknown;
}

/**
 * The result or error of the function; the processor time of the thread since its start, in milliseconds; its heap, in bytes. A Failure
 * is sent as a record, as errors lose their class when they are copied between threads.
 */
export type TaskReply = TaskOutcome & { readonly spent: number; readonly heap: number };

type TaskOutcome = { readonly result: unknown } | { readonly failure: FailureRecord } | { readonly error: unknown };

parentPort?.on("message", (request: TaskRequest) => void answer(request));

async function answer({ module, name, input }: TaskRequest): Promise<void> {
  const reply = (outcome: TaskOutcome): void => {
    const { user, system } = process.threadCpuUsage();
    const { total_heap_size: heap } = getHeapStatistics();
    parentPort?.postMessage({ ...outcome, spent: (user + system) / 1000, heap } satisfies TaskReply);
  };
  try {
    const exported = (await import(module)) as Record<string, ((input: unknown) => unknown) | undefined>;
    const task = exported[name];
    if (task === undefined) throw new Error(`${module} exports no ${name}.`);
    reply({ result: await task(input) });
  } catch (error) {
    reply(error instanceof Failure ? { failure: toFailureRecord(error) } : { error });
  }
}
