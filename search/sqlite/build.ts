import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { StepControl } from "../../domain/ports.ts";
import type { BuildReply, BuildRequest } from "./build-worker.ts";

/** Batches that may wait at the worker: one to write, one ready behind it. */
const mostWaiting = 2;
/** Characters of snippet lines in a batch; a part may be larger than what should be copied at once. */
const batchSize = 1024 * 1024;

/**
 * Builds a snippet file in a thread of its own, so that reads go on. Resolves once the file is complete and closed.
 * Aborting, or an error of the parts or the thread, ends the thread; what it had written stays for the caller to remove.
 */
export async function buildSnippetFile(
  path: string,
  parts: AsyncIterable<readonly string[]>,
  { signal, report }: StepControl,
): Promise<void> {
  signal.throwIfAborted();
  const worker = new Worker(new URL("./build-worker.ts", import.meta.url), { workerData: { path } });
  const ended = new AbortController();
  const stop = AbortSignal.any([signal, ended.signal]);
  worker.on("error", (error) => ended.abort(error));
  worker.on("exit", () => ended.abort(new Error("The index build ended early.")));
  let waiting = 0;
  let finished = false;
  worker.on("message", (reply: BuildReply) => {
    if ("finished" in reply) {
      finished = true;
      return;
    }
    waiting -= 1;
    report({ snippets: reply.written });
  });
  const send = (request: BuildRequest) => worker.postMessage(request);

  try {
    for await (const part of untilStopped(parts, stop)) {
      for (const lines of batches(part)) {
        while (waiting >= mostWaiting) await once(worker, "message", { signal: stop });
        stop.throwIfAborted();
        waiting += 1;
        send({ lines });
      }
    }
    send({ finish: true });
    while (!finished) await once(worker, "message", { signal: stop });
    signal.throwIfAborted();
  } catch (error) {
    throw stop.aborted ? stop.reason : error;
  } finally {
    await worker.terminate();
  }
}

/** The items, as long as nobody stops: a source that hangs is not waited for. Throws the reason once stopped. */
async function* untilStopped<T>(items: AsyncIterable<T>, stop: AbortSignal): AsyncIterable<T> {
  const stopped = Promise.withResolvers<never>();
  stop.addEventListener("abort", () => stopped.reject(stop.reason), { once: true });
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), stopped.promise]);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await Promise.race([iterator.return?.(), stopped.promise]);
  }
}

/** Cuts a part into texts of about `batchSize`, one line a snippet: one string is handed over quicker than many. */
function* batches(part: readonly string[]): Iterable<string> {
  let first = 0;
  let size = 0;
  for (const [at, line] of part.entries()) {
    size += line.length;
    if (size < batchSize && at + 1 < part.length) continue;
    yield part.slice(first, at + 1).join("\n");
    first = at + 1;
    size = 0;
  }
}
