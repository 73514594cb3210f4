import * as z from "zod";

import { announces, mediaType, type BodyKind } from "../body.ts";
import { multipartBody, type FileField, type Form as Upload } from "../multipart.ts";
import { parseFields } from "../parameters.ts";
import { Failure } from "../../domain/failures.ts";

/** A sent form: its fields, and the token of its session. */
export interface SentForm<Fields> {
  readonly formToken: string | undefined;
  readonly fields: Fields;
}

/** Maximum size of a form without files, in bytes. */
const maxBytes = 262_144;
const urlEncoded = "application/x-www-form-urlencoded";

/**
 * A form without files. A field is a text, or a list of texts if it is in `lists`; empty fields and unchecked boxes are absent.
 */
export function fieldsOf<Fields>(schema: z.ZodType<Fields>, lists: readonly string[] = []): BodyKind<SentForm<Fields>> {
  return {
    missing: `Send a form as ${urlEncoded}.`,
    content: { [urlEncoded]: schema },
    announced: ({ headers }) =>
      announces(headers, mediaType(headers) === urlEncoded, `Send the form as ${urlEncoded}.`),
    async read({ readBody }) {
      const sent = new URLSearchParams(Buffer.from(await readBody(maxBytes)).toString("utf8"));
      const raw: Record<string, unknown> = {};
      for (const [name, given] of Map.groupBy(sent, ([named]) => named)) {
        const values = given.map(([, value]) => value).filter((value) => value !== "");
        if (lists.includes(name)) raw[name] = values;
        else if (values.length > 1) throw new Failure("validation_error", `${name} was given more than once.`);
        else if (values.length === 1) raw[name] = values[0];
      }
      return { formToken: sent.get("formToken") ?? undefined, fields: parseFields(schema, raw) };
    },
  };
}

/** A field of a form that is sent with GET: trimmed, and undefined if empty. */
export function textOf(most: number) {
  return z
    .string()
    .max(most)
    .optional()
    .transform((typed) => typed?.trim() || undefined);
}

/** A form with files, each with its limit; sent as multipart/form-data. */
export function uploadOf<Shape extends z.ZodRawShape, const Files extends Readonly<Record<string, FileField>>>(
  files: Files,
  schema: z.ZodObject<Shape>,
): BodyKind<SentForm<Upload<z.infer<z.ZodObject<Shape>>, Files>>> {
  const form = multipartBody(files, schema.extend({ formToken: z.string().optional() }));
  return {
    ...form,
    async read(request, caller) {
      const sent = await form.read(request, caller);
      const { formToken } = sent.fields as { formToken?: string };
      return { formToken, fields: sent as Upload<z.infer<z.ZodObject<Shape>>, Files> };
    },
  };
}
