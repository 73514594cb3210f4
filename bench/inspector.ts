import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { setTimeout as pause } from "node:timers/promises";
import type { LecternProcess } from "../test/support/lectern-process.ts";

/** A look into the heap of a server's main thread. */
export interface Inspector {
  /** Megabytes of the heap that are in use after a full garbage collection. */
  heapMegabytes(): Promise<number>;
  /** Writes a heap snapshot, to be opened with Chromium's developer tools. */
  snapshot(path: string): Promise<void>;
  close(): void;
}

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
