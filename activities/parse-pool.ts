import { fileURLToPath } from "node:url";
import type { Piscina } from "piscina";
import { Failure } from "../domain/failures.ts";
import type { ParseBatch, ParsedPage, ParseInput, ParseOutcome } from "./parse-worker.ts";

/** Extraction on threads of its own. A result does not depend on how many there are, nor on what else they do. */
export interface ParsePool {
  /**
   * Extracts from one page. Its bytes, and those of what it includes, are copied when a thread is free for it; until then they are not to be changed.
   * @throws Failure source_invalid where the page is too much for a thread's memory, internal_error where extraction has a bug
   */
  parse(input: ParseInput, signal?: AbortSignal): Promise<ParsedPage>;
  /**
   * Runs another pure function on the threads. Input and result are copied, but for what of the input is handed over.
   * @throws what the function throws, or its thread ends with
   */
  run<I, O>(task: ThreadTask, input: I, handedOver?: readonly ArrayBuffer[]): Promise<O>;
  /** Starts the threads, so that they are ready when the first pages come. */
  warm(): void;
  /** Ends the threads; pages that wait are given up. */
  close(): Promise<void>;
}

/** A function that is exported from a module under a name, to be run on a thread. */
export interface ThreadTask {
  readonly module: URL;
  readonly name: string;
}

/**
 * Threads end after so long without work, in milliseconds. What a thread has compiled ends with it: a fresh one takes
 * 0.1 s to start and is slower for its first hundreds of pages.
 */
const idleTimeout = 60_000;
/** Memory of a thread, in MB. Pages of 10 MB that are made to take as much as possible come near to it. */
const defaultMemory = 1024;
/**
 * Young generation of a thread, in MB, of which V8 makes three semi-spaces: 12 take 8 % more time, and the default of 48
 * gains hardly any. cli/lectern.mjs has V8 give it at once.
 */
const youngMemory = 24;
/** Small pages share a message, up to so many pages and bytes, as a message costs as much as parsing 1 kB. */
const batchPages = 16;
const batchBytes = 131_072;

interface Waiting {
  readonly input: ParseInput;
  resolve(result: ParsedPage): void;
  reject(error: unknown): void;
}

export interface ParsePoolOptions {
  /** Threads at most; the first starts with the first page. */
  readonly threads: number;
  /** Heap of a thread, in MB. */
  readonly threadMemory?: number;
}

/** Creates a pool of threads. */
export function createParsePool({ threads, threadMemory = defaultMemory }: ParsePoolOptions): ParsePool {
  let starting: Promise<Piscina> | undefined;
  const waiting: Waiting[] = [];
  /** Other functions; they come before the pages, whose runs are not as far. */
  const tasks: (() => Promise<void>)[] = [];
  let running = 0;
  let closed = false;

  const start = (): Promise<Piscina> => (starting ??= startThreads(threads, threadMemory));

  const send = (): void => {
    // Never more than there are threads: what waits inside of Piscina 5 hangs when a thread dies (its _onError starts no other).
    while ((waiting.length > 0 || tasks.length > 0) && running < threads) {
      running++;
      const task = tasks.shift();
      void (task === undefined ? parseBatch(takeBatch(waiting)) : task()).finally(() => {
        running--;
        send();
      });
    }
  };

  const parseBatch = async (batch: readonly Waiting[]): Promise<void> => {
    const message = toMessage(batch);
    try {
      const pool = await start();
      settle(batch, (await pool.run(message, { transferList: [message.bytes.buffer] })) as ParseOutcome[]);
    } catch (error) {
      const [first] = batch;
      if (batch.length === 1) first?.reject(closed ? stopping() : toFailure(error, first.input.path));
      // The thread died. Which page it died of shows when each goes by itself.
      else for (const page of batch) await parseBatch([page]);
    }
  };

  return {
    async parse(input, signal) {
      signal?.throwIfAborted();
      if (closed) throw stopping();
      const page = Promise.withResolvers<ParsedPage>();
      const entry: Waiting = { input, resolve: page.resolve, reject: page.reject };
      const abort = (): void => {
        const index = waiting.indexOf(entry);
        if (index >= 0) waiting.splice(index, 1);
        page.reject(signal?.reason);
      };
      signal?.addEventListener("abort", abort, { once: true });
      waiting.push(entry);
      send();
      try {
        return await page.promise;
      } finally {
        signal?.removeEventListener("abort", abort);
      }
    },
    async run<I, O>({ module, name }: ThreadTask, input: I, handedOver: readonly ArrayBuffer[] = []): Promise<O> {
      const result = Promise.withResolvers<O>();
      tasks.push(async () => {
        try {
          if (closed) throw stopping();
          const pool = await start();
          const options = { filename: fileURLToPath(module), name, transferList: [...handedOver] };
          result.resolve((await pool.run(input, options)) as O);
        } catch (error) {
          result.reject(closed ? stopping() : error);
        }
      });
      send();
      return result.promise;
    },
    warm() {
      if (closed) return;
      const empty = (): ParseBatch => ({ pages: [], sizes: [], bytes: new Uint8Array() });
      // A thread that cannot start fails the first page, with its reason.
      start()
        .then((pool) => Promise.all(Array.from({ length: threads }, () => pool.run(empty()))))
        .catch(() => (starting = undefined));
    },
    async close() {
      closed = true;
      for (const { reject } of waiting.splice(0)) reject(stopping());
      const pool = await starting;
      await pool?.destroy();
    },
  };
}

