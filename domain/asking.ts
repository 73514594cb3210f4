import type { Caller } from "./access.ts";
import { answerQuestion, locateLibrary, orReload, type AnsweringPorts, type ContextRequest } from "./answering.ts";
import { Failure } from "./failures.ts";
import { librariesNamedIn, searchByContent } from "./searching.ts";

/** Maximum number of libraries that are asked, and of those that are named besides the one that answers. */
const maxAsked = 5;
const maxNamed = 2;
/** Weight of what a library says in general, beside the fit of its answer. */
const weightOfContent = 2;

/** The library that answers a question to none in particular. */
export interface ChosenLibrary {
  readonly libraryId: string;
  /** IDs of other libraries that may answer it, the best first. */
  readonly others: readonly string[];
}

/**
 * Chooses the library that answers a question best: of the libraries that it names, or else of those that say something about it.
 * @throws Failure library_not_found if no library matches; if every match fails, the failure of the best one
 */
export async function chooseLibrary(
  ports: AnsweringPorts,
  caller: Caller,
  request: ContextRequest,
): Promise<ChosenLibrary> {
  const named = await librariesNamedIn(ports, caller, request.query);
  const { found, question, statistics } = await searchByContent(ports, caller, request.query, maxAsked);
  const scores = new Map(found.map(({ entry, score }) => [entry.uid, score]));
  const said = found.map(({ entry }) => entry);
  const asked = (named.length > 0 ? named : said).slice(0, maxAsked);
  const tried = await Promise.all(
    asked.map(async (entry) => {
      try {
        const located = await locateLibrary(ports, caller, entry.id);
        const answer = await orReload(ports, located, () => answerQuestion(ports, located, request));
        const fit = answer.isIntroduction ? 0 : ports.ranker.fitOfAnswer(question, statistics, answer);
        return { entry, fit: fit + weightOfContent * (scores.get(entry.uid) ?? 0) };
      } catch (error) {
        if (error instanceof Failure) return error;
        throw error;
      }
    }),
  );
  const answered = tried.filter((one) => "fit" in one).toSorted((a, b) => b.fit - a.fit);
  const [best] = answered;
  if (best === undefined) throw tried.find((one) => one instanceof Failure) ?? nothingFound();
  const others = new Set([...answered.map(({ entry }) => entry), ...named, ...said].map(({ id }) => id));
  others.delete(best.entry.id);
  return { libraryId: best.entry.id, others: [...others].slice(0, maxNamed) };
}

function nothingFound(): Failure {
  const message =
    "No library says anything about this question. Name the library in the question or as libraryId, or ask in other words; /v2/libs/search finds libraries by name.";
  return new Failure("library_not_found", message);
}
