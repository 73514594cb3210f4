import type { MultipartPart } from "@remix-run/multipart-parser";
import * as z from "zod";
import type { Caller } from "../domain/access.ts";
import { Failure } from "../domain/failures.ts";
import { announces, mediaType, tooLarge, type BodyKind } from "./body.ts";
import { parseFields } from "./parameters.ts";

/** A file field of a form. */
export interface FileField {
  /** Maximum size of the file, in bytes. */
  readonly maxBytes: number;
  /** A smaller maximum for callers without a key, with advice for them. */
  readonly withoutKey?: FileLimit;
  readonly optional?: true;
  readonly description?: string;
}

/** An uploaded file of a form. */
export interface UploadedFile {
  /** The name that the client sent, without folders; "" for none. */
  readonly name: string;
  /** The media type that the client sent, unverified. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** A form with validated fields, and files within their limits. */
export interface Form<Fields, Files extends FileFields> {
  readonly fields: Fields;
  readonly files: {
    readonly [Name in keyof Files]: UploadedFile | (Files[Name] extends { optional: true } ? undefined : never);
  };
}

/** File fields by name. */
type FileFields = Readonly<Record<string, FileField>>;

/** The maximum size of a file, in bytes, with advice for callers who may send more with a key; "" for others. */
interface FileLimit {
  readonly maxBytes: number;
  readonly advice: string;
}

/** The limit of a part. */
interface PartLimit extends FileLimit {
  readonly isFile: boolean;
}

/** Maximum number of parts of a form, and of bytes in addition to its files. */
const maxParts = 100;
const maxOtherBytes = 1_048_576;
const fieldLimit: PartLimit = { maxBytes: 65_536, advice: "", isFile: false };
/** The parser takes long for longer boundaries (RFC 2046 §5.1.1 has this limit), and for the headers of a part with more bytes. */
const maxBoundary = 70;
const maxHeaderSize = 2048;

/** A form (`multipart/form-data`) with named files, and fields validated by the schema. Other fields and files are ignored. */
export function multipartBody<Fields, const Files extends FileFields>(
  files: Files,
  fields: z.ZodType<Fields> & z.ZodObject,
): BodyKind<Form<Fields, Files>> {
  const named = Object.entries(files);
  const described = named.map(([name, { description = "", optional, maxBytes, withoutKey }]) => {
    const less = withoutKey ? `, ${withoutKey.maxBytes} without a key` : "";
    const bytes = z.string().meta({
      contentMediaType: "application/octet-stream",
      description: `${description} ${maxBytes} bytes at most${less}.`.trim(),
    });
    return [name, optional ? bytes.optional() : bytes] as const;
  });
  return {
    missing: "Send a form as multipart/form-data.",
    content: { "multipart/form-data": z.object({ ...Object.fromEntries(described), ...fields.shape }) },
    announced: ({ headers }) =>
      announces(
        headers,
        mediaType(headers) === "multipart/form-data",
        "Send the body as a form, with Content-Type: multipart/form-data.",
      ),
    async read({ headers, readBody }, { keyId }) {
      const fileLimits = named.map(([name, file]) => [name, limitOf(file, keyId)] as const);
      const maxBytes = fileLimits.reduce((sum, [, limit]) => sum + limit.maxBytes, maxOtherBytes);
      for (const [name, limit] of fileLimits)
        if (limit.advice !== "" && Number(headers["content-length"] ?? 0) > maxBytes)
          throw tooLarge(limit.maxBytes, name, limit.advice);
      const fieldLimits = Object.keys(fields.shape).map((name) => [name, fieldLimit] as const);
      const limits = new Map([...fieldLimits, ...fileLimits]);
      const sent = await partsOf(headers["content-type"] ?? "", await readBody(maxBytes), limits);
      const missing = named.find(([name, { optional }]) => !optional && !sent.has(name));
      if (missing) throw invalid(`${missing[0]} is missing. Send it as a file.`);
      return {
        fields: parseFields(fields, Object.fromEntries(sent)),
        // Required files are present: missing ones were refused above.
        files: Object.fromEntries(named.map(([name]) => [name, sent.get(name)])) as Form<Fields, Files>["files"],
      };
    },
  };
}

function limitOf({ maxBytes, withoutKey }: FileField, keyId: Caller["keyId"]): PartLimit {
  return { maxBytes, advice: "", ...(keyId === null && withoutKey), isFile: true };
}

/** The parts of a form that have a limit, by name. @throws Failure validation_error, payload_too_large */
async function partsOf(
  type: string,
  bytes: Uint8Array,
  limits: ReadonlyMap<string, PartLimit>,
): Promise<ReadonlyMap<string, string | UploadedFile>> {
  // Loaded on demand: forms describe the command line too, which reads none.
  const { getMultipartBoundary, parseMultipart } = await import("@remix-run/multipart-parser");
  const boundary = getMultipartBoundary(type) ?? "";
  if (boundary === "" || boundary.length > maxBoundary) throw invalid("Content-Type of the form names no boundary.");
  const sent = new Map<string, string | UploadedFile>();
  let parts = 0;
  try {
    for (const part of parseMultipart(bytes, { boundary, maxHeaderSize, maxFileSize: Infinity })) {
      parts += 1;
      if (parts > maxParts) throw invalid(`The form has more than ${maxParts} parts.`);
      const { name = "", size } = part;
      const limit = limits.get(name);
      if (limit === undefined || limit.isFile !== part.isFile) continue;
      if (size > limit.maxBytes) throw tooLarge(limit.maxBytes, name, limit.advice);
      if (sent.has(name)) throw invalid(`${name} was given more than once. Give it once.`);
      const file = { name: fileName(part), type: part.mediaType ?? "text/plain", bytes: part.bytes };
      sent.set(name, limit.isFile ? file : part.text);
    }
  } catch (cause) {
    throw cause instanceof Failure ? cause : invalid("The body is not a valid form (multipart/form-data).", cause);
  }
  return sent;
}

/** The name of a file, without folders: in names of Windows a backslash is no escape, as the parser takes it. */
function fileName({ headers, filename = "" }: MultipartPart): string {
  const [, quoted] = /;\s*filename="((?:[^"\\]|\\.)*)"/i.exec(headers["content-disposition"] ?? "") ?? [];
  return (quoted?.replaceAll('\\"', '"') ?? filename).replace(/^.*[/\\]/s, "");
}

function invalid(message: string, cause?: unknown): Failure {
  return new Failure("validation_error", message, { cause });
}
