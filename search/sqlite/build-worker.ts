import { parentPort, workerData } from "node:worker_threads";
import { createSnippetWriter } from "./snippet-writer.ts";

/** What the main thread sends: lines to add, or that there are no more. */
export type BuildRequest = { readonly lines: string } | { readonly finish: true };

/** What comes back: how many snippets are written after a batch, or how many the complete file has. An error ends the worker and reaches its `error` event. */
export type BuildReply = { readonly written: number } | { readonly finished: number };

if (parentPort !== null) {
  const port = parentPort;
  const writer = createSnippetWriter((workerData as { path: string }).path);
  port.on("message", (request: BuildRequest) => {
    if ("finish" in request) {
      port.postMessage({ finished: writer.finish() } satisfies BuildReply);
      port.close();
      return;
    }
    const written = writer.add(request.lines.split("\n"));
    port.postMessage({ written } satisfies BuildReply);
  });
}
