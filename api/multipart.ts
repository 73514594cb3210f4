import { Busboy } from "@fastify/busboy";
import type { BusboyInstance } from "@fastify/busboy";
import * as z from "zod";

import { Failure } from "../domain/failures.ts";
import { isAnnounced, mediaType, refuseEncoded, tooLarge } from "./body.ts";
import type { BodyKind } from "./body.ts";
import { parseFields } from "./parameters.ts";

/** A file field of a form. */
export interface FileField {
  /** Maximum size of the file. */
  readonly maxBytes: number;
  /** Whether the form may leave it out. */
  readonly optional?: true;
  readonly description?: string;
}

/** A file that a form came with. */
export interface UploadedFile {
  /** As the client names it, without folders; "" where it does not. */
  readonly name: string;
  /** As the client says; nobody has checked it. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** A form, its fields checked and its files within their limits. */
export interface Form<Fields, Files extends FileFields> {
  readonly fields: Fields;
  readonly files: {
    readonly [Name in keyof Files]: UploadedFile | (Files[Name] extends { optional: true } ? undefined : never);
  };
}

/** File fields by name. */
type FileFields = Readonly<Record<string, FileField>>;

/** Maximum of a form: its parts, the size of a field, and the bytes that it may have beyond its files. */
const limits = { parts: 100, fieldBytes: 65_536, otherBytes: 1_048_576 };

/** A form (`multipart/form-data`) with named files, and fields that the schema fits. Other fields and files are ignored. */
export function multipartBody<Fields, const Files extends FileFields>(
  files: Files,
  fields: z.ZodType<Fields> & z.ZodObject,
): BodyKind<Form<Fields, Files>> {
  const named = Object.entries(files);
  const maxBytes = named.reduce((sum, [, file]) => sum + file.maxBytes, limits.otherBytes);
  const described = named.map(([name, { description = "", optional, maxBytes: most }]) => {
    const bytes = z.string().meta({
      contentMediaType: "application/octet-stream",
      description: `${description} ${most} bytes at most.`.trim(),
    });
    return [name, optional ? bytes.optional() : bytes] as const;
  });
  return {
    missing: "Send a form as multipart/form-data.",
    content: { "multipart/form-data": z.object({ ...Object.fromEntries(described), ...fields.shape }) },
    announced({ headers }) {
      if (!isAnnounced(headers)) return false;
      if (mediaType(headers) !== "multipart/form-data") {
        throw new Failure("unsupported_media_type", "Send the body as a form, with Content-Type: multipart/form-data.");
      }
      refuseEncoded(headers);
      return true;
    },
    async read({ headers, readBody }) {
      const parts = await readParts(
        headers["content-type"] ?? "",
        await readBody(maxBytes),
        files,
        Object.keys(fields.shape),
      );
      const missing = named.find(([name, { optional }]) => !optional && !parts.files.has(name));
      if (missing) throw new Failure("validation_error", `${missing[0]} is missing. Send it as a file.`);
      return {
        fields: parseFields(fields, Object.fromEntries(parts.fields)),
        // What is not optional is there: it was not missing.
        files: Object.fromEntries(parts.files) as Form<Fields, Files>["files"],
      };
    },
  };
}

/** The parts of a form by name. @throws Failure */
async function readParts(
  type: string,
  body: Uint8Array,
  wanted: FileFields,
  fieldNames: readonly string[],
): Promise<{ fields: ReadonlyMap<string, string>; files: ReadonlyMap<string, UploadedFile> }> {
  const named = new Set(fieldNames);
  const fields = new Map<string, string>();
  const files = new Map<string, UploadedFile>();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const refuse = (message: string, cause?: unknown): void =>
    reject(new Failure("validation_error", message, { cause }));
  const seen = new Set<string>();
  const isNew = (name: string): boolean => {
    const isKnown = seen.has(name);
    if (isKnown) refuse(`${name} was given more than once. Give it once.`);
    seen.add(name);
    return !isKnown;
  };
  const form = open(type);
  form.on("error", (error) => refuse("The body is not a valid form (multipart/form-data).", error));
  form.on("partsLimit", () => refuse(`The form has more than ${limits.parts} parts.`));
  form.on("finish", () => resolve());
  form.on("field", (name, value, _nameCut, isCut) => {
    if (!named.has(name)) return;
    if (isCut) reject(tooLarge(limits.fieldBytes, name));
    else if (isNew(name)) fields.set(name, value);
  });
  form.on("file", (name, stream, fileName, _encoding, mimeType) => {
    const { maxBytes } = (Object.hasOwn(wanted, name) ? wanted[name] : undefined) ?? {};
    if (maxBytes === undefined || !isNew(name)) {
      stream.resume();
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    stream.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) reject(tooLarge(maxBytes, name));
      else chunks.push(chunk);
    });
    stream.on("error", (error) => refuse("The body is not a valid form (multipart/form-data).", error));
    stream.on("end", () => files.set(name, { name: fileName, type: mimeType, bytes: Buffer.concat(chunks) }));
  });
  form.end(body);
  try {
    await promise;
  } finally {
    form.removeAllListeners();
    form.on("error", () => {});
  }
  return { fields, files };
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
