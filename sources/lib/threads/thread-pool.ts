import { Worker } from "node:worker_threads";
import { Failure } from "../../../domain/failures.ts";
import { createFairQueue, type Leave } from "../../../domain/fair-queue.ts";
import type { TaskReply, TaskRequest } from "./pool-thread.ts";

/** An exported function of a module, to run on a thread. Its results do not depend on earlier calls. */
export interface ThreadTask {
  readonly module: URL;
  readonly name: string;
}

interface TaskOptions {
  /** Aborting removes the task from the queue, or ends the thread that runs it. */
  readonly signal?: AbortSignal | undefined;
  /** Maximum processor time of the task, in milliseconds, after which its thread is ended. Waiting does not count. */
  readonly maxCpu?: number | undefined;
  /** Groups share the threads fairly: no group waits long for expensive tasks of another. */
  readonly group?: unknown;
  /** The client that requested the task: tasks of a group with clients run one at a time, and the clients take turns. */
  readonly client?: string | undefined;
  /** Buffers of the input that are transferred instead of copied. */
  readonly transfer?: readonly ArrayBuffer[];
}

/** A thread pool. Each thread runs one task at a time, the next one from the group that has used the least processor time. */
export interface ThreadPool {
  /**
   * Runs a task. Input and result are copied. Once it rejects, the task has stopped.
   * @throws the error of the task or of its thread, the reason of the signal, TaskTimeout, or Failure service_unavailable if the
   * pool is closed
   */
  run<I, O>(task: ThreadTask, input: I, options?: TaskOptions): Promise<O>;
  /** Ends the threads. Running and waiting tasks fail with service_unavailable. */
  close(): Promise<void>;
}

/** The thread of a task ended by itself. */
export class ThreadEnded extends Error {}

/** A task took more processor time than its `maxCpu`. */
export class TaskTimeout extends Error {}

export interface ThreadPoolOptions {
  readonly maxThreads: number;
  /** Heap of a thread, in MB, and its buffers, which the heap does not count. Malicious pages of 10 MB come near the default of 1,024. */
  readonly threadMemory?: number;
  /** Time without a task after which a thread ends, in milliseconds. A new thread has to load and compile its code again. */
  readonly idleTimeout?: number;
}

interface Task {
  readonly maxCpu: number | undefined;
  /** Frees its place, with the processor time that it took, in milliseconds. */
  readonly leave: Leave;
  resolve(result: unknown): void;
  reject(reason: unknown): void;
}

interface Thread {
  readonly worker: Worker;
  /** The task that it runs; undefined while it is idle. */
  task: Task | undefined;
  /** When the task started, by `performance.now()`. */
  started: number;
  /** The thread's processor time when its last task ended, in milliseconds. */
  spent: number;
  /** Timer that checks how much processor time the task has used. */
  check: NodeJS.Timeout | undefined;
  readonly idle: NodeJS.Timeout;
}

/** Maximum heap of a thread that is kept for the next task, in bytes. Usual pages take some 60 MB. */
const maxKeptHeap = 300_000_000;

/** Time between two checks of a task, in milliseconds. */
const minCheckInterval = 50;
const maxCheckInterval = 1000;

