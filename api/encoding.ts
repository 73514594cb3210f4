import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { parseAccept } from "hono/utils/accept";
import type { ApiAnswer } from "./answers.ts";

/** Minimum size of a compressed body, in bytes. */
const minSize = 1024;

const compress = {
  br: (bytes: Uint8Array): Promise<Buffer> =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 4,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes: Uint8Array): Promise<Buffer> => promisify(gzip)(bytes, { level: 6 }),
};

/**
 * The bytes of an answer's body, compressed where the client accepts it and it saves bytes, with the headers that describe them; null
 * for a stream, or without a body.
 */
export async function encodeBody(
  { body, headers }: Pick<ApiAnswer, "body" | "headers">,
  acceptEncoding: string | undefined,
): Promise<{ readonly bytes: Uint8Array | null; readonly headers: Readonly<Record<string, string>> }> {
  if (body === null || isStream(body)) return { bytes: null, headers: {} };
  const bytes = toBytes(body);
  const plain = { "Content-Length": String(bytes.length) };
  const type = headers["Content-Type"] ?? "";
  if (bytes.length < minSize || !/^(?:text\/|application\/json)/.test(type)) return { bytes, headers: plain };
  const vary = withAcceptEncoding(headers["Vary"]);
  const encoding = chooseEncoding(acceptEncoding);
  if (encoding === undefined) return { bytes, headers: { ...plain, Vary: vary } };
  const packed = await compress[encoding](bytes);
  return {
    bytes: packed,
    headers: { "Content-Length": String(packed.length), "Content-Encoding": encoding, Vary: vary },
  };
}

/** Whether a body is sent in parts, as they are made. */
export function isStream(body: ApiAnswer["body"]): body is AsyncIterable<string> {
  return body !== null && typeof body === "object" && Symbol.asyncIterator in body;
}

/** br before gzip, unless the client refuses it (RFC 9110 §12.5.3: `q=0`). */
function chooseEncoding(accept = ""): keyof typeof compress | undefined {
  const accepted = parseAccept(accept).filter(({ q }) => q > 0);
  return (["br", "gzip"] as const).find((name) => accepted.some(({ type }) => type.toLowerCase() === name));
}

function toBytes(body: NonNullable<ApiAnswer["body"]>): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

function withAcceptEncoding(vary: string | undefined): string {
  if (vary === undefined) return "Accept-Encoding";
  return /accept-encoding/i.test(vary) ? vary : `${vary}, Accept-Encoding`;
}
