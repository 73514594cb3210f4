import { printTable } from "../measure.ts";
import { systems, unjudged, type Scored, type System } from "./answers.ts";
import { scoreNames, type Scores } from "./metrics.ts";
import type { Difference, Figures, Summary } from "./summary.ts";

const headings: Readonly<Record<(typeof scoreNames)[number], string>> = {
  mrr: "MRR",
  hit1: "Hit@1",
  hit3: "Hit@3",
  hit5: "Hit@5",
  recall5: "Recall@5",
  ndcg5: "nDCG@5",
};
const systemNames: Readonly<Record<System, string>> = {
  text: "Lectern, text",
  json: "Lectern, JSON",
  plain: "plain FTS5",
};

/** Prints the scores of a half, the difference to the plain index, then scores by intent and by library. */
export function printSummary(half: string, summary: Summary): void {
  const { all, overPlain } = summary;
  console.log(`\n## ${half}: ${all.questions} questions, ${summary.tokens.toFixed(0)} tokens an answer\n`);
  printTable(
    ["", ...scoreNames.map((name) => headings[name]), "not judged of 5"],
    systems.map((system) => [
      systemNames[system],
      ...scoreNames.map((name) => show(all[system][name])),
      summary.unjudged[system].toFixed(2),
    ]),
  );
  console.log("\nOver plain, with the interval of 95 % and p (paired permutation test)\n");
  const differences: readonly (readonly [System, Difference])[] = [
    ["text", overPlain.text],
    ["json", overPlain.json],
  ];
  printTable(
    ["", "MRR", "nDCG@5"],
    differences.map(([system, { mrr, ndcg5 }]) => [
      systemNames[system],
      ...[mrr, ndcg5].map(
        ({ mean, low, high, p }) => `${signed(mean)} (${signed(low)} to ${signed(high)}), p ${p.toFixed(4)}`,
      ),
    ]),
  );
  console.log();
  printGroups("intent", summary.byIntent);
  console.log();
  printGroups("library", summary.byLibrary);
}

function printGroups(name: string, groups: Readonly<Record<string, Figures>>): void {
  const columns = systems.flatMap((system) => [`${systemNames[system]} MRR`, "nDCG@5"]);
  const figures = (scores: Scores): string[] => [show(scores.mrr), show(scores.ndcg5)];
  printTable(
    [name, "questions", ...columns],
    Object.entries(groups).map(([group, own]) => [
      group,
      String(own.questions),
      ...systems.flatMap((system) => figures(own[system])),
    ]),
  );
}

/** Prints questions with the pages found, the worst first. Never for the half set aside. */
export function printQuestions(scored: readonly Scored[]): void {
  const sorted = scored.toSorted((a, b) => a.scores.text.ndcg5 - b.scores.text.ndcg5);
  for (const { question, scores, text, plain } of sorted) {
    const best = (pages: readonly string[]): string =>
      [...new Set(pages)]
        .slice(0, 5)
        .map((page) => `${page} ${question.grades.get(page) ?? "-"}`)
        .join(", ");
    const wanted = [...question.grades].map(([page, grade]) => `${page} ${grade}`).join(", ");
    console.log(
      `\n${question.library} ${question.id} (${question.intent}) MRR ${show(scores.text.mrr)} nDCG@5 ${show(scores.text.ndcg5)}; plain ${show(scores.plain.mrr)} ${show(scores.plain.ndcg5)}`,
    );
    console.log(`  ${question.question.replaceAll("\n", " ")}`);
    console.log(`  wanted   ${wanted}`);
    console.log(`  Lectern  ${best(text)}`);
    console.log(`  plain    ${best(plain)}`);
  }
}

/**
 * Prints the unjudged pages of both halves, to be read and added to the files of questions. It does not say which system found them, nor
 * where.
 */
export function printUnjudged(scored: readonly Scored[]): void {
  for (const answer of scored) {
    const { question } = answer;
    const pages = new Set(systems.flatMap((system) => unjudged(question, answer[system])));
    if (pages.size === 0) continue;
    console.log(`${question.library}/${question.id}: ${question.question.replaceAll("\n", " ")}`);
    for (const page of [...pages].toSorted()) console.log(`  ${page}`);
  }
}

/** A figure with three digits. */
export function show(value: number): string {
  return value.toFixed(3);
}

/** A difference with its sign and three digits. */
export function signed(value: number): string {
  const digits = Math.abs(value).toFixed(3);
  return value < 0 && Number(digits) !== 0 ? `-${digits}` : `+${digits}`;
}
