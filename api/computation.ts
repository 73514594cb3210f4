import type * as z from "zod";
import type { Answerer, ContextRequest } from "../domain/answering.ts";
import type { contextSchema } from "./schemas/reading.ts";

/** Rules that are sent with every answer of a library, a line each. */
export interface Rules {
  /** Global rules of the caller's teamspace. */
  readonly global: readonly string[];
  /** Rules in the library's own settings: untrusted text. Empty unless the settings permit them. */
  readonly libraryOwn: readonly string[];
  /** Rules that administrators chose for the library, and those of the caller's teamspace for it. */
  readonly libraryTeam: readonly string[];
}

/** A question to a located library, with all that its answer depends on, as plain data. */
export interface Computation {
  readonly located: Answerer;
  readonly rules: Rules;
  readonly type: "txt" | "json";
  readonly question: ContextRequest;
  /** Paths of the server's disk may be in the answer. */
  readonly showsDisk: boolean;
}

/** A computed answer. */
export interface Computed {
  readonly isIntroduction: boolean;
  /** Heading of the best passage; null: nothing was found. */
  readonly topic: string | null;
  readonly body: string | z.infer<typeof contextSchema>;
}
