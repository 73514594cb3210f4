import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hashOf, keyOf } from "./collect.ts";
import type { CollectedAnswer } from "./collect.ts";

/** A question as far as drawing asks. */
interface Drawable {
  readonly library: string;
  readonly id: string;
}

/**
 * Draws questions by a hash of the seed and their keys, from as many libraries as there are: one of each library in
 * turns, until there are enough.
 */
export function drawQuestions<Question extends Drawable>(
  questions: readonly Question[],
  count: number,
  seed: string,
): readonly Question[] {
  const order = (one: Question): string => hashOf(`${seed} ${keyOf(one)}`);
  const sorted = questions.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
  const byLibrary = [...Map.groupBy(sorted, ({ library }) => library).values()];
  const turns = Math.max(0, ...byLibrary.map(({ length }) => length));
  return Array.from({ length: turns }, (_, turn) => byLibrary.flatMap((own) => own[turn] ?? []))
    .flat()
    .slice(0, count);
}

/**
 * Writes answers into a new folder, one a file, with the question and nothing that says where it comes from; where there
 * are those of another version too, in one order by chance, and into `<folder>-key/key.json` which is which.
 * @throws Error where the folder has files already
 */
export async function writeDrawn(
  folder: string,
  seed: string,
  now: readonly CollectedAnswer[],
  before: readonly CollectedAnswer[] = [],
): Promise<void> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0) throw new Error(`${folder} has files already; name another --out.`);
  const all = [
    ...now.map((answer) => ({ answer, version: "now" })),
    ...before.map((answer) => ({ answer, version: "before" })),
  ];
  const order = ({ answer, version }: (typeof all)[number]): string => hashOf(`${seed} ${version} ${keyOf(answer)}`);
  const shuffled = all.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
  const digits = Math.max(2, String(shuffled.length).length);
  const key: Record<string, { readonly question: string; readonly version: string }> = {};
  for (const [at, { answer, version }] of shuffled.entries()) {
    const file = `${String(at + 1).padStart(digits, "0")}.md`;
    key[file] = { question: keyOf(answer), version };
    await writeFile(join(folder, file), `Question to ${answer.library}: ${answer.question}\n\n${answer.text}\n`);
  }
  if (before.length === 0) return;
  await mkdir(`${folder}-key`, { recursive: true });
  await writeFile(join(`${folder}-key`, "key.json"), `${JSON.stringify(key, undefined, 2)}\n`);
}
