/**
 * How good answers are: questions with graded pages, asked of a real server over documentation out of published packages,
 * beside a plain full-text index. Run it with `npm run bench:retrieval`; docs/internals/measuring.md says what the figures mean.
 *
 *   --half tune|aside|both   both unless told; single questions are shown of `tune` only
 *   --library a,b            some libraries
 *   --index meilisearch      passages in a Meilisearch that is started from the PATH
 *   --in-process             without a server and HTTP: the same answers in seconds, for work on ranking
 *   --questions              prints each question of the half `tune`, worst first
 *   --unjudged               prints only pages that were found and that nobody has judged, without saying by what
 *   --save                   writes the result to tools/bench/retrieval/result.json
 */
import { parseArgs } from "node:util";
import { hasMeilisearch } from "../../dev/meilisearch.ts";
import { ranker } from "../../../search/ranking/ranker.ts";
import { prepare, scoreAnswers } from "./answers.ts";
import type { Asked } from "./answers.ts";
import { askInProcess, toEvaluation } from "./evaluate.ts";
import type { Evaluation } from "./evaluate.ts";
import { printQuestions, printSummary, printUnjudged } from "./report.ts";
import { compareWithSaved, saveRun } from "./saved.ts";
import { askServer, startServer } from "./server.ts";
import type { IndexKind } from "./server.ts";
import { latencyOf } from "./summary.ts";

const { values } = parseArgs({
  options: {
    half: { type: "string", default: "both" },
    library: { type: "string" },
    index: { type: "string", default: "sqlite" },
    "in-process": { type: "boolean", default: false },
    questions: { type: "boolean", default: false },
    unjudged: { type: "boolean", default: false },
    save: { type: "boolean", default: false },
  },
});
const { half, index } = values;
if (half !== "tune" && half !== "aside" && half !== "both") throw new Error("--half is tune, aside or both.");
if (index !== "sqlite" && index !== "meilisearch") throw new Error("--index is sqlite or meilisearch.");
if (index === "meilisearch" && (values["in-process"] || !hasMeilisearch()))
  throw new Error("--index meilisearch needs a Meilisearch on the PATH, and a server in front of it.");
const names = values.library?.split(",");
const whole = half === "both" && names === undefined;
if (values.save && !whole) throw new Error("Only a run over both halves and all libraries can be saved.");

const prepared = await prepare(half, names);
const scored = await scoreAnswers(
  prepared,
  values["in-process"] ? await askInProcess(prepared) : await askProcess(index),
);
if (values.unjudged) printUnjudged(scored);
else await report(toEvaluation(scored), index);

async function report(evaluation: Evaluation, kind: IndexKind): Promise<void> {
  if (values.questions) printQuestions(evaluation.questions);
  if (evaluation.tune) printSummary("tune", evaluation.tune);
  if (evaluation.aside) printSummary("aside", evaluation.aside);
  if (whole && !(await compareWithSaved(kind, evaluation))) process.exitCode = 1;
  if (values.save) await saveRun(kind, ranker.version, evaluation);
}

async function askProcess(kind: IndexKind): Promise<readonly Asked[]> {
  await using server = await startServer(prepared, kind);
  for (const { library, questions } of prepared) {
    const { code = 0, info = 0 } = server.statuses.get(library.name)?.live.counts ?? {};
    console.log(
      `${library.name} ${library.version}: ${questions.length} questions, ${code} code and ${info} info snippets`,
    );
  }
  const asked = await askServer(server.lectern, prepared);
  const { p50, p95 } = latencyOf(asked);
  console.log(`\n${asked.length} questions on ${kind}, one client: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`);
  return asked;
}