async function startThreads(threads: number, threadMemory: number): Promise<Piscina> {
  const { Piscina } = await import("piscina");
  const pool = new Piscina({
    filename: fileURLToPath(new URL("parse-worker.ts", import.meta.url)),
    name: "parseBatch",
    minThreads: 0,
    maxThreads: threads,
    idleTimeout,
    resourceLimits: { maxOldGenerationSizeMb: threadMemory, maxYoungGenerationSizeMb: youngMemory },
  });
  // Of a thread that dies without work; the next page starts another one, and fails with the reason if that cannot be.
  pool.on("error", () => undefined);
  return pool;
}

function takeBatch(waiting: Waiting[]): Waiting[] {
  let bytes = 0;
  let count = 0;
  for (const { input } of waiting) {
    bytes += sizeOf(input);
    if (count > 0 && (count >= batchPages || bytes > batchBytes)) break;
    count++;
  }
  return waiting.splice(0, count);
}

function toMessage(batch: readonly Waiting[]): ParseBatch & { readonly bytes: Uint8Array<ArrayBuffer> } {
  const bytes = new Uint8Array(batch.reduce((sum, { input }) => sum + sizeOf(input), 0));
  let at = 0;
  for (const { input } of batch) {
    for (const part of [input.bytes, ...(input.includes ?? []).map((file) => file.bytes)]) {
      if (part === null) continue;
      bytes.set(part, at);
      at += part.length;
    }
  }
  const pages = batch.map(({ input: { path, url, spec, revision, includes = [] } }) => {
    const sent = includes.map(({ bytes: content, ...file }) => ({ ...file, size: content?.length ?? null }));
    return { path, url, spec, revision, includes: sent };
  });
  return { pages, sizes: batch.map(({ input }) => input.bytes.length), bytes };
}

/** Bytes of a page and of what it includes. */
function sizeOf({ bytes, includes = [] }: ParseInput): number {
  return includes.reduce((sum, file) => sum + (file.bytes?.length ?? 0), bytes.length);
}

function settle(batch: readonly Waiting[], outcomes: readonly ParseOutcome[]): void {
  for (const [index, { input, resolve, reject }] of batch.entries()) {
    const outcome = outcomes[index];
    if (outcome !== undefined && "result" in outcome) resolve(outcome.result);
    else
      reject(new Failure("internal_error", `Extraction from ${input.path} failed: ${outcome?.error ?? "no result"}`));
  }
}

function stopping(): Failure {
  return new Failure("service_unavailable", "The server is shutting down; no more pages are parsed.");
}

function toFailure(error: unknown, path: string): Failure {
  const outOfMemory = error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
  return outOfMemory
    ? new Failure(
        "source_invalid",
        `Parsing ${path} exceeds the memory limit of a thread. Split the page, or exclude it.`,
      )
    : new Failure("internal_error", `The thread that parsed ${path} ended: ${String(error)}`, { cause: error });
}
