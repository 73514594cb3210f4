import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { Grade } from "./metrics.ts";

/** What a question wants, in the order of the tables. */
export const intents = ["how-to", "api", "concept", "comparison", "troubleshooting"] as const;
export type Intent = (typeof intents)[number];

/** `tune` is looked at while ranking is worked on; of `aside` only sums are ever shown. */
export type Half = "tune" | "aside";

/** A question with the pages that answer it, each graded by reading it. */
export interface BenchQuestion {
  readonly id: string;
  readonly library: string;
  readonly intent: Intent;
  readonly question: string;
  readonly half: Half;
  /** Grade of each page by its path below the library's folder; other pages do not answer. */
  readonly grades: ReadonlyMap<string, Grade>;
  /** Pages that some system found, and that do not answer. */
  readonly others: ReadonlySet<string>;
}

const fileShape = z.array(
  z.strictObject({
    id: z.string().regex(/^[a-z0-9-]+$/),
    /** Questions that were written together; 1 where none is told. A later batch moves none of an earlier one to the other half. */
    batch: z.int().min(2).max(9).optional(),
    intent: z.enum(intents),
    question: z.string().min(3).max(500),
    pages: z
      .array(z.strictObject({ path: z.string().min(1), grade: z.literal([1, 2, 3]) }))
      .min(1)
      .refine((pages) => pages.some(({ grade }) => grade > 1), "needs a page of grade 2 or 3"),
    others: z.array(z.string().min(1)),
  }),
);

/**
 * The questions of a library, out of `questions/<library>.json`; `folder` has its documentation.
 * @throws Error where the file has another shape, an id twice, or judges a page that the folder does not have
 */
export async function readQuestions(library: string, folder: string): Promise<readonly BenchQuestion[]> {
  const file = join(import.meta.dirname, "questions", `${library}.json`);
  const questions = parseQuestions(library, await readFile(file, "utf8"));
  for (const { id, grades, others } of questions) {
    const missing = [...grades.keys(), ...others].find((path) => !existsSync(join(folder, path)));
    if (missing !== undefined) throw new Error(`${file}: ${id} judges ${missing}, which is not in ${folder}.`);
  }
  return questions;
}

/** The questions that a file of them holds. @throws Error where it has another shape, or an id twice */
export function parseQuestions(library: string, text: string): readonly BenchQuestion[] {
  const rows = fileShape.parse(JSON.parse(text));
  const halves = splitHalves(library, rows);
  if (halves.size !== rows.length) throw new Error(`The questions of ${library} have an id twice.`);
  return rows.map(({ id, intent, question, pages, others }) => {
    const grades = new Map(pages.map(({ path, grade }) => [path, grade]));
    return { id, library, intent, question, half: halves.get(id) ?? "tune", grades, others: new Set(others) };
  });
}

/**
 * The half of each question of one library. They are ordered by batch, by intent, then by a hash of the id, and go to the
 * halves in turns: so both have as many of each library and intent as can be, a question's wording or grades change nothing,
 * and neither does a later batch.
 */
export function splitHalves(
  library: string,
  questions: readonly { readonly id: string; readonly batch?: number | undefined; readonly intent: Intent }[],
): ReadonlyMap<string, Half> {
  const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
  const ordered = questions
    .map(({ id, batch = 1, intent }) => ({ id, key: `${batch} ${intents.indexOf(intent)} ${hash(id)}` }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  // Which half has the odd one differs from library to library.
  const first = Number.parseInt(hash(library).slice(0, 2), 16) % 2;
  return new Map(ordered.map(({ id }, at) => [id, (at + first) % 2 === 0 ? "tune" : "aside"]));
}
