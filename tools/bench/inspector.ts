import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { setTimeout as pause } from "node:timers/promises";
import type { LecternProcess } from "../../test/support/lectern-process.ts";

/** How long turns of the event loop of a server's main thread have taken, in milliseconds. */
export interface Turns {
  readonly longest: number;
  /** What one turn in a thousand takes at least. */
  readonly p999: number;
}

/** A look into a server's main thread. */
export interface Inspector {
  /** Turns of the event loop since the last call; the first call begins. By the clock, so that what else the machine does counts too. */
  turns(): Promise<Turns>;
  /** Megabytes of the heap that are in use after a full garbage collection. */
  heapMegabytes(): Promise<number>;
  /** Writes a heap snapshot, to be opened with Chromium's developer tools. */
  snapshot(path: string): Promise<void>;
  close(): void;
}

/** Milliseconds between two looks at the event loop, which are no part of its delay. */
const lookEvery = 5;

/** Evaluated in the server. */
const turns = `{
  const { monitorEventLoopDelay } = process.getBuiltinModule("node:perf_hooks");
  const delays = (globalThis.benchmarkDelays ??= monitorEventLoopDelay({ resolution: ${lookEvery} }));
  const [longest, p999] = [delays.max, delays.percentile(99.9)].map((delay) => delay / 1e6 - ${lookEvery});
  delays.reset();
  delays.enable();
  ({ longest, p999 });
}`;

/** Environment of a server that can be looked into, on loopback. */
export const inspected = { NODE_OPTIONS: "--inspect=127.0.0.1:0" };

/** Looks into a server that was started with `inspected`. */
export async function inspect(server: LecternProcess): Promise<Inspector> {
  let address: string | undefined;
  // A server replaces its process once when it starts, so that the last one counts; what it prints may come later than its address.
  while (address === undefined) {
    await pause(100);
    address = [...server.stderr().matchAll(/ws:\/\/127\.0\.0\.1:\d+\/[\w-]+/g)].at(-1)?.[0];
  }
  const socket = new WebSocket(address);
  const opened = Promise.withResolvers<void>();
  socket.addEventListener("open", () => opened.resolve());
  socket.addEventListener("error", () => opened.reject(new Error(`The inspector at ${address} does not answer.`)));
  await opened.promise;
  const waiting = new Map<number, (result: unknown) => void>();
  let chunks: ((chunk: string) => void) | undefined;
  socket.addEventListener("message", ({ data }) => {
    const { id, method, result, params } = JSON.parse(String(data)) as {
      id?: number;
      method?: string;
      result?: unknown;
      params?: { chunk?: string };
    };
    if (method === "HeapProfiler.addHeapSnapshotChunk") chunks?.(params?.chunk ?? "");
    if (id !== undefined) waiting.get(id)?.(result);
  });
  let calls = 0;
  const call = (method: string, params = {}): Promise<unknown> => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    calls += 1;
    waiting.set(calls, resolve);
    socket.send(JSON.stringify({ id: calls, method, params }));
    return promise;
  };
  return {
    async turns() {
      const { result } = (await call("Runtime.evaluate", { expression: turns, returnByValue: true })) as {
        result: { value: Turns };
      };
      return result.value;
    },
    async heapMegabytes() {
      await call("HeapProfiler.collectGarbage");
      const { usedSize } = (await call("Runtime.getHeapUsage")) as { usedSize: number };
      return usedSize / 2 ** 20;
    },
    async snapshot(path) {
      const file = createWriteStream(path);
      chunks = (chunk) => void file.write(chunk);
      await call("HeapProfiler.takeHeapSnapshot", { reportProgress: false });
      await finished(file.end());
    },
    close: () => socket.close(),
  };
}
