import type { CandidateFilter, Candidates, LoadOptions, PassageIndex } from "../../domain/ports.ts";
import type { Passage } from "../../domain/passage.ts";
import { analyseQuestion } from "../../search/ranking/analyse-question.ts";
import { codePassage, prosePassage } from "./passage-samples.ts";

/** An index under test. `reopen` opens another one on the same data, as a new process does. */
export interface PassageIndexSetup {
  readonly index: PassageIndex;
  reopen(): Promise<PassageIndex>;
}

/** The passages of a small library. */
export const library: readonly Passage[] = [
  codePassage("router", {
    title: "Navigate with useRouter",
    code: "const router = useRouter();\nrouter.push('/home');",
  }),
  codePassage("cache", { title: "Cache a response", language: "python", code: "cache.set('key', response)" }),
  prosePassage("routing", "Routing maps a path to a page. The `useRouter` hook moves to another one."),
  prosePassage("deploy", "Deploy the server behind a proxy."),
];

/** Options of a load that is not aborted unless a signal is given. */
export function control(signal = new AbortController().signal): LoadOptions {
  return { signal, report: () => undefined, language: "" };
}

/** Asks as the API does. */
export async function ask(
  index: PassageIndex,
  generation: string,
  query: string,
  filter: Partial<CandidateFilter> = {},
): Promise<Candidates> {
  return index.candidates(generation, analyseQuestion(query), { limit: 120, ...filter });
}

/** Ids of the candidates, sorted. */
export async function foundIds(
  index: PassageIndex,
  generation: string,
  query: string,
  filter: Partial<CandidateFilter> = {},
): Promise<string[]> {
  const { candidates } = await ask(index, generation, query, filter);
  return candidates.map(({ id }) => id).toSorted();
}
