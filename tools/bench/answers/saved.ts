import { readFile, writeFile } from "node:fs/promises";
import type { IndexKind } from "../retrieval/server.ts";
import { keyOf } from "./collect.ts";
import type { CollectedAnswer, JudgedAnswer } from "./collect.ts";

/** What `--save` writes: answers with their figures, and the index that they are from. */
interface SavedAnswers {
  readonly index: IndexKind;
  readonly answers: readonly JudgedAnswer[];
}

/** Writes answers into a file, over what is there. */
export async function saveAnswers(file: string, index: IndexKind, answers: readonly JudgedAnswer[]): Promise<void> {
  const saved: SavedAnswers = { index, answers };
  await writeFile(file, `${JSON.stringify(saved, undefined, 1)}\n`);
}

/** The answers of a file, by the key of their question. @throws Error where it holds none */
export async function readAnswers(file: string): Promise<ReadonlyMap<string, CollectedAnswer>> {
  const { answers } = JSON.parse(await readFile(file, "utf8")) as Partial<SavedAnswers>;
  if (!answers || answers.length === 0) throw new Error(`${file} holds no answers; --save writes such a file.`);
  return new Map(answers.map((answer) => [keyOf(answer), answer]));
}
