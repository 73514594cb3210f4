/**
 * Packages of npm, PyPI, crates.io and Go, indexed by a server of its own: the cost of one beside that of downloading and unpacking its
 * archive, how many direct dependencies of five lockfiles have documentation worth serving, and whether questions are answered from the
 * right file of the right version. Needs the public registries. Run it with `npm run bench:packages`.
 *
 *   --only cost|lockfiles|questions   one part; by default all
 *   --runs 5                          number of times that the cost of a package is measured
 *   --lockfile path                   lockfiles in place of the five, may be repeated
 *   --half tune|aside|both            by default both; single questions are shown only of `tune`
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
