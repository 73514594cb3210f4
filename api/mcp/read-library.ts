import type { Query } from "../request.ts";
import { redirectOf, Refusal, sentenceOf, type Answer, type Ask } from "./tool.ts";

/** Maximum number of redirects to follow. */
const maxRedirects = 5;

/** Asks an operation about a library, and follows redirects of the library. @throws Refusal */
export async function readLibrary(ask: Ask, path: string, id: string, query: Query): Promise<Answer> {
  let libraryId = id;
  for (let redirects = 0; ; redirects += 1) {
    const answer = await ask("GET", path, { query: { ...query, libraryId } });
    if (answer.status === 200) return answer;
    const target = redirects < maxRedirects ? redirectOf(answer) : undefined;
    if (target === undefined) throw new Refusal(sentenceOf(answer));
    libraryId = target;
  }
}
