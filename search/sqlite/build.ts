import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { LoadOptions } from "../../domain/ports.ts";
import { unlessStopped, untilStopped } from "../until-stopped.ts";
import type { BuildReply, WriteRequest } from "./build-worker.ts";
import type { PassageLines, PassageRows } from "./passage-rows.ts";

/** Makes rows of passage lines, wherever that is done. The lines may be handed over. @throws SyntaxError for a line that is no JSON */
export type Analyse = (lines: PassageLines, signal: AbortSignal) => Promise<PassageRows>;

/** Builds passage files. */
export interface PassageFileBuilder {
  /**
   * Builds a file while reads go on: the lines are analysed where `analyse` does that, and the rows are written in a
   * thread. Resolves once the file is complete and closed. Aborting, or an error of the parts, of the analysis or of the
   * thread, ends the thread; what was written stays for the caller to remove.
   */
  build(path: string, parts: AsyncIterable<Uint8Array>, options: LoadOptions): Promise<void>;
  /** Ends the threads that wait for the next file. That of a build under way ends with it. */
  close(): Promise<void>;
}

/** Batches in analysis at once: one in work and one ready at each of two threads. */
const maxAnalysing = 4;
/** Batches at the writing thread: one in work, and one ready. */
const maxWaiting = 2;
/** Bytes of passage lines in a batch: of whole parts, as each batch analyses its words anew. */
const batchSize = 2 * 1024 * 1024;
const lineBreak = 10;
/** Mebibytes of the writing thread's heap; what SQLite takes comes on top. */
const resourceLimits = { maxOldGenerationSizeMb: 128 };
/** How long threads wait for the next file, in milliseconds: starting one takes longer than writing a small file. */
const idleTimeout = 60_000;
/** Threads that wait, as small files are built side by side. */
const maxSpare = 2;

/** A thread that writes one file after the other. */
interface WritingThread {
  readonly worker: Worker;
  /** Aborted when the thread has ended, with the reason. */
  readonly ended: AbortSignal;
}

/** Creates a builder. Each build has a writing thread to itself; some threads are kept for the next builds. */
export function createPassageFileBuilder(analyse: Analyse): PassageFileBuilder {
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

  /** Looks and keeps in one go: builds may end at the same moment, and all but some of their threads end. */
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
    async build(path, parts, options) {
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
    async close() {
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

/** Has a thread write the rows. Throws what ends them, the reason for aborting, or what the thread ended with. */
async function writeFile(
  { worker, ended }: WritingThread,
  path: string,
  batches: AsyncIterable<PassageRows>,
  { signal, report }: LoadOptions,
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
    send({ finish: true });
    while (!finished) await once(worker, "message", { signal: stop });
    signal.throwIfAborted();
  } catch (error) {
    throw stop.aborted ? stop.reason : error;
  } finally {
    worker.off("message", onReply);
  }
}

/** Rows of the lines, in their order, analysed some batches ahead. Throws the reason once stopped. */
async function* analysed(
  parts: AsyncIterable<Uint8Array>,
  analyse: Analyse,
  { signal, language }: LoadOptions,
  ended: AbortSignal,
): AsyncGenerator<PassageRows> {
  const stop = AbortSignal.any([signal, ended]);
  const underway: Promise<PassageRows>[] = [];
  for await (const part of untilStopped(parts, stop)) {
    for (const lines of batchesOf(part)) {
      const rows = analyse({ lines, language }, stop);
      // A failure is thrown where the rows are taken; until then it is not unhandled.
      rows.catch(() => {});
      underway.push(rows);
      const first = underway.length < maxAnalysing ? undefined : underway.shift();
      if (first !== undefined) yield await unlessStopped(first, stop);
    }
  }
  for (const rows of underway) yield await unlessStopped(rows, stop);
}

/** Cuts a part between its lines, into pieces of about `batchSize`. */
function* batchesOf(part: Uint8Array): Iterable<Uint8Array<ArrayBuffer>> {
  const size = Math.ceil(part.length / Math.ceil(part.length / batchSize));
  for (let start = 0, end = 0; start < part.length; start = end) {
    const last = part.indexOf(lineBreak, start + size);
    end = last < 0 ? part.length : last + 1;
    yield new Uint8Array(part.subarray(start, end));
  }
}
