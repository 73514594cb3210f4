import * as z from "zod";

import { failures } from "../../domain/failures.ts";
import type { FailureCode } from "../../domain/failures.ts";

const codes = Object.keys(failures) as [FailureCode, ...FailureCode[]];

/** The body of every failure. */
export const errorSchema = z
  .object({
    error: z.enum(codes).describe("Machine code; docs/reference/errors.md lists them all."),
    message: z.string().describe("An error message that says what to do."),
    redirectUrl: z.string().optional().describe("The new library ID; with 301 only."),
  })
  .meta({ id: "Error" });

/** A value that nobody changes. */
type Fixed<T> = T extends object ? { readonly [Name in keyof T]: Fixed<T[Name]> } : T;

/** An answer as its schema describes it. */
export type AnswerOf<Schema extends z.ZodType> = Fixed<z.infer<Schema>>;

/** A time of an answer, in UTC. */
export function time(description: string): z.ZodISODateTime {
  return z.iso.datetime().describe(description);
}

/** A time, or null. */
export function timeOrNull(description: string): z.ZodNullable<z.ZodISODateTime> {
  return z.iso.datetime().nullable().describe(description);
}

/** A time as answers have it; given in milliseconds since 1970. */
export function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** The same, or null. */
export function isoOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : iso(milliseconds);
}

/** A scope of keys and grants. */
export const scopeSchema = z.enum(["read", "submit", "admin"], { error: "must be read, submit or admin" });

/** The result of an operation on a library. */
export const doneSchema = z
  .object({
    libraryName: z.string().describe("As it was named."),
    message: z.string().describe("What was done."),
    runId: z.string().optional().describe("The run that it concerns."),
    generation: z.string().optional().describe("The generation that is live now."),
  })
  .meta({ id: "Done" });
