/**
 * What answers look like to their reader: whether a lead-in leads to something, code stands where it stands in its page,
 * lines come twice, the budget is kept. Run it with `npm run bench:answers`; docs/internals/measuring.md says what the figures mean.
 */
import { parseArgs } from "node:util";
import { hasMeilisearch } from "../../dev/meilisearch.ts";
import { prepare } from "../retrieval/answers.ts";
import { collectAnswers, hashOf, judgeAnswers, keyOf, onlyQuestions } from "./collect.ts";
import { drawQuestions, writeDrawn } from "./draw.ts";
import { printFigures } from "./report.ts";
import { readAnswers, saveAnswers } from "./saved.ts";

const usage = `npm run bench:answers -- [options]

  --half tune|aside|both   both unless told
  --library a,b            some libraries
  --limit N                N questions, chosen by a hash; all unless told
  --index meilisearch      snippets in a Meilisearch that is started from the PATH
  --save FILE              writes each answer with its figures as JSON
  --beside FILE            the figures of saved answers to the same questions, in a column before these
  --draw N --out FOLDER    writes N answers to questions of the half aside, each into a file of its own, and prints no figures;
                           with --beside also the saved answers to the same questions, mixed, and which is which into FOLDER-key/key.json
  --seed TEXT              another draw, another order

docs/internals/measuring.md says what each figure is.`;

const { values } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    half: { type: "string" },
    library: { type: "string" },
    limit: { type: "string" },
    index: { type: "string", default: "sqlite" },
    save: { type: "string" },
    beside: { type: "string" },
    draw: { type: "string" },
    out: { type: "string" },
    seed: { type: "string", default: "1" },
  },
});
if (values.help) console.log(usage);
else await main();

async function main(): Promise<void> {
  const { index, draw, out, seed, save, beside } = values;
  const half = values.half ?? (draw === undefined ? "both" : "aside");
  if (half !== "tune" && half !== "aside" && half !== "both") throw new Error("--half is tune, aside or both.");
  if (index !== "sqlite" && index !== "meilisearch") throw new Error("--index is sqlite or meilisearch.");
  if (index === "meilisearch" && !hasMeilisearch())
    throw new Error("--index meilisearch needs a Meilisearch on the PATH.");
  if ((draw === undefined) !== (out === undefined)) throw new Error("--draw and --out go together.");
  if (draw !== undefined && half !== "aside") throw new Error("--draw draws from the half aside only.");

  const prepared = await prepare(half, values.library?.split(","));
  const before = beside === undefined ? undefined : await readAnswers(beside);
  const limit = toCount("--limit", values.limit) ?? Number.POSITIVE_INFINITY;
  const questions = prepared
    .flatMap((one) => one.questions)
    .filter((question) => before?.has(keyOf(question)) ?? true)
    .toSorted((a, b) => (hashOf(keyOf(a)) < hashOf(keyOf(b)) ? -1 : 1))
    .slice(0, limit);
  const drawn = draw === undefined ? questions : drawQuestions(questions, toCount("--draw", draw) ?? 0, seed);
  if (drawn.length === 0) throw new Error("There are no such questions.");
  const asked = onlyQuestions(prepared, new Set(drawn.map(keyOf)));
  const answers = await collectAnswers(asked, index);
  const others = before && answers.flatMap((answer) => before.get(keyOf(answer)) ?? []);
  if (out !== undefined) {
    await writeDrawn(out, seed, answers, others);
    console.log(`${answers.length + (others?.length ?? 0)} answers of ${asked.length} libraries are in ${out}.`);
    return;
  }
  const judged = judgeAnswers(asked, answers);
  console.log(`${judged.length} questions to ${asked.length} libraries on ${index}`);
  printFigures(judged, others && judgeAnswers(asked, others));
  if (save !== undefined) await saveAnswers(save, index, judged);
}

function toCount(option: string, text: string | undefined): number | undefined {
  if (text !== undefined && !/^[1-9]\d{0,5}$/.test(text)) throw new Error(`${option} takes a whole number from 1 on.`);
  return text === undefined ? undefined : Number(text);
}
