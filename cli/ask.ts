import { Failure } from "../domain/failures.ts";
import { createServerClient, withQuery } from "./client.ts";
import type { Given } from "./command.ts";
import { nearestLibraries } from "./nearest.ts";
import { printableJson } from "./terminal.ts";

/** `lectern ask`: prints the answer of a running server. */
export async function run(given: Given): Promise<void> {
  const [library = "", ...words] = given.words;
  const json = given.given("json");
  const query = {
    libraryId: library,
    query: words.join(" "),
    type: json ? "json" : "txt",
    tokens: given.text("tokens"),
  };
  const client = createServerClient();
  const { status, text } = await client.text(withQuery("/v2/context", query)).catch(async (error: unknown) => {
    if (!(error instanceof Failure && error.code === "library_not_found")) throw error;
    const near = await nearestLibraries(client, library);
    const meant =
      near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "lectern list shows the libraries there are.";
    throw new Failure(error.code, `${error.message} ${meant}`, { cause: error });
  });
  (status === 200 ? console.log : console.error)(json ? printableJson(text) : text);
  if (status !== 200) process.exitCode = 1;
}
