import { parentPort, workerData } from "node:worker_threads";
import type { MessagePort } from "node:worker_threads";
import type { WriteRequest } from "./build-worker.ts";
import { toRows } from "./snippet-rows.ts";

/** What this thread is started with: where its rows go, and the language of code blocks that have none. */
export interface AnalysisThread {
  readonly output: MessagePort;
  readonly language: string;
}

/** What the main thread sends: lines to analyse, joined with line breaks, or that there are no more. An error ends the thread and reaches its `error` event. */
export type AnalysisRequest = { readonly lines: string } | { readonly finish: true };

if (parentPort !== null) {
  const { output, language } = workerData as AnalysisThread;
  const send = (request: WriteRequest, transfer: readonly ArrayBuffer[]) => output.postMessage(request, transfer);
  parentPort.on("message", (request: AnalysisRequest) => {
    if ("finish" in request) {
      send(request, []);
      return;
    }
    const rows = toRows(request.lines, language);
    send({ rows }, [rows.fields.buffer, rows.fieldEnds.buffer, rows.lines.buffer, rows.lineEnds.buffer]);
  });
}
