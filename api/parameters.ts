import * as z from "zod";
import { Failure } from "../domain/failures.ts";

/** Maximum number of problems in a message. */
const maxProblems = 5;

/** A schema of parameters by name. */
export type ParameterSchema<T> = z.ZodType<T> & { readonly shape: Readonly<Record<string, z.ZodType>> };

/**
 * Validates the parameters of path and query. Unknown ones are ignored, known ones must not repeat; a parameter of the path,
 * percent-encoded, is never taken from the query.
 * @throws Failure validation_error naming every wrong parameter
 */
export function parseParameters<T>(
  schema: ParameterSchema<T>,
  query: URLSearchParams,
  inPath: Readonly<Record<string, string>> = {},
): T {
  const raw: Record<string, string> = {};
  for (const name of Object.keys(schema.shape)) {
    const encoded = inPath[name];
    const [value, ...more] = encoded === undefined ? query.getAll(name) : [decoded(name, encoded)];
    if (more.length > 0) throw new Failure("validation_error", `${name} was given more than once. Give it once.`);
    if (value !== undefined) raw[name] = value;
  }
  return parseFields(schema, raw);
}

function decoded(name: string, encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch (cause) {
    throw new Failure("validation_error", `${name} is not valid percent-encoding in UTF-8.`, { cause });
  }
}

/** Validates a JSON body. Unknown fields are ignored. @throws Failure validation_error naming every wrong field */
export function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new Failure("validation_error", "The body must be a JSON object.");
  }
  return parseFields(schema, body);
}

/** Text with a minimum and maximum length in characters; an emoji counts as one. */
export function text(least: number, most: number): z.ZodString {
  return z
    .string({ error: "must be text" })
    .refine(
      (value) => {
        // A character has at most two UTF-16 units: a longer text is too long without counting.
        if (value.length < least || value.length > 2 * most) return false;
        return value.length <= most || Array.from(value).length <= most;
      },
      // A text that is too long gets no further checks.
      { error: `must have ${least} to ${most} characters`, abort: true },
    )
    .meta({ ...(least > 0 && { minLength: least }), maxLength: most });
}

/** `true` or `false` in a query. */
export function flag(): z.ZodEnum<{ true: "true"; false: "false" }> {
  return z.enum(["true", "false"], { error: "must be true or false" });
}

/** `true` or `false` in a JSON body. */
export function truth(): z.ZodBoolean {
  return z.boolean({ error: "must be true or false" });
}

/** One of the names. */
export function oneOf<const Name extends string>(names: readonly Name[]) {
  return z.enum(names, { error: `must be one of ${names.join(", ")}` });
}

/** An integer in a JSON body. */
export function jsonInteger(least: number, most: number, error = `must be a whole number from ${least} to ${most}`) {
  return z.int({ error }).min(least, { error }).max(most, { error });
}

/** An integer in a query. */
export function integer(least: number, most: number): z.ZodType<number> {
  return z.preprocess((value) => (/^\d{1,9}$/.test(String(value)) ? Number(value) : value), jsonInteger(least, most));
}

/** A list of limited length. The length is checked first, so that a huge list costs nothing. */
export function list<Entry extends z.ZodType>(entry: Entry, most: number): z.ZodPreprocess<z.ZodArray<Entry>> {
  const entries = z.array(entry, { error: "must be a list" }).max(most);
  return z.preprocess((value, context) => {
    if (!Array.isArray(value) || value.length <= most) return value;
    context.addIssue({ code: "custom", message: `must have at most ${most} entries`, input: value });
    return z.NEVER;
  }, entries);
}

/** A library ID in a query or body; `parseLibraryId` checks its shape. */
export const libraryIdText: z.ZodString = text(1, 500).describe(
  "Library ID: `/owner/name`, or `/source/name`; a version after `/` or `@`. A missing leading slash is forgiven.",
);

/** The members of an object that are not undefined. */
export function present<T extends object>(given: T): Present<T> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Present<T>;
}
type Present<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

/** Validates named values. @throws Failure validation_error naming every wrong one */
export function parseFields<T>(schema: z.ZodType<T>, raw: object): T {
  const result = schema.safeParse(raw);
  if (result.success) return result.data;
  const problems = result.error.issues.slice(0, maxProblems).map(({ path, message }) => {
    const name = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`)).join("");
    const first = path[0];
    const missing = typeof first === "string" && !Object.hasOwn(raw, first);
    return `${name.slice(1)} ${missing ? "is missing" : message}.`;
  });
  throw new Failure("validation_error", [...new Set(problems)].join(" "));
}
