import type * as z from "zod";
import type { Caller } from "../domain/access.ts";
import { Failure } from "../domain/failures.ts";
import { parseBody } from "./parameters.ts";
import type { ApiRequest } from "./request.ts";

/** A kind of request body: how it is recognised by its headers, read, and described. */
export interface BodyKind<Body> {
  /** The message for a missing body; null: it is optional. */
  readonly missing: string | null;
  /** Schema by media type; for bytes a description. */
  readonly content: Readonly<Record<string, z.ZodType>>;
  /** Whether the headers announce this kind of body. @throws Failure unsupported_media_type for another one */
  announced(request: Pick<ApiRequest, "headers">): boolean;
  /** Reads and validates it; its limit may depend on the caller. @throws Failure payload_too_large, validation_error */
  read(request: Pick<ApiRequest, "headers" | "readBody">, caller: Pick<Caller, "keyId">): Promise<Body>;
}

/** Maximum size of a JSON body, in bytes. */
const maxJson = 1_048_576;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** A JSON object, validated by the schema. Unknown fields are ignored. */
export function jsonBody<T>(schema: z.ZodType<T>): BodyKind<T> {
  return {
    ...optionalJsonBody(schema),
    missing: "Send a JSON object.",
    read: async (request) => parseBody(schema, await readJson(request)),
  };
}

/** Optional JSON, which the handler validates. */
export function optionalJsonBody(schema: z.ZodType): BodyKind<unknown> {
  return {
    missing: null,
    content: { "application/json": schema },
    announced: announcesJson,
    read: readJson,
  };
}

/**
 * Whether headers announce a body.
 * @throws Failure unsupported_media_type for a compressed body, and with the given message for one of a wrong type
 */
export function announces(headers: ApiRequest["headers"], isRightType: boolean, message: string): boolean {
  if (headers["transfer-encoding"] === undefined && !(Number(headers["content-length"] ?? 0) > 0)) return false;
  if (!isRightType) throw new Failure("unsupported_media_type", message);
  if ((headers["content-encoding"] ?? "identity").toLowerCase() === "identity") return true;
  throw new Failure("unsupported_media_type", "Send the body uncompressed, without Content-Encoding.");
}

/** The media type of Content-Type, in lower case and without parameters; "" without one. */
export function mediaType(headers: ApiRequest["headers"]): string {
  return (headers["content-type"] ?? "").replace(/;.*/s, "").trim().toLowerCase();
}

function announcesJson({ headers }: Pick<ApiRequest, "headers">): boolean {
  const type = headers["content-type"] ?? "";
  const isJson = /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(type.trim());
  return announces(headers, isJson, "Send the body as JSON, with Content-Type: application/json.");
}

async function readJson(request: Pick<ApiRequest, "readBody">): Promise<unknown> {
  const bytes = await request.readBody(maxJson);
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    throw new Failure("validation_error", "The body is not valid JSON in UTF-8.", { cause });
  }
}

/** The failure for a body, or a part of one, over the limit. `advice` is for callers without a key, if the limit is theirs. */
export function tooLarge(limit: number, name = "The body", advice = ""): Failure {
  const suffix = advice === "" ? "." : ` for callers without a key. ${advice}`;
  return new Failure("payload_too_large", `${name} exceeds the limit of ${limit} bytes${suffix}`);
}
