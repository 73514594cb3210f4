import * as z from "zod";

import { Failure } from "../domain/failures.ts";

/** Problems that one message names at most. */
const maxProblems = 5;

/**
 * Holds query parameters to a schema. Unknown ones are ignored, a known one may stand once.
 * @throws Failure validation_error naming every wrong parameter
 */
export function parseQuery<T>(schema: z.ZodType<T> & { shape: object }, query: URLSearchParams): T {
  const raw: Record<string, string> = {};
  for (const name of Object.keys(schema.shape)) {
    const [value, ...more] = query.getAll(name);
    if (more.length > 0) throw new Failure("validation_error", `${name} was given more than once. Give it once.`);
    if (value !== undefined) raw[name] = value;
  }
  return parseWith(schema, raw);
}

/** Holds a JSON body to a schema. Unknown fields are ignored. @throws Failure validation_error naming every wrong field */
export function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new Failure("validation_error", "The body must be a JSON object.");
  }
  return parseWith(schema, body);
}

/** Text of so many characters; an emoji counts as one. */
export function text(least: number, most: number): z.ZodString {
  return z.string({ error: "must be text" }).refine(
    (value) => {
      if (value.length < least) return false;
      return value.length <= most || Array.from(value).length <= most;
    },
    { error: `must have ${least} to ${most} characters` },
  );
}

/** `true` or `false` in a query. */
export function flag(): z.ZodEnum<{ true: "true"; false: "false" }> {
  return z.enum(["true", "false"], { error: "must be true or false" });
}

/** A whole number in a query. */
export function integer(least: number, most: number): z.ZodType<number> {
  const error = `must be a whole number from ${least} to ${most}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, { error })
    .transform(Number)
    .refine((value) => value >= least && value <= most, { error });
}

/** A library ID in a query or body; its shape is judged where it is taken apart. */
export const libraryIdText: z.ZodString = text(1, 500);

function parseWith<T>(schema: z.ZodType<T>, raw: object): T {
  const result = schema.safeParse(raw);
  if (result.success) return result.data;
  const problems = result.error.issues.slice(0, maxProblems).map(({ path, message }) => {
    const name = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`)).join("");
    const first = path[0];
    const missing = typeof first === "string" && !Object.hasOwn(raw, first);
    return `${name.slice(1)} ${missing ? "is missing" : message}.`;
  });
  throw new Failure("validation_error", problems.join(" "));
}
