import { pipeline, type Readable, type Transform } from "node:stream";
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from "node:zlib";
import { Failure } from "../../../domain/failures.ts";
import { toFetchFailure } from "./failures.ts";
import type { Pending } from "./stall-watch.ts";

/** Options for reading a body. */
export interface BodyContext {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Cap on the decompressed body, in bytes. */
  readonly maxBytes: number;
  readonly slowest: Throughput;
  readonly signal: AbortSignal | undefined;
  /** The request, in the watch of its step. */
  readonly pending: Pending;
}

/** The minimum number of bytes in an interval, in milliseconds. Only time spent waiting for the server counts. */
export interface Throughput {
  readonly bytes: number;
  readonly within: number;
}

/** A body that can be read once. */
export interface Body {
  /** The decompressed body. @throws Failure source_unreachable, source_invalid or library_too_large */
  readonly body: AsyncIterable<Uint8Array>;
  /** The whole body as UTF-8. @throws as `body` does */
  text(): Promise<string>;
  /** Closes the connection without reading the rest. */
  discard(): void;
}

/** A server that encodes more than twice is hostile. */
const maxEncodings = 2;

type Pieces = AsyncIterable<Uint8Array>;

/** The codings of HTTP: some servers send one that was not requested. */
const decoders: Readonly<Record<string, () => Transform | ((source: Pieces) => Pieces)>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: () => inflate,
  br: createBrotliDecompress,
  // The largest window that a client has to support (RFC 9659).
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 23 } }),
};

/** Decodes `deflate` with the header of zlib, as specified, and without it, as some servers send it. */
async function* inflate(source: Pieces): AsyncGenerator<Uint8Array> {
  const pieces = source[Symbol.asyncIterator]();
  const first = await pieces.next();
  const all = async function* (): AsyncGenerator<Uint8Array> {
    if (first.done !== true) yield first.value;
    yield* { [Symbol.asyncIterator]: () => pieces };
  };
  const isZlib = first.done === true || ((first.value[0] ?? 0) & 0x0f) === 8;
  yield* pipeline(all, isZlib ? createInflate() : createInflateRaw(), () => undefined) as Pieces;
}

/**
 * Decodes a raw body, and caps the result.
 * @throws Failure source_invalid for an unknown encoding
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
      throw new Failure("source_invalid", `${url.host} sent a body in an encoding that was not requested.`);
    }
    // The input is capped too: any number of empty members decodes to nothing, and the first of two decoders may produce a lot.
    const capped = (source: Pieces) => capBytes(source, Math.min(maxEncoded, maxBytes * 1.1 + 1000), url);
    // Pipeline destroys the last stream with the error, so its reader gets it.
    // The declared types leave out that a generator ends as a stream.
    stream = pipeline(stream, capped, decoder() as Transform, () => undefined);
  }
  return stream;
}

/** Passes on at most `maxBytes`. @throws Failure library_too_large for more */
async function* capBytes(source: Pieces, maxBytes: number, { host }: URL): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes)
      throw new Failure(
        "library_too_large",
        `${host} sent more than ${Math.floor(maxBytes)} bytes, the most that is read.`,
      );
    yield chunk;
  }
}

async function* readCapped(stream: Readable, context: BodyContext): AsyncGenerator<Uint8Array> {
  const { url, maxBytes, slowest, signal, pending } = context;
  let recent = { waited: 0, bytes: 0 };
  let waitingSince = performance.now();
  try {
    pending.wait();
    for await (const chunk of capBytes(stream as Pieces, maxBytes, url)) {
      pending.pause();
      pending.heard(chunk.byteLength);
      recent = { waited: recent.waited + performance.now() - waitingSince, bytes: recent.bytes + chunk.byteLength };
      if (recent.waited >= slowest.within) {
        if (recent.bytes < slowest.bytes) throw tooSlow(url, slowest);
        recent = { waited: 0, bytes: 0 };
      }
      yield chunk;
      waitingSince = performance.now();
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
