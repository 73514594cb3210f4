import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";

/** A request that a child process sent to a relay. */
export interface RelayRequest {
  readonly method: string;
  /** Path and query below the relay's own address. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: IncomingMessage["headers"];
  readonly body: Uint8Array;
  /** Aborted when the child disconnects, or the relay is closed. */
  readonly signal: AbortSignal;
}

/** What the child is answered, with status 200. */
export interface RelayAnswer {
  readonly contentType: string;
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** An HTTP server on the loopback address, through which one child process reaches what `answer` permits. */
export interface Relay {
  /** Its address without a trailing slash. It is a secret, as knowing it is enough to use the relay: keep it out of arguments and logs. */
  readonly url: string;
  /** Ends the server and its connections. */
  close(): Promise<void>;
}

/** Longest body of a request, in bytes: enough for the IDs of 600,000 objects. */
const maxRequest = 32_000_000;

/**
 * Opens a relay. Where `answer` or its body throws, the connection is closed so that the child fails, and `failed` gets the error.
 */
export async function openRelay(
  answer: (request: RelayRequest) => Promise<RelayAnswer>,
  failed: (error: unknown) => void,
): Promise<Relay> {
  // Other processes of the machine can connect too, and `answer` may add credentials.
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
      const answered = await answer({ method, path: url.slice(root.length), headers, body, signal });
      response.writeHead(200, { "content-type": answered.contentType });
      await pipeline(answered.body, response);
    } catch (error) {
      // A child that disconnected is not a failure.
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
