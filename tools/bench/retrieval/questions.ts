import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { Grade } from "./metrics.ts";

/** Intents of questions, in the order of the tables. */
export const intents = ["how-to", "api", "concept", "comparison", "troubleshooting"] as const;
export type Intent = (typeof intents)[number];

/** `tune` is for work on ranking; of `aside` only sums are ever shown. */
export type Half = "tune" | "aside";

/** A question with graded pages. */
export interface BenchQuestion {
  readonly id: string;
  readonly library: string;
  readonly intent: Intent;
  readonly question: string;
  readonly half: Half;
  /** Grade of each page by its path in the library's folder; other pages do not answer. */
  readonly grades: ReadonlyMap<string, Grade>;
  /** Pages that were found and judged irrelevant. */
  readonly others: ReadonlySet<string>;
}

const fileShape = z.array(
  z.strictObject({
    id: z.string().regex(/^[a-z0-9-]+$/),
    /** Questions that were written together; 1 by default. A later batch moves no earlier question to the other half. */
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
 * The questions in `questions/<library>.json`; `folder` has the documentation.
 * @throws Error for an invalid file, a duplicate id, or a page that is not in the folder
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

/** Parses a file of questions. @throws Error for an invalid file or a duplicate id */
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
 * The half of each question of one library. Ordered by batch, intent and a hash of the id, they go to the halves in turns. So both halves
 * have as many questions of each intent, and neither the wording of a question nor its grades nor a later batch changes its half.
 */
export function splitHalves(
  library: string,
  questions: readonly { readonly id: string; readonly batch?: number | undefined; readonly intent: Intent }[],
): ReadonlyMap<string, Half> {
  const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
  const ordered = questions
    .map(({ id, batch = 1, intent }) => ({ id, key: `${batch} ${intents.indexOf(intent)} ${hash(id)}` }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  // The half with one question more differs from library to library.
  const first = Number.parseInt(hash(library).slice(0, 2), 16) % 2;
  return new Map(ordered.map(({ id }, at) => [id, (at + first) % 2 === 0 ? "tune" : "aside"]));
}
