import type { Logger } from "pino";
import { likelyTypos } from "./config.ts";
import { gitProblem } from "../sources/git/version.ts";

/** Warns of problems that do not prevent a start: settings that seem misspelt, and a missing git where repositories are read. */
export async function warnAtStart(log: Logger, { readsGit }: { readonly readsGit: boolean }): Promise<void> {
  for (const sentence of likelyTypos(process.env)) log.warn(sentence);
  const problem = readsGit ? await gitProblem() : undefined;
  if (problem !== undefined) log.warn(problem);
}
