import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";

/** A request that a child process sent to a relay. */
export interface RelayRequest {
  readonly method: string;
  /** Path and query behind the relay's own address. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: IncomingMessage["headers"];
  readonly body: Uint8Array;
  /** Aborted when the child goes away, or the relay is closed. */
  readonly signal: AbortSignal;
}

/** What the child is told: status 200 with this body. */
export interface RelayAnswer {
  readonly contentType: string;
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** An HTTP server on the loopback address for one child process, which so reaches what `answer` lets it reach. */
export interface Relay {
  /** Its address without a slash at its end. Whoever knows it may use the relay: it belongs in no argument and no log. */
  readonly url: string;
  /** Ends the server and its connections. */
  close(): Promise<void>;
}

/** Longest body of a request, in bytes: the IDs of 600,000 objects. */
const maxRequest = 32_000_000;

/**
 * Opens a relay. An answer that throws, or whose body does, breaks the connection off, so that the child fails; `failed` is
 * told why.
 */
export async function openRelay(
  answer: (request: RelayRequest) => Promise<RelayAnswer>,
  failed: (error: unknown) => void,
): Promise<Relay> {
  // Other processes of the machine can connect too, and requests may carry credentials.
  const root = `/${randomBytes(24).toString("hex")}`;
  const closing = new AbortController();

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = request;
    if (!url.startsWith(`${root}/`)) return void response.writeHead(404).end();
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const signal = AbortSignal.any([gone.signal, closing.signal]);
    try {
      const body = await readBody(request);
      const told = await answer({ method, path: url.slice(root.length), headers, body, signal });
      response.writeHead(200, { "content-type": told.contentType });
      await pipeline(told.body, response);
    } catch (error) {
      // What a child that goes away leaves behind is no failure of ours.
      if (!signal.aborted) failed(error);
      response.destroy();
    }
  }

  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${root}`,
    async close() {
      closing.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxRequest) throw new Error(`A child sent a request of more than ${maxRequest} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
