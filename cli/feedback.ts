import type { Feedback } from "../api/answer-types.ts";
import { withQuery } from "../api/request.ts";
import { createServerClient } from "./client.ts";
import type { Given } from "./command.ts";
import { forPeople, printAnswer, printJson, printRows } from "./output.ts";
import { textOfFile } from "./policies.ts";

const notePath = "/v2/libs/team-note";

/** `lectern feedback`: the feedback on a library, and its questions that found nothing. */
export async function list(given: Given): Promise<void> {
  const [libraryId = ""] = given.words;
  const answer = await createServerClient().json("GET", withQuery("/v2/libs/feedback", { libraryId }));
  if (!forPeople(given)) return printJson(answer);
  const { feedback, missedQuestions } = answer as unknown as Feedback;
  const told = feedback.map(({ at, verdict, words, comment }) => [at.slice(0, 10), verdict, words, comment]);
  const missed = missedQuestions.map(({ lastAskedAt, times, words }) => [
    lastAskedAt.slice(0, 10),
    "no result",
    words,
    `${times} times`,
  ]);
  printRows(given, [...told, ...missed], (row) => row, "There is no feedback.");
}

/** `lectern notes`: the teamspace's note on a library. */
export async function show(given: Given): Promise<void> {
  const [libraryId = ""] = given.words;
  const answer = await createServerClient().json("GET", withQuery(notePath, { libraryId }));
  const text = String(answer["text"]);
  printAnswer(given, answer, text === "" ? `There is no note on ${libraryId}.` : text);
}

/** `lectern notes set`: replaces it by the text of a file; an empty one removes it. @throws Failure validation_error for other files */
export async function set(given: Given): Promise<void> {
  const [libraryId = "", file = ""] = given.words;
  const text = await textOfFile(file);
  printAnswer(given, await createServerClient().json("PATCH", notePath, { libraryId, text }));
}
