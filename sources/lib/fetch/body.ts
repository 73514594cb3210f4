import { pipeline, type Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { Failure } from "../../../domain/failures.ts";
import { toFetchFailure } from "./failures.ts";
import type { Pending } from "./watch.ts";

/** How a body is read. */
export interface BodyContext {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Cap on the decompressed body, in bytes. */
  readonly maxBytes: number;
  readonly slowest: Throughput;
  readonly signal: AbortSignal | undefined;
  /** What waits for it. */
  readonly pending: Pending;
}

/** The least number of bytes in an interval, which is in milliseconds and counts only time spent waiting for the server. */
export interface Throughput {
  readonly bytes: number;
  readonly within: number;
}

/** A body, to be read once. */
export interface Body {
  readonly body: AsyncIterable<Uint8Array>;
  text(): Promise<string>;
  discard(): void;
}

/** A server that encodes more than twice is hostile. */
const maxEncodings = 2;

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * Undoes the content encoding of a raw body and caps what comes out of it.
 * @throws Failure source_invalid for an encoding that was not asked for
 */
export function toBody(raw: Readable, context: BodyContext): Body {
  // Without a listener an error after `discard` would end the process; readers get errors from the iteration.
  raw.on("error", () => undefined);
  const body = readCapped(decode(raw, context), context);
  return {
    body,
    async text() {
      return Buffer.concat(await Array.fromAsync(body)).toString("utf8");
    },
    discard: () => raw.destroy(),
  };
}

/** Maximum size of an encoded body, in bytes, whatever the cap on the decoded one. */
const maxEncoded = 1_000_000_000;

function decode(raw: Readable, { url, headers, maxBytes }: BodyContext): Readable {
  const encodings = (headers["content-encoding"] ?? "")
    .toLowerCase()
    .split(",")
    .map((encoding) => encoding.trim())
    .filter((encoding) => encoding !== "" && encoding !== "identity");
  let stream = raw;
  for (const encoding of encodings.reverse()) {
    const decoder = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined;
    if (decoder === undefined || encodings.length > maxEncodings) {
      raw.destroy();
      throw new Failure("source_invalid", `${url.host} sent a body in an encoding that was not asked for.`);
    }
    // What comes in is counted too: a decoder makes nothing of any number of empty members, and may make much of what it gives the next.
    const capped = (source: AsyncIterable<Uint8Array>) =>
      countTo(Math.min(maxEncoded, maxBytes * 1.1 + 1000), url, source);
    // Pipeline destroys the last stream with the error, and so its reader gets it.
    stream = pipeline(stream, capped, decoder(), () => undefined);
  }
  return stream;
}

/** Passes bytes on up to a number. @throws Failure library_too_large beyond it */
async function* countTo(most: number, { host }: URL, source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.byteLength;
    if (bytes > most)
      throw new Failure(
        "library_too_large",
        `${host} sent more than the ${Math.floor(most)} bytes that are read at most.`,
      );
    yield chunk;
  }
}

async function* readCapped(stream: Readable, context: BodyContext): AsyncGenerator<Uint8Array> {
  const { url, maxBytes, slowest, signal, pending } = context;
  let lately = { waited: 0, bytes: 0 };
  let asked = performance.now();
  try {
    pending.wait();
    for await (const chunk of countTo(maxBytes, url, stream as AsyncIterable<Uint8Array>)) {
      pending.pause();
      pending.heard(chunk.byteLength);
      lately = { waited: lately.waited + performance.now() - asked, bytes: lately.bytes + chunk.byteLength };
      if (lately.waited >= slowest.within) {
        if (lately.bytes < slowest.bytes) throw tooSlow(url, slowest);
        lately = { waited: 0, bytes: 0 };
      }
      yield chunk;
      asked = performance.now();
      pending.wait();
    }
    pending.heard();
  } catch (error) {
    throw toFetchFailure(error, url, signal);
  } finally {
    pending.pause();
  }
}

function tooSlow(url: URL, { bytes, within }: Throughput): Failure {
  const reason = `it sent less than ${bytes} bytes in ${Math.round(within / 1000)} s`;
  return new Failure("source_unreachable", `${url.host} is too slow: ${reason}. Try again later.`);
}
