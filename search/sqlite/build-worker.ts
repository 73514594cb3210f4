import { parentPort } from "node:worker_threads";
import type { PassageRows } from "./passage-rows.ts";
import { createPassageWriter } from "./passage-writer.ts";
import type { PassageWriter } from "./passage-writer.ts";

/** What this thread is told, in order: the file to write, its rows, that there are no more. Then it may be told of the next file. */
export type WriteRequest = { readonly path: string } | { readonly rows: PassageRows } | { readonly finish: true };

/** What it answers: how many passages are written after a batch, or how many the complete file has. An error ends the thread and reaches its `error` event. */
export type BuildReply = { readonly written: number } | { readonly finished: number };

if (parentPort !== null) {
  const port = parentPort;
  let writer: PassageWriter | undefined;
  const writing = (): PassageWriter => {
    if (writer === undefined) throw new Error("No file was named to write to.");
    return writer;
  };
  const reply = (message: BuildReply) => port.postMessage(message);
  port.on("message", (request: WriteRequest) => {
    if ("path" in request) writer = createPassageWriter(request.path);
    else if ("rows" in request) reply({ written: writing().add(request.rows) });
    else {
      reply({ finished: writing().finish() });
      writer = undefined;
    }
  });
}
