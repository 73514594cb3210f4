import { parentPort, workerData } from "node:worker_threads";
import type { MessagePort } from "node:worker_threads";
import type { WriteRequest } from "./build-worker.ts";
import { toRows } from "./snippet-rows.ts";

/** What this thread is started with: where its rows go. */
export interface AnalysisThread {
  readonly output: MessagePort;
}

/** What the main thread sends: lines to analyse, joined with line breaks, or that there are no more. An error ends the thread and reaches its `error` event. */
export type AnalysisRequest = { readonly lines: string } | { readonly finish: true };

if (parentPort !== null) {
  const { output } = workerData as AnalysisThread;
  const send = (request: WriteRequest) => output.postMessage(request);
  parentPort.on("message", (request: AnalysisRequest) => {
    send("finish" in request ? request : { rows: toRows(request.lines.split("\n")) });
  });
}
