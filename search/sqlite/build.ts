import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { LoadOptions } from "../../domain/ports.ts";
import { unlessStopped, untilStopped } from "../loading.ts";
import type { BuildReply, WriteRequest } from "./build-worker.ts";
import type { PassageLines, PassageRows } from "./passage-rows.ts";

/** Makes rows of passage lines, on any thread. The lines may be transferred to it. @throws SyntaxError for invalid JSON */
export type Analyse = (lines: PassageLines, signal: AbortSignal) => Promise<PassageRows>;

/** Maximum number of batches in analysis: for each of two threads a current and a waiting one. */
const maxAnalysing = 4;
/** Maximum number of batches at the writing thread: a current and a waiting one. */
const maxWaiting = 2;
/** Approximate maximum bytes of passage lines in a batch. Most parts are smaller: one batch each. */
const batchSize = 2 * 1024 * 1024;
const lineBreak = 10;
/** Maximum heap of the writing thread, without SQLite's own memory. */
const resourceLimits = { maxOldGenerationSizeMb: 128 };
/** Time that spare threads wait for the next file, in milliseconds: starting a thread takes longer than writing a small file. */
const idleTimeout = 60_000;
const maxSpare = 2;

/** A thread that writes one file after another. */
interface WritingThread {
  readonly worker: Worker;
  /** Aborted with the reason when the thread has ended. */
  readonly ended: AbortSignal;
}

/** Creates a builder of passage files. Each build has its own writing thread; some threads are kept for the next builds. */
export function createPassageFileBuilder(analyse: Analyse) {
  let spare: readonly WritingThread[] = [];
  let retiring: NodeJS.Timeout | undefined;
  let closed = false;

  function take(): WritingThread {
    const thread = spare.find(({ ended }) => !ended.aborted);
    spare = spare.filter((one) => one !== thread && !one.ended.aborted);
    if (thread === undefined) return startThread();
    thread.worker.ref();
    return thread;
  }

  /** Keeps the thread as a spare one, or ends it. Nothing is awaited before, as builds may end at the same time. */
  async function giveBack(thread: WritingThread): Promise<void> {
    if (closed || spare.length >= maxSpare) return end(thread);
    spare = [...spare, thread];
    thread.worker.unref();
    clearTimeout(retiring);
    retiring = setTimeout(() => void endSpare(), idleTimeout).unref();
  }

  async function endSpare(): Promise<void> {
    clearTimeout(retiring);
    const threads = spare;
    spare = [];
    await Promise.all(threads.map(end));
  }

  return {
    /**
     * Builds a file without blocking reads: `analyse` makes rows of the lines, and a separate thread writes them. Resolves when
     * the file is complete and closed. Rejects if it is aborted, or if the parts, the analysis or the thread fails: then the
     * thread has ended, and the caller removes the unfinished file.
     */
    async build(path: string, parts: AsyncIterable<Uint8Array>, options: LoadOptions): Promise<void> {
      options.signal.throwIfAborted();
      const thread = take();
      try {
        await writeFile(thread, path, analysed(parts, analyse, options, thread.ended), options);
      } catch (error) {
        await end(thread);
        throw error;
      }
      await giveBack(thread);
    },
    /** Ends the spare threads. A thread that is building ends after its file. */
    async close(): Promise<void> {
      closed = true;
      await endSpare();
    },
  };
}

async function end({ worker }: WritingThread): Promise<void> {
  await worker.terminate();
}

function startThread(): WritingThread {
  const worker = new Worker(new URL("./build-worker.ts", import.meta.url), { resourceLimits });
  const ended = new AbortController();
  worker.on("error", (error) => ended.abort(error));
  worker.on("exit", () => ended.abort(new Error("The index build ended early.")));
  return { worker, ended: ended.signal };
}

/** Lets a thread write the rows. @throws an error of the batches, the abort reason, or why the thread ended */
async function writeFile(
  { worker, ended }: WritingThread,
  path: string,
  batches: AsyncIterable<PassageRows>,
  { signal, report, model = "" }: LoadOptions,
): Promise<void> {
  const stop = AbortSignal.any([signal, ended]);
  const send = (request: WriteRequest) => worker.postMessage(request);
  let waiting = 0;
  let finished = false;
  const onReply = (reply: BuildReply): void => {
    if ("finished" in reply) {
      finished = true;
      return;
    }
    waiting -= 1;
    report({ loaded: reply.written });
  };
  worker.on("message", onReply);
  try {
    send({ path });
    for await (const rows of batches) {
      while (waiting >= maxWaiting) await once(worker, "message", { signal: stop });
      stop.throwIfAborted();
      waiting += 1;
      send({ rows });
    }
    send({ finish: true, model });
    while (!finished) await once(worker, "message", { signal: stop });
    signal.throwIfAborted();
  } catch (error) {
    throw stop.aborted ? stop.reason : error;
  } finally {
    worker.off("message", onReply);
  }
}

/** The rows of all lines, in order, with some batches analysed ahead. @throws the abort reason */
async function* analysed(
  parts: AsyncIterable<Uint8Array>,
  analyse: Analyse,
  { signal, language }: LoadOptions,
  ended: AbortSignal,
): AsyncGenerator<PassageRows> {
  const stop = AbortSignal.any([signal, ended]);
  const pending: Promise<PassageRows>[] = [];
  for await (const part of untilStopped(parts, stop)) {
    for (const lines of batchesOf(part)) {
      const rows = analyse({ lines, language }, stop);
      // A failure is thrown when the rows are taken, and does not count as unhandled until then.
      rows.catch(() => {});
      pending.push(rows);
      const first = pending.length < maxAnalysing ? undefined : pending.shift();
      if (first !== undefined) yield await unlessStopped(first, stop);
    }
  }
  for (const rows of pending) yield await unlessStopped(rows, stop);
}

/** Cuts a part at line breaks into batches of about `batchSize` at most. */
function* batchesOf(part: Uint8Array): Iterable<Uint8Array<ArrayBuffer>> {
  const size = Math.ceil(part.length / Math.ceil(part.length / batchSize));
  for (let start = 0, end = 0; start < part.length; start = end) {
    const last = part.indexOf(lineBreak, start + size);
    end = last < 0 ? part.length : last + 1;
    yield new Uint8Array(part.subarray(start, end));
  }
}
