import type { SearchResults } from "../api/answer-types.ts";
import { Failure, isFailure } from "../domain/failures.ts";
import { quantity } from "../domain/quantity.ts";
import { createServerClient } from "./client.ts";
import { withQuery } from "../api/request.ts";
import type { Given } from "./command.ts";
import { exitCodes, forPeople, printText } from "./output.ts";
import { programName } from "./program-name.ts";
import { printList } from "./requests.ts";

type FoundLibrary = SearchResults["results"][number];

/** A library ID, with or without its first slash. A question as one word has spaces. */
const libraryWord = /^[^\s/]*\/\S+$/;

/** Maximum number of suggested libraries. */
const maxNamed = 2;

/** `lectern ask`: prints the answer of a running server: of the library that the first of several words is, or of the best one. */
export async function run(given: Given): Promise<void> {
  const [first = "", ...others] = given.words;
  if (others.length === 0 && first.startsWith("/") && libraryWord.test(first))
    throw new Failure("validation_error", `There is no question to ${first}. Write it after the library.`);
  const library = others.length > 0 && libraryWord.test(first) ? first : undefined;
  const query = {
    libraryId: library,
    query: (library === undefined ? given.words : others).join(" "),
    type: given.given("json") ? "json" : "txt",
    tokens: given.text("tokens"),
  };
  const client = createServerClient();
  const path = withQuery(library === undefined ? "/v2/ask" : "/v2/context", query);
  const answer = client.text(path).catch(async (error: unknown) => {
    if (library === undefined || !isFailure(error, "library_not_found")) throw error;
    const name = library.split("@")[0]?.split("/").at(-1);
    const found = await client.json("GET", withQuery("/v2/libs/search", { libraryName: name, query: name }));
    const near = (found["results"] as readonly FoundLibrary[]).slice(0, maxNamed).map(({ id }) => id);
    const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : `${programName()} list shows all libraries.`;
    throw new Failure(error.code, `${error.message} ${hint}`, { cause: error });
  });
  await printText(given, answer);
}

/** `lectern search`: finds libraries by name, the best for a question first. */
export async function search(given: Given): Promise<void> {
  const [libraryName = "", ...question] = given.words;
  const none = `No library was found. ${programName()} list shows all, and ${programName()} add adds one.`;
  const count = await printList<FoundLibrary>(given, {
    path: "/v2/libs/search",
    member: "results",
    query: () => ({ libraryName, query: question.join(" ") || libraryName }),
    columns: ({ id, title, description, totalTokens }) => [
      id,
      title,
      quantity(totalTokens, "token"),
      shortened(description),
    ],
    none,
  });
  if (count > 0) return;
  if (!forPeople(given)) console.error(none);
  process.exitCode = exitCodes.nothingFound;
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
