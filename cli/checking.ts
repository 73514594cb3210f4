import type { Logger } from "pino";
import { likelyTypos } from "../config.ts";
import { gitProblem } from "../sources/git/version.ts";

/** Warns of what a process can start with, but not do all of its work: settings that seem misspelt, and a missing git where it reads repositories. */
export async function warnAtStart(log: Logger, { readsGit }: { readonly readsGit: boolean }): Promise<void> {
  for (const sentence of likelyTypos(process.env)) log.warn(sentence);
  const problem = readsGit ? await gitProblem() : undefined;
  if (problem !== undefined) log.warn(problem);
}
