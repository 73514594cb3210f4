/** Takes spans that are sent over OTLP, and prints how many it has: first the port that it listens on. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

interface Export {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly unknown[] }[] }[];
}

let taken = 0;
const server = createServer((request, response) => {
  void text(request).then((body) => {
    const { resourceSpans } = JSON.parse(body) as Export;
    for (const { scopeSpans } of resourceSpans) for (const { spans } of scopeSpans) taken += spans.length;
    response.end("{}");
    console.log(taken);
  });
}).listen(0, "127.0.0.1");
await once(server, "listening");
console.log((server.address() as AddressInfo).port);
