import { parentPort, workerData } from "node:worker_threads";
import type { MessagePort } from "node:worker_threads";
import type { SnippetRows } from "./snippet-rows.ts";
import { createSnippetWriter } from "./snippet-writer.ts";

/** What this thread is started with: the file to write, and where its rows come from. */
export interface BuildThread {
  readonly path: string;
  readonly input: MessagePort;
}

/** What the analysing thread sends: rows to write, or that there are no more. */
export type WriteRequest = { readonly rows: SnippetRows } | { readonly finish: true };

/** What the main thread is told: how many snippets are written after a batch, or how many the complete file has. An error ends the thread and reaches its `error` event. */
export type BuildReply = { readonly written: number } | { readonly finished: number };

if (parentPort !== null) {
  const port = parentPort;
  const { path, input } = workerData as BuildThread;
  const writer = createSnippetWriter(path);
  const reply = (message: BuildReply) => port.postMessage(message);
  input.on("message", (request: WriteRequest) => {
    if ("finish" in request) {
      reply({ finished: writer.finish() });
      return;
    }
    const { rows } = request;
    reply({ written: writer.add(rows) });
    // Gives the memory back now: a garbage collection, which sees small objects only, would come late.
    for (const { buffer } of [rows.fields, rows.fieldEnds, rows.lines, rows.lineEnds]) buffer.transfer(0);
  });
}
