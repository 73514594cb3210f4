import { Busboy } from "@fastify/busboy";
import type { BusboyInstance } from "@fastify/busboy";
import * as z from "zod";

import type { Caller } from "../domain/access.ts";
import { Failure } from "../domain/failures.ts";
import { announces, mediaType, tooLarge } from "./body.ts";
import type { BodyKind } from "./body.ts";
import { parseFields } from "./parameters.ts";

/** A file field of a form. */
export interface FileField {
  /** Maximum size of the file, in bytes. */
  readonly maxBytes: number;
  /** A smaller maximum for callers without a key, and a sentence that says what these can do instead. */
  readonly withoutKey?: { readonly maxBytes: number; readonly instead: string };
  /** Whether it is optional. */
  readonly optional?: true;
  readonly description?: string;
}

/** An uploaded file of a form. */
export interface UploadedFile {
  /** Its name by the client, without folders; "" for none. */
  readonly name: string;
  /** Its media type by the client, unverified. */
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

/** The maximum size of a file of a caller. */
interface Cap {
  readonly maxBytes: number;
  /** As in FileField; "" where the maximum is that of all. */
  readonly instead: string;
}

/** Limits of a form: number of parts, size of a field, and bytes beside its files. */
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
      const caps = new Map(named.map(([name, file]) => [name, capOf(file, keyId)]));
      const maxBytes = [...caps.values()].reduce((sum, cap) => sum + cap.maxBytes, limits.otherBytes);
      for (const [name, cap] of caps)
        if (cap.instead !== "" && Number(headers["content-length"] ?? 0) > maxBytes)
          throw tooLarge(cap.maxBytes, name, cap.instead);
      const form = createFormReader(headers["content-type"] ?? "", caps, Object.keys(fields.shape));
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

function capOf({ maxBytes, withoutKey }: FileField, keyId: Caller["keyId"]): Cap {
  return keyId === null && withoutKey ? withoutKey : { maxBytes, instead: "" };
}

/** The parts of a form by name. */
interface FormParts {
  readonly fields: ReadonlyMap<string, string>;
  readonly files: ReadonlyMap<string, UploadedFile>;
}

/** Parses a form chunk by chunk, up to the first error. */
interface FormReader {
  /** @throws Failure after the first error, beyond which nothing is parsed */
  take(piece: Uint8Array): void;
  /** Ends the form. @throws Failure */
  end(): Promise<FormParts>;
  /** Aborts parsing. */
  close(): void;
}

/** Bytes that are parsed at a time: the rest of them after a refusal is parsed too. */
const sliceSize = 4096;

function createFormReader(type: string, caps: ReadonlyMap<string, Cap>, fieldNames: readonly string[]): FormReader {
  const named = new Set(fieldNames);
  const fields = new Map<string, string>();
  const files = new Map<string, UploadedFile>();
  const form = open(type);
  const { promise, resolve, reject } = Promise.withResolvers<FormParts>();
  // The rejection is thrown by the next take() or end(); until then it is not unhandled.
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
  const seen = new Set<string>();
  const isNew = (name: string): boolean => {
    const isKnown = seen.has(name);
    if (isKnown) refuse(`${name} was given more than once. Give it once.`);
    seen.add(name);
    return !isKnown;
  };
  form.on("error", (error) => refuse("The body is not a valid form (multipart/form-data).", error));
  form.on("partsLimit", () => refuse(`The form has more than ${limits.parts} parts.`));
  form.on("finish", () => resolve({ fields, files }));
  form.on("field", (name, value, _nameCut, isCut) => {
    if (!named.has(name)) return;
    if (isCut) refuseBy(tooLarge(limits.fieldBytes, name));
    else if (isNew(name)) fields.set(name, value);
  });
  form.on("file", (name, stream, fileName, _encoding, mimeType) => {
    const cap = caps.get(name);
    if (cap === undefined || !isNew(name)) {
      stream.resume();
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    stream.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > cap.maxBytes) refuseBy(tooLarge(cap.maxBytes, name, cap.instead));
      else chunks.push(chunk);
    });
    stream.on("error", (error) => refuse("The body is not a valid form (multipart/form-data).", error));
    stream.on("end", () => files.set(name, { name: fileName, type: mimeType, bytes: Buffer.concat(chunks) }));
  });
  return {
    take(piece) {
      for (let at = 0; at < piece.length; at += sliceSize) {
        if (refusal) throw refusal;
        form.write(piece.subarray(at, at + sliceSize));
      }
      if (refusal) throw refusal;
    },
    end() {
      form.end();
      // All that is left is done before the next turn of the event loop. A part whose head has no end would be waited for without end.
      setImmediate(() => refuse("The body is not a valid form (multipart/form-data): a part of it has no end."));
      return promise;
    },
    close() {
      form.removeAllListeners();
      form.on("error", () => {});
      form.destroy();
    },
  };
}

function open(type: string): BusboyInstance {
  try {
    return new Busboy({
      headers: { "content-type": type },
      limits: { parts: limits.parts, fieldSize: limits.fieldBytes },
    });
  } catch (cause) {
    throw new Failure("validation_error", "Content-Type of the form names no boundary.", { cause });
  }
}
