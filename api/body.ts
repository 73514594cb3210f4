import type { Readable } from "node:stream";

import { Failure } from "../domain/failures.ts";
import type { ApiRequest } from "./request.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Whether a JSON body comes with a request, as its headers say. @throws Failure unsupported_media_type */
export function announcesJson({ headers }: Pick<ApiRequest, "headers">): boolean {
  if (headers["transfer-encoding"] === undefined && !(Number(headers["content-length"] ?? 0) > 0)) return false;
  const type = headers["content-type"] ?? "";
  if (!/^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(type.trim())) {
    throw new Failure("unsupported_media_type", "Send the body as JSON, with Content-Type: application/json.");
  }
  if ((headers["content-encoding"] ?? "identity").toLowerCase() !== "identity") {
    throw new Failure("unsupported_media_type", "Send the body uncompressed, without Content-Encoding.");
  }
  return true;
}

/** The JSON body of a request. @throws Failure payload_too_large, or validation_error for what is not JSON in UTF-8 */
export async function readJson(request: Pick<ApiRequest, "readBody">, limit: number): Promise<unknown> {
  const bytes = await request.readBody(limit);
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    throw new Failure("validation_error", "The body is not valid JSON in UTF-8.", { cause });
  }
}

/**
 * Collects a body of at most `limit` bytes within `timeout` milliseconds. What is left of it stays unread.
 * @throws Failure payload_too_large, or validation_error if the connection is lost or times out
 */
export async function collectBody(
  stream: Readable,
  announced: number,
  limit: number,
  timeout: number,
): Promise<Uint8Array> {
  if (announced > limit) throw tooLarge(limit);
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const chunks: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => {
    reject(
      new Failure("validation_error", `Timeout: the body was not complete within ${Math.ceil(timeout / 1000)} s.`),
    );
  }, timeout);
  const onData = (chunk: Buffer): void => {
    size += chunk.length;
    if (size > limit) reject(tooLarge(limit));
    else chunks.push(chunk);
  };
  const onEnd = (): void => resolve(Buffer.concat(chunks));
  const onClose = (): void =>
    reject(new Failure("validation_error", "The connection closed before the body was complete."));
  stream.on("data", onData).on("end", onEnd).on("close", onClose);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    stream.off("data", onData).off("end", onEnd).off("close", onClose);
    stream.pause();
  }
}

function tooLarge(limit: number): Failure {
  return new Failure("payload_too_large", `The body exceeds the limit of ${limit} bytes.`);
}
