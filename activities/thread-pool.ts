import { Worker } from "node:worker_threads";
import { Failure } from "../domain/failures.ts";
import type { TaskReply, TaskRequest } from "./pool-thread.ts";

/** A function that a module exports under a name, to be run on a thread. It keeps no state between calls. */
export interface ThreadTask {
  readonly module: URL;
  readonly name: string;
}

export interface TaskOptions {
  /** Aborting takes the task out of the queue, or ends the thread that runs it. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that the task may take on its thread, its time in the queue aside; then the thread is ended. */
  readonly maxTime?: number | undefined;
  /** Buffers of the input that are handed over instead of copied. */
  readonly transfer?: readonly ArrayBuffer[];
}

/** A thread pool with one queue: each thread runs one task at a time, in the order in which they were given. */
export interface ThreadPool {
  /**
   * Runs a task. Input and result are copied.
   * @throws what the task throws or its thread ends with, the reason of the signal, TaskTimeout, or Failure
   * service_unavailable once the pool is closed
   */
  run<I, O>(task: ThreadTask, input: I, options?: TaskOptions): Promise<O>;
  /** Ends the threads. Tasks in work and in the queue fail with service_unavailable. */
  close(): Promise<void>;
}

/** A task took longer than its `maxTime`. */
export class TaskTimeout extends Error {}

export interface ThreadPoolOptions {
  readonly maxThreads: number;
  /** Heap of a thread, in MB. Pages of 10 MB that are made to take as much as possible come near to the default of 1,024. */
  readonly threadMemory?: number;
  /** A thread ends after so long without work, in milliseconds: a fresh one has to load and compile its code anew. */
  readonly idleTimeout?: number;
}

interface Task {
  readonly request: TaskRequest;
  readonly transfer: readonly ArrayBuffer[];
  readonly maxTime: number | undefined;
  resolve(result: unknown): void;
  reject(reason: unknown): void;
}

interface Thread {
  readonly worker: Worker;
  /** What it works on; undefined while it is idle. */
  task: Task | undefined;
  /** Ends it if its task takes too long. */
  deadline: NodeJS.Timeout | undefined;
  readonly idle: NodeJS.Timeout;
}

/** Creates a pool; the first task starts the first thread. A thread that ends fails its task alone, and the next task starts another. */
export function createThreadPool({
  maxThreads,
  threadMemory = 1024,
  idleTimeout = 60_000,
}: ThreadPoolOptions): ThreadPool {
  const threads = new Set<Thread>();
  const queue: Task[] = [];
  let closed = false;

  function startThread(): Thread {
    const worker = new Worker(new URL("pool-thread.ts", import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: threadMemory },
    });
    const retire = (): void => {
      if (thread.task === undefined) void end(thread);
    };
    const thread: Thread = {
      worker,
      task: undefined,
      deadline: undefined,
      idle: setTimeout(retire, idleTimeout).unref(),
    };
    worker.on("message", (reply: TaskReply) => {
      const { task } = thread;
      thread.task = undefined;
      clearTimeout(thread.deadline);
      if ("error" in reply) task?.reject(reply.error);
      else task?.resolve(reply.result);
      // An idle thread keeps no process alive.
      worker.unref();
      thread.idle.refresh();
      startTasks();
    });
    worker.on("error", (error) => void end(thread, error));
    worker.on("exit", (code) => void end(thread, new Error(`The thread ended with code ${code}.`)));
    threads.add(thread);
    return thread;
  }

  async function end(thread: Thread, reason?: unknown): Promise<void> {
    if (!threads.delete(thread)) return;
    clearTimeout(thread.idle);
    clearTimeout(thread.deadline);
    thread.task?.reject(reason);
    startTasks();
    await thread.worker.terminate();
  }

  function startTasks(): void {
    for (let task = queue[0]; task !== undefined; task = queue[0]) {
      const idle = [...threads].find(({ task }) => task === undefined);
      if (idle === undefined && threads.size >= maxThreads) return;
      queue.shift();
      try {
        const thread = idle ?? startThread();
        thread.worker.postMessage(task.request, task.transfer);
        thread.worker.ref();
        thread.task = task;
        if (task.maxTime !== undefined)
          thread.deadline = setTimeout(
            () => void end(thread, new TaskTimeout("The task takes too long.")),
            task.maxTime,
          );
      } catch (error) {
        // No thread could be started, or the input cannot be copied.
        task.reject(error);
      }
    }
  }

  return {
    async run<I, O>(
      { module, name }: ThreadTask,
      input: I,
      { signal, transfer = [], maxTime }: TaskOptions = {},
    ): Promise<O> {
      signal?.throwIfAborted();
      if (closed) throw stopping();
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const task: Task = { request: { module: module.href, name, input }, transfer, maxTime, resolve, reject };
      const abort = (): void => {
        reject(signal?.reason);
        const place = queue.indexOf(task);
        if (place >= 0) queue.splice(place, 1);
        for (const thread of threads) if (thread.task === task) void end(thread, signal?.reason);
      };
      signal?.addEventListener("abort", abort);
      queue.push(task);
      startTasks();
      try {
        return (await promise) as O;
      } finally {
        signal?.removeEventListener("abort", abort);
      }
    },
    async close() {
      closed = true;
      for (const task of queue.splice(0)) task.reject(stopping());
      await Promise.all([...threads].map((thread) => end(thread, stopping())));
    },
  };
}

function stopping(): Failure {
  return new Failure("service_unavailable", "The server is stopping, and starts no more work.");
}
