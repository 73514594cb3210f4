import type { SearchResults } from "../api/answer-types.ts";
import { quantity } from "../domain/quantity.ts";
import { createServerClient, type ServerClient } from "./client.ts";
import { withQuery } from "../api/request.ts";
import type { Given } from "./command.ts";
import { exitCodes, forPeople, printRows } from "./output.ts";
import { programName } from "./program-name.ts";

type FoundLibrary = SearchResults["results"][number];

/** `lectern search`: finds libraries by name, the best for a question first. */
export async function run(given: Given): Promise<void> {
  const client = createServerClient();
  const [name = "", ...question] = given.words;
  const libraries = await findLibraries(client, name, question.join(" "));
  const none = `No library was found. ${programName()} list shows all, and ${programName()} add adds one.`;
  printRows(
    given,
    libraries,
    ({ id, title, description, totalTokens }) => [id, title, quantity(totalTokens, "token"), shortened(description)],
    none,
  );
  if (libraries.length > 0) return;
  if (!forPeople(given)) console.error(none);
  process.exitCode = exitCodes.nothingFound;
}

/** Finds libraries by name, best first. */
export async function findLibraries(
  client: ServerClient,
  name: string,
  question = "",
): Promise<readonly FoundLibrary[]> {
  const query = { libraryName: name, query: question === "" ? name : question };
  return (await client.json("GET", withQuery("/v2/libs/search", query)))["results"] as FoundLibrary[];
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
