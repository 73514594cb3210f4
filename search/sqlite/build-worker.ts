import { parentPort } from "node:worker_threads";
import type { PassageRows } from "./passage-rows.ts";
import { createPassageWriter } from "./passage-writer.ts";
import type { PassageWriter } from "./passage-writer.ts";

/** Messages to this thread, in order: the file to write, batches of its rows, the end of the file. Then the next file may come. */
export type WriteRequest = { readonly path: string } | { readonly rows: PassageRows } | { readonly finish: true };

/** Its answers: passages written so far after each batch, and passages in the complete file. An error ends the thread (event `error`). */
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
