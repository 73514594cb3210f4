import type { BusboyInstance } from "@fastify/busboy";
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

/** Limits of a form: number of parts, size of a field, and bytes in addition to its files. */
const limits = { parts: 100, fieldBytes: 65_536, otherBytes: 1_048_576 };

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
      const fileLimits = new Map(named.map(([name, file]) => [name, limitOf(file, keyId)]));
      const maxBytes = [...fileLimits.values()].reduce((sum, limit) => sum + limit.maxBytes, limits.otherBytes);
      for (const [name, limit] of fileLimits)
        if (limit.advice !== "" && Number(headers["content-length"] ?? 0) > maxBytes)
          throw tooLarge(limit.maxBytes, name, limit.advice);
      const form = createFormReader(await open(headers["content-type"] ?? ""), fileLimits, Object.keys(fields.shape));
      let parts: FormParts;
      try {
        form.take(await readBody(maxBytes, form.take));
        parts = await form.end();
      } finally {
        form.close();
      }
      const missing = named.find(([name, { optional }]) => !optional && !parts.files.has(name));
      if (missing) throw new Failure("validation_error", `${missing[0]} is missing. Send it as a file.`);
      return {
        fields: parseFields(fields, Object.fromEntries(parts.fields)),
        // Required files are present: missing ones were refused above.
        files: Object.fromEntries(parts.files) as Form<Fields, Files>["files"],
      };
    },
  };
}

function limitOf({ maxBytes, withoutKey }: FileField, keyId: Caller["keyId"]): FileLimit {
  return keyId === null && withoutKey ? withoutKey : { maxBytes, advice: "" };
}

/** The parts of a form by name. */
interface FormParts {
  readonly fields: ReadonlyMap<string, string>;
  readonly files: ReadonlyMap<string, UploadedFile>;
}

/** Number of bytes that are parsed at a time: a refusal takes effect after them. */
const sliceSize = 4096;

/** Parses a form chunk by chunk, up to the first error. */
function createFormReader(
  form: BusboyInstance,
  fileLimits: ReadonlyMap<string, FileLimit>,
  fieldNames: readonly string[],
) {
  const named = new Set(fieldNames);
  const fields = new Map<string, string>();
  const files = new Map<string, UploadedFile>();
  const { promise, resolve, reject } = Promise.withResolvers<FormParts>();
  // take() or end() throws the failure later; until then its rejection must not count as unhandled.
  promise.catch(() => {});
  let refusal: Failure | undefined;
  const refuseBy = (failure: Failure): void => {
    refusal ??= failure;
    reject(refusal);
    // The parser drops what it has not parsed yet.
    form.destroy();
  };
  const refuse = (message: string, cause?: unknown): void =>
    refuseBy(new Failure("validation_error", message, { cause }));
  const givenNames = new Set<string>();
  const isNew = (name: string): boolean => {
    const isKnown = givenNames.has(name);
    if (isKnown) refuse(`${name} was given more than once. Give it once.`);
    givenNames.add(name);
    return !isKnown;
  };
  const onError = (error: unknown): void => refuse("The body is not a valid form (multipart/form-data).", error);
  form.on("error", onError);
  form.on("partsLimit", () => refuse(`The form has more than ${limits.parts} parts.`));
  form.on("finish", () => resolve({ fields, files }));
  form.on("field", (name, value, _nameCut, isCut) => {
    if (!named.has(name)) return;
    if (isCut) refuseBy(tooLarge(limits.fieldBytes, name));
    else if (isNew(name)) fields.set(name, value);
  });
  form.on("file", (name, stream, fileName, _encoding, mimeType) => {
    const limit = fileLimits.get(name);
    if (limit === undefined || !isNew(name)) return void stream.resume();
    const chunks: Buffer[] = [];
    let size = 0;
    stream.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit.maxBytes) refuseBy(tooLarge(limit.maxBytes, name, limit.advice));
      else chunks.push(chunk);
    });
    stream.on("error", onError);
    stream.on("end", () => files.set(name, { name: fileName, type: mimeType, bytes: Buffer.concat(chunks) }));
  });
  return {
    /** Parses a chunk. @throws Failure after the first error */
    take(piece: Uint8Array): void {
      for (let at = 0; at < piece.length; at += sliceSize) {
        if (refusal) throw refusal;
        form.write(piece.subarray(at, at + sliceSize));
      }
      if (refusal) throw refusal;
    },
    /** Ends the form, and returns its parts. @throws Failure */
    end(): Promise<FormParts> {
      form.end();
      // The parser is done by the next turn of the event loop, but would wait for the end of an incomplete part for ever.
      setImmediate(() => refuse("The body is not a valid form (multipart/form-data): a part of it is incomplete."));
      return promise;
    },
    /** Aborts parsing. */
    close(): void {
      form.removeAllListeners();
      form.on("error", () => {});
      form.destroy();
    },
  };
}

async function open(type: string): Promise<BusboyInstance> {
  // Forms describe the command line too, which reads none.
  const { Busboy } = await import("@fastify/busboy");
  try {
    return new Busboy({
      headers: { "content-type": type },
      limits: { parts: limits.parts, fieldSize: limits.fieldBytes },
    });
  } catch (cause) {
    throw new Failure("validation_error", "Content-Type of the form names no boundary.", { cause });
  }
}
