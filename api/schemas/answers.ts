import * as z from "zod";
import { failures, type FailureCode } from "../../domain/failures.ts";

const codes = Object.keys(failures) as [FailureCode, ...FailureCode[]];

/** The body of every failure. */
export const errorSchema = z
  .object({
    error: z.enum(codes).describe("Machine code; docs/reference/errors.md lists them all."),
    message: z.string().describe("An error message that says what to do."),
    redirectUrl: z.string().optional().describe("The new library ID; with 301 only."),
  })
  .meta({ id: "Error" });

type DeepReadonly<T> = T extends object ? { readonly [Name in keyof T]: DeepReadonly<T[Name]> } : T;

/** An answer by its schema. */
export type AnswerOf<Schema extends z.ZodType> = DeepReadonly<z.infer<Schema>>;

/** A time of an answer, in UTC. */
export function time(description: string): z.ZodISODateTime {
  return z.iso.datetime().describe(description);
}

/** A time, or null. */
export function timeOrNull(description: string): z.ZodNullable<z.ZodISODateTime> {
  return z.iso.datetime().nullable().describe(description);
}

/** A time in milliseconds since 1970 as ISO 8601. */
export function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** A time in milliseconds since 1970 as ISO 8601, or null. */
export function isoOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : iso(milliseconds);
}

/** A scope of keys and grants. */
export const scopeSchema = z.enum(["read", "submit", "admin"], { error: "must be read, submit or admin" });

/** The result of an operation on a library. */
export const doneSchema = z
  .object({
    libraryName: z.string().describe("The library ID, as in the request."),
    message: z.string().describe("What was done."),
    runId: z.string().optional().describe("The run that was started or ended."),
    generation: z.string().optional().describe("The new live generation."),
  })
  .meta({ id: "Done" });
