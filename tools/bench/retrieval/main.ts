/**
 * Quality of answers: questions with graded pages, asked of a real server over documentation from published packages, compared with a plain
 * full-text index. Run it with `npm run bench:retrieval`; docs/internals/measuring.md says what the figures mean.
 *
 *   --library a,b            some libraries
 *   --index meilisearch      passages in a Meilisearch that is started from the PATH
 *   --questions              prints each question of the half `tune`, worst first
 *   --unjudged               prints only pages that were found and nobody has judged, without the system that found them
 *   --save                   writes the result to tools/bench/retrieval/result.json
 */
import { parseArgs } from "node:util";
import { hasMeilisearch } from "../../dev/meilisearch.ts";
import { ranker } from "../../../search/ranking/ranker.ts";
import { quantile } from "../measure.ts";
import { prepare, scoreAnswers, type Asked } from "./answers.ts";
import { printQuestions, printSummary, printUnjudged } from "./report.ts";
import { compareWithSaved, saveRun } from "./saved.ts";
import { askServer, startServer, type IndexKind } from "./server.ts";
import { toEvaluation, type Evaluation } from "./summary.ts";

const { values } = parseArgs({
  options: {
    library: { type: "string" },
    index: { type: "string", default: "sqlite" },
    questions: { type: "boolean", default: false },
    unjudged: { type: "boolean", default: false },
    save: { type: "boolean", default: false },
  },
});
const { index } = values;
if (index !== "sqlite" && index !== "meilisearch") throw new Error("--index is sqlite or meilisearch.");
if (index === "meilisearch" && !hasMeilisearch())
  throw new Error("--index meilisearch needs a Meilisearch on the PATH.");
const names = values.library?.split(",");
if (values.save && names !== undefined) throw new Error("Only a run over all libraries can be saved.");

const prepared = await prepare(names);
const scored = await scoreAnswers(prepared, await askAll(index));
if (values.unjudged) printUnjudged(scored);
else await report(toEvaluation(scored), index);

async function report(evaluation: Evaluation, kind: IndexKind): Promise<void> {
  if (values.questions) printQuestions(evaluation.questions);
  if (evaluation.tune) printSummary("tune", evaluation.tune);
  if (evaluation.aside) printSummary("aside", evaluation.aside);
  if (names === undefined && !(await compareWithSaved(kind, evaluation))) process.exitCode = 1;
  if (values.save) await saveRun(kind, ranker.version, evaluation);
}

async function askAll(kind: IndexKind): Promise<readonly Asked[]> {
  await using server = await startServer(prepared, kind);
  for (const { library, questions } of prepared) {
    const { code = 0, info = 0 } = server.statuses.get(library.name)?.live.counts ?? {};
    console.log(
      `${library.name} ${library.version}: ${questions.length} questions, ${code} code and ${info} info snippets`,
    );
  }
  const asked = await askServer(server.lectern, prepared);
  const times = asked.map(({ milliseconds }) => milliseconds);
  const [p50, p95] = [quantile(times, 0.5), quantile(times, 0.95)];
  console.log(`\n${asked.length} questions on ${kind}, one client: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`);
  return asked;
}
