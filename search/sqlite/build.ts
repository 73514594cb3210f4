import { once } from "node:events";
import { MessageChannel, Worker } from "node:worker_threads";
import type { MessagePort } from "node:worker_threads";
import type { LoadOptions } from "../../domain/ports.ts";
import type { AnalysisRequest, AnalysisThread } from "./analysis-worker.ts";
import type { BuildReply, BuildThread } from "./build-worker.ts";

/** Batches on their way through both threads: one in work and one ready at each, and one to spare. */
const mostWaiting = 5;
/** Characters of snippet lines in a batch; a part may be larger than what should be copied at once. */
const batchSize = 128 * 1024;
/** Mebibytes of a thread's heap. A larger young generation is a little quicker and takes more memory. */
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 6 };

/**
 * Builds a snippet file in two threads, so that reads go on: one analyses the lines, the other writes the rows that it
 * makes. Resolves once the file is complete and closed. Aborting, or an error of the parts or of a thread, ends both
 * threads; what was written stays for the caller to remove.
 */
export async function buildSnippetFile(
  path: string,
  parts: AsyncIterable<readonly string[]>,
  { signal, report, language }: LoadOptions,
): Promise<void> {
  signal.throwIfAborted();
  const { port1: output, port2: input } = new MessageChannel();
  const analyser = startThread("./analysis-worker.ts", { output, language } satisfies AnalysisThread, output);
  const writer = startThread("./build-worker.ts", { path, input } satisfies BuildThread, input);
  const ended = new AbortController();
  const stop = AbortSignal.any([signal, ended.signal]);
  for (const thread of [analyser, writer]) {
    thread.on("error", (error) => ended.abort(error));
    thread.on("exit", () => ended.abort(new Error("The index build ended early.")));
  }
  let waiting = 0;
  let finished = false;
  writer.on("message", (reply: BuildReply) => {
    if ("finished" in reply) {
      finished = true;
      return;
    }
    waiting -= 1;
    report({ snippets: reply.written });
  });
  const send = (request: AnalysisRequest) => analyser.postMessage(request);

  try {
    for await (const part of untilStopped(parts, stop)) {
      for (const lines of batches(part)) {
        while (waiting >= mostWaiting) await once(writer, "message", { signal: stop });
        stop.throwIfAborted();
        waiting += 1;
        send({ lines });
      }
    }
    send({ finish: true });
    while (!finished) await once(writer, "message", { signal: stop });
    signal.throwIfAborted();
  } catch (error) {
    throw stop.aborted ? stop.reason : error;
  } finally {
    await Promise.all([analyser.terminate(), writer.terminate()]);
  }
}

function startThread(file: string, workerData: AnalysisThread | BuildThread, port: MessagePort): Worker {
  return new Worker(new URL(file, import.meta.url), { workerData, transferList: [port], resourceLimits });
}

/** The items, as long as nobody stops: a source that hangs is not waited for. Throws the reason once stopped. */
async function* untilStopped<T>(items: AsyncIterable<T>, stop: AbortSignal): AsyncIterable<T> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await unlessStopped(iterator.next(), stop);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    if (iterator.return !== undefined) await unlessStopped(iterator.return(), stop);
  }
}

/** The result, or the reason for stopping. Each race has a promise of its own: one for all would keep every result. */
async function unlessStopped<T>(result: Promise<T>, stop: AbortSignal): Promise<T> {
  const stopped = Promise.withResolvers<never>();
  const onStop = () => stopped.reject(stop.reason);
  if (stop.aborted) onStop();
  stop.addEventListener("abort", onStop);
  try {
    return await Promise.race([result, stopped.promise]);
  } finally {
    stop.removeEventListener("abort", onStop);
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
