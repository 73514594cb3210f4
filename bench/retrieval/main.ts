/**
 * How good answers are: questions with graded pages, asked of a real server over documentation out of published packages,
 * beside a plain full-text index. Run it with `npm run bench:retrieval`; docs/measuring.md says what the figures mean.
 *
 *   --half tune|aside|both   both unless told; single questions are shown of `tune` only
 *   --library a,b            some libraries
 *   --index meilisearch      snippets in a Meilisearch that is started from the PATH
 *   --in-process             without a server and HTTP: the same answers in seconds, for work on ranking
 *   --questions              prints each question of the half `tune`, worst first
 *   --save                   writes the result to bench/retrieval/result.json
 */
import { parseArgs } from "node:util";
import { hasMeilisearch } from "../../cli/cluster/meilisearch.ts";
import { ranker } from "../../ranking/ranker.ts";
import { prepare, scoreAnswers } from "./answers.ts";
import { evaluate, toEvaluation } from "./evaluate.ts";
import type { Evaluation } from "./evaluate.ts";
import { printQuestions, printSummary } from "./report.ts";
import { compareWithSaved, saveRun } from "./saved.ts";
import { askServer, startServer } from "./server.ts";
import { latencyOf } from "./summary.ts";

const { values } = parseArgs({
  options: {
    half: { type: "string", default: "both" },
    library: { type: "string" },
    index: { type: "string", default: "sqlite" },
    "in-process": { type: "boolean", default: false },
    questions: { type: "boolean", default: false },
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

const evaluation = values["in-process"]
  ? await evaluate({ half, ...(names && { libraries: names }) })
  : await evaluateServer();
if (values.questions) printQuestions(evaluation.questions);
if (evaluation.tune) printSummary("tune", evaluation.tune);
if (evaluation.aside) printSummary("aside", evaluation.aside);
if (whole && !(await compareWithSaved(index, evaluation))) process.exitCode = 1;
if (values.save) await saveRun(index, ranker.version, evaluation);

async function evaluateServer(): Promise<Evaluation> {
  const prepared = await prepare(half as "tune" | "aside" | "both", names);
  await using server = await startServer(prepared, index as "sqlite" | "meilisearch");
  for (const { library, folder: _, questions } of prepared) {
    const { code = 0, info = 0 } = server.statuses.get(library.name)?.live.counts ?? {};
    console.log(
      `${library.name} ${library.version}: ${questions.length} questions, ${code} code and ${info} info snippets`,
    );
  }
  const scored = await scoreAnswers(prepared, await askServer(server.lectern, prepared));
  const { p50, p95 } = latencyOf(scored);
  console.log(
    `\n${scored.length} questions on ${index}, one client: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`,
  );
  return toEvaluation(scored);
}
