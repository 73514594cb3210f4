import { Worker } from "node:worker_threads";
import { Failure } from "../domain/failures.ts";
import { createFairQueue } from "./fair-queue.ts";
import type { TaskReply, TaskRequest } from "./pool-thread.ts";

/** A function that a module exports under a name, to be run on a thread. It keeps no state between calls. */
export interface ThreadTask {
  readonly module: URL;
  readonly name: string;
}

export interface TaskOptions {
  /** Aborting takes the task out of the queue, or ends the thread that runs it. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Processor time that the task may take of its thread, in milliseconds; then the thread is ended. What it waits, in the
   * queue or on a busy machine, does not count.
   */
  readonly maxCpu?: number | undefined;
  /** The tasks that it shares its part of the threads with: no group waits for the expensive tasks of another one for long. */
  readonly group?: unknown;
  /** Buffers of the input that are handed over instead of copied. */
  readonly transfer?: readonly ArrayBuffer[];
}

/**
 * A thread pool: each thread runs one task at a time, those of a group in the order in which they were given. Next is the
 * group that has taken the least processor time.
 */
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

/** A task took more processor time than its `maxCpu`. */
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
  readonly maxCpu: number | undefined;
  readonly group: unknown;
  resolve(result: unknown): void;
  reject(reason: unknown): void;
}

interface Thread {
  readonly worker: Worker;
  /** What it works on; undefined while it is idle. */
  task: Task | undefined;
  /** When it began with that, by the clock of `performance.now()`. */
  started: number;
  /** The processor time that it had taken when its last task ended, in milliseconds. */
  spent: number;
  /** Looks how much its task has taken by then. */
  check: NodeJS.Timeout | undefined;
  readonly idle: NodeJS.Timeout;
}

/** Heap of a thread that is kept for the next task, in bytes: usual pages take some 60 MB. */
const maxKeptHeap = 300_000_000;

/** How long a task goes on at least before it is looked at again, in milliseconds. */
const shortestWatch = 50;

/** Creates a pool; the first task starts the first thread. A thread that ends fails its task alone, and the next task starts another. */
export function createThreadPool({
  maxThreads,
  threadMemory = 1024,
  idleTimeout = 60_000,
}: ThreadPoolOptions): ThreadPool {
  const threads = new Set<Thread>();
  const queue = createFairQueue<Task>(maxThreads);
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
      started: 0,
      spent: 0,
      check: undefined,
      idle: setTimeout(retire, idleTimeout).unref(),
    };
    worker.on("message", (reply: TaskReply) => {
      const { task, spent } = thread;
      thread.task = undefined;
      thread.spent = reply.spent;
      clearTimeout(thread.check);
      if (task !== undefined) queue.done(task.group, reply.spent - spent, false);
      if ("error" in reply) task?.reject(reply.error);
      else if ("failure" in reply) task?.reject(new Failure(reply.failure.code, reply.failure.message));
      else task?.resolve(reply.result);
      // An idle thread keeps no process alive. What a heap has grown to for one text it gives back only with its thread.
      worker.unref();
      thread.idle.refresh();
      if (reply.heap > maxKeptHeap) void end(thread);
      else startTasks();
    });
    worker.on("error", (error) => void end(thread, error));
    worker.on("exit", (code) => void end(thread, new Error(`The thread ended with code ${code}.`)));
    threads.add(thread);
    return thread;
  }

  async function end(thread: Thread, reason?: unknown): Promise<void> {
    if (!threads.delete(thread)) return;
    clearTimeout(thread.idle);
    clearTimeout(thread.check);
    const { task } = thread;
    if (task !== undefined) {
      // Its processor time cannot be asked for any more.
      queue.done(task.group, performance.now() - thread.started, true);
      task.reject(reason);
    }
    startTasks();
    await thread.worker.terminate();
  }

  /** Ends a thread once its task has taken more than it may. Processor time never passes faster than time does. */
  function watch(thread: Thread, task: Task, left: number): void {
    thread.check = setTimeout(() => {
      look(thread, task).catch((error: unknown) => {
        const isDown = error instanceof Error && "code" in error && error.code === "ERR_WORKER_NOT_RUNNING";
        // It has not begun, or is ending, and then says itself why.
        if (!isDown) void end(thread, error);
        else if (thread.task === task && threads.has(thread)) watch(thread, task, shortestWatch);
      });
    }, left);
  }

  async function look(thread: Thread, task: Task): Promise<void> {
    const { user, system } = await thread.worker.cpuUsage();
    if (thread.task !== task || !threads.has(thread)) return;
    const left = (task.maxCpu ?? Infinity) - ((user + system) / 1000 - thread.spent);
    if (left > 0) watch(thread, task, Math.max(left, shortestWatch));
    else await end(thread, new TaskTimeout("The task takes too much processor time."));
  }

  function startTasks(): void {
    for (;;) {
      const idle = [...threads].find(({ task }) => task === undefined);
      if (idle === undefined && threads.size >= maxThreads) return;
      const task = queue.next();
      if (task === undefined) return;
      try {
        const thread = idle ?? startThread();
        thread.worker.postMessage(task.request, task.transfer);
        thread.worker.ref();
        thread.task = task;
        thread.started = performance.now();
        if (task.maxCpu !== undefined) watch(thread, task, task.maxCpu);
      } catch (error) {
        // No thread could be started, or the input cannot be copied.
        queue.done(task.group, 0, false);
        task.reject(error);
      }
    }
  }

  return {
    async run<I, O>(
      { module, name }: ThreadTask,
      input: I,
      { signal, transfer = [], maxCpu, group }: TaskOptions = {},
    ): Promise<O> {
      signal?.throwIfAborted();
      if (closed) throw stopping();
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const task: Task = { request: { module: module.href, name, input }, transfer, maxCpu, group, resolve, reject };
      const abort = (): void => {
        reject(signal?.reason);
        if (queue.remove(group, task)) return;
        for (const thread of threads) if (thread.task === task) void end(thread, signal?.reason);
      };
      signal?.addEventListener("abort", abort);
      queue.push(group, task);
      startTasks();
      try {
        return (await promise) as O;
      } finally {
        signal?.removeEventListener("abort", abort);
      }
    },
    async close() {
      closed = true;
      for (const task of queue.clear()) task.reject(stopping());
      await Promise.all([...threads].map((thread) => end(thread, stopping())));
    },
  };
}

function stopping(): Failure {
  return new Failure("service_unavailable", "The server is stopping, and starts no more work.");
}