/** Creates a pool; the first task starts the first thread. A thread that ends fails only its own task; the next task starts another. */
export function createThreadPool({
  maxThreads,
  threadMemory = 1024,
  idleTimeout = 60_000,
}: ThreadPoolOptions): ThreadPool {
  const threads = new Set<Thread>();
  const queue = createFairQueue<unknown>({ places: maxThreads });
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
      task?.leave(reply.spent - spent);
      if ("error" in reply) task?.reject(reply.error);
      else if ("failure" in reply) task?.reject(new Failure(reply.failure.code, reply.failure.message));
      else task?.resolve(reply.result);
      // An idle thread does not keep the process alive. A heap that has grown shrinks only when its thread ends.
      worker.unref();
      thread.idle.refresh();
      if (reply.heap > maxKeptHeap) void end(thread);
    });
    worker.on("error", (error) => void end(thread, error));
    worker.on("exit", (code) => void end(thread, new ThreadEnded(`The thread ended with code ${code}.`)));
    threads.add(thread);
    return thread;
  }

  async function end(thread: Thread, reason?: unknown): Promise<void> {
    if (!threads.delete(thread)) return;
    clearTimeout(thread.idle);
    clearTimeout(thread.check);
    const { task } = thread;
    // The processor time of an ended thread is unknown; the elapsed time is its upper bound.
    task?.leave(performance.now() - thread.started, true);
    await thread.worker.terminate();
    task?.reject(reason);
  }

  /** Ends the thread once its task exceeds its processor time, of which `left` remains: it cannot be used up in less time. */
  function watch(thread: Thread, task: Task, left: number): void {
    thread.check = setTimeout(
      () => {
        checkUsage(thread, task).catch((error: unknown) => {
          const isDown = error instanceof Error && "code" in error && error.code === "ERR_WORKER_NOT_RUNNING";
          // The thread is starting or ending. If it is ending, its `error` or `exit` event has the reason.
          if (!isDown) void end(thread, error);
          else if (thread.task === task && threads.has(thread)) watch(thread, task, minCheckInterval);
        });
      },
      Math.min(left, maxCheckInterval),
    );
  }

  async function checkUsage(thread: Thread, task: Task): Promise<void> {
    const [{ user, system }, { external_memory: buffers }] = await Promise.all([
      thread.worker.cpuUsage(),
      thread.worker.getHeapStatistics(),
    ]);
    if (thread.task !== task || !threads.has(thread)) return;
    const left = (task.maxCpu ?? Infinity) - ((user + system) / 1000 - thread.spent);
    if (buffers > threadMemory * 1_000_000) await end(thread, outOfMemory());
    else if (left > 0) watch(thread, task, Math.max(left, minCheckInterval));
    else await end(thread, new TaskTimeout("The task takes too much processor time."));
  }

  /** Starts a task on an idle thread, or a new one: of threads there are as many as places in the queue. */
  function start(task: Task, request: TaskRequest, transfer: readonly ArrayBuffer[]): Thread {
    const thread = [...threads].find((one) => one.task === undefined) ?? startThread();
    thread.worker.postMessage(request, transfer);
    thread.worker.ref();
    thread.task = task;
    thread.started = performance.now();
    if (task.maxCpu !== undefined) watch(thread, task, task.maxCpu);
    return thread;
  }

  return {
    async run<I, O>(
      { module, name }: ThreadTask,
      input: I,
      { signal, transfer = [], maxCpu, group, client }: TaskOptions = {},
    ): Promise<O> {
      signal?.throwIfAborted();
      if (closed) throw stopping();
      const leave = await queue.enter(group, { client, signal });
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const task: Task = { maxCpu, leave, resolve, reject };
      let thread: Thread;
      try {
        if (closed) throw stopping();
        signal?.throwIfAborted();
        thread = start(task, { module: module.href, name, input }, transfer);
      } catch (error) {
        // Also if no thread could be started, or the input cannot be copied.
        leave();
        throw error;
      }
      const abort = (): void => {
        if (thread.task === task) void end(thread, signal?.reason);
      };
      signal?.addEventListener("abort", abort);
      try {
        return (await promise) as O;
      } finally {
        signal?.removeEventListener("abort", abort);
      }
    },
    async close() {
      closed = true;
      await Promise.all([...threads].map((thread) => end(thread, stopping())));
    },
  };
}

/** The error of a thread whose buffers are too large, with the code of one whose heap is. */
function outOfMemory(): Error {
  return Object.assign(new Error("The task takes too much memory."), { code: "ERR_WORKER_OUT_OF_MEMORY" });
}

function stopping(): Failure {
  return new Failure("service_unavailable", "The server is stopping, and starts no more work.");
}

/** The pool and options for parsing untrusted texts. */
export interface Threads {
  readonly pool: ThreadPool;
  /** Aborting ends the parser. */
  readonly signal: AbortSignal;
  /** Group and client of the task; the group is the signal by default. */
  readonly sharing?: Pick<TaskOptions, "group" | "client">;
}

/** Maximum processor time for a text, in milliseconds. */
const usualCpu = 10_000;

/**
 * Parses an untrusted text on a thread, as it may be large or hostile. Errors call it `name`; `maxCpu` is the maximum processor time in
 * milliseconds.
 * @throws Failure source_invalid if it takes too much time or memory; errors of the parser
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
  } catch (error) {
    throw toLimitFailure(error, name) ?? error;
  }
}

/** The failure of a text that exceeded the time or memory of a thread; undefined for any other error. `advice` ends the message. */
export function toLimitFailure(cause: unknown, name: string, advice = ""): Failure | undefined {
  const fail = (problem: string) => new Failure("source_invalid", `${name} ${problem}.${advice}`, { cause });
  if (cause instanceof TaskTimeout) return fail("is too slow to read");
  const isTooLarge = cause instanceof Error && "code" in cause && cause.code === "ERR_WORKER_OUT_OF_MEMORY";
  return isTooLarge ? fail("takes more memory to read than a thread has") : undefined;
}
