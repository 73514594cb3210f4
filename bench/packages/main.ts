/**
 * Packages of npm, PyPI, crates.io and Go, through a server of its own: what indexing one costs beside bare download and unpack of its
 * archive, what the direct dependencies of five lockfiles have to serve, and whether questions about packages are answered from the
 * right file of the right version. Everything comes from the public registries. Run it with `npm run bench:packages`.
 *
 *   --only cost|lockfiles|questions   one part; all unless told
 *   --runs 5                          times that the cost of a package is measured
 *   --lockfile path                   lockfiles in place of the five, may be repeated
 *   --half tune|aside|both            both unless told; single questions are shown of `tune` only
 *   --questions path                  questions in place of `questions.json`
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { printCost } from "./cost.ts";
import { printDependencies } from "./dependencies.ts";
import { printQuestions } from "./questions.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    runs: { type: "string", default: "5" },
    lockfile: { type: "string", multiple: true, default: [] },
    half: { type: "string", default: "both" },
    questions: { type: "string", default: join(import.meta.dirname, "questions.json") },
  },
});
const { only, half } = values;
if (half !== "tune" && half !== "aside" && half !== "both") throw new Error("--half is tune, aside or both.");
if (only !== undefined && !["cost", "lockfiles", "questions"].includes(only))
  throw new Error("--only is cost, lockfiles or questions.");
if (only === undefined || only === "cost") await printCost(Number(values.runs));
if (only === undefined || only === "lockfiles") await printDependencies(values.lockfile);
if (only === undefined || only === "questions") await printQuestions(half, values.questions);
