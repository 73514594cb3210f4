import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { libraries } from "./libraries.ts";
import { scoreNames } from "./metrics.ts";
import { show, signed } from "./report.ts";
import type { IndexKind } from "./server.ts";
import type { Evaluation, Figures, Summary } from "./summary.ts";

const file = join(import.meta.dirname, "result.json");
/** Drop of the half set aside that counts as worse: changes of the extractor alone cause smaller ones. */
const tolerance = 0.01;

/** The result on one index. */
interface SavedRun {
  readonly ranker: string;
  readonly tune: Summary;
  readonly aside: Summary;
  /** MRR and nDCG@5 of the text form, of each question of the half `tune`. */
  readonly questions: Readonly<Record<string, { readonly mrr: number; readonly ndcg5: number }>>;
}

/** `result.json`: the packages, and a run on each index. It has no times, so that equal answers give an equal file. */
interface Saved {
  readonly packages: Readonly<Record<string, string>>;
  readonly runs: Readonly<Partial<Record<IndexKind, SavedRun>>>;
}

/** Writes a run over all questions to `result.json`, which keeps that of the other index. */
export async function saveRun(index: IndexKind, ranker: string, evaluation: Evaluation): Promise<void> {
  const { tune, aside, questions } = evaluation;
  if (!tune || !aside) throw new Error("Only a run over both halves and all libraries can be saved.");
  const before = await readSaved();
  const own = questions.map(({ question, scores: { text } }) => [
    `${question.library}/${question.id}`,
    { mrr: text.mrr, ndcg5: text.ndcg5 },
  ]);
  const run: SavedRun = { ranker, tune, aside, questions: Object.fromEntries(own) as SavedRun["questions"] };
  const packages = Object.fromEntries(libraries.map(({ name, version }) => [name, version]));
  const saved: Saved = { packages, runs: { ...before.runs, [index]: run } };
  const round = (_key: string, value: unknown): unknown =>
    typeof value === "number" ? Math.round(value * 10_000) / 10_000 : value;
  await writeFile(file, `${JSON.stringify(saved, round, 2)}\n`);
}

/**
 * Prints how a run over both halves differs from the saved one. Returns false if MRR or nDCG@5 of the half set aside, in either form, has
 * fallen by more than .01.
 */
export async function compareWithSaved(index: IndexKind, evaluation: Evaluation): Promise<boolean> {
  const saved = (await readSaved()).runs[index];
  const { tune, aside } = evaluation;
  const count = (tuned?: Summary, other?: Summary): number => (tuned?.all.questions ?? 0) + (other?.all.questions ?? 0);
  if (!saved || !tune || !aside || count(saved.tune, saved.aside) !== count(tune, aside)) {
    console.log(`\nThere is no saved run on ${index} of the same questions; --save writes one.`);
    return true;
  }
  console.log(`\nAgainst the saved run (ranker ${saved.ranker})`);
  printChange("tune", saved.tune.all, tune.all);
  printChange("aside", saved.aside.all, aside.all);
  for (const { question, scores } of evaluation.questions) {
    const before = saved.questions[`${question.library}/${question.id}`]?.ndcg5;
    const change = scores.text.ndcg5 - (before ?? scores.text.ndcg5);
    if (Math.abs(change) > tolerance) console.log(`  ${question.library}/${question.id} nDCG@5 ${signed(change)}`);
  }
  const falls = fallsOf(saved.aside.all, aside.all);
  if (falls.length > 0) console.log(`\nThe half set aside fell by more than ${tolerance}: ${falls.join(", ")}.`);
  return falls.length === 0;
}

/** The scores of Lectern's answers that have fallen by more than .01: MRR and nDCG@5 of both forms. */
export function fallsOf(before: Figures, now: Figures): readonly string[] {
  return (["text", "json"] as const).flatMap((form) =>
    (["mrr", "ndcg5"] as const)
      .filter((name) => now[form][name] < before[form][name] - tolerance)
      .map((name) => `${name} of the ${form} form`),
  );
}

function printChange(half: string, before: Figures, now: Figures): void {
  for (const form of ["text", "json", "plain"] as const) {
    const changes = scoreNames.map(
      (name) => `${name} ${show(now[form][name])} (${signed(now[form][name] - before[form][name])})`,
    );
    console.log(`${half} ${form}: ${changes.join(", ")}`);
  }
}

async function readSaved(): Promise<Saved> {
  return JSON.parse(await readFile(file, "utf8")) as Saved;
}
