import { Failure } from "../domain/failures.ts";
import { createServerClient, pagesOf, type ServerClient } from "./client.ts";
import { withQuery } from "../api/request.ts";
import type { Given } from "./command.ts";
import { printableJson } from "./terminal.ts";
import { findLibraries } from "./search.ts";
import { programName } from "./program-name.ts";

/** A library ID, with or without its first slash. A question as one word has spaces. */
const libraryWord = /^[^\s/]*\/\S+$/;

/** `lectern ask`: prints the answer of a running server: of the library that the first of several words is, or of the best one. */
export async function run(given: Given): Promise<void> {
  const [first = "", ...others] = given.words;
  if (others.length === 0 && first.startsWith("/") && libraryWord.test(first))
    throw new Failure("validation_error", `There is no question to ${first}. Write it after the library.`);
  const library = others.length > 0 && libraryWord.test(first) ? first : undefined;
  const json = given.given("json");
  const query = {
    libraryId: library,
    query: (library === undefined ? given.words : others).join(" "),
    type: json ? "json" : "txt",
    tokens: given.text("tokens"),
  };
  const client = createServerClient();
  const path = withQuery(library === undefined ? "/v2/ask" : "/v2/context", query);
  const { status, text } = await client.text(path).catch(async (error: unknown) => {
    if (library === undefined || !(error instanceof Failure && error.code === "library_not_found")) throw error;
    const near = await nearestLibraries(client, library);
    const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : `${programName()} list shows all libraries.`;
    throw new Failure(error.code, `${error.message} ${hint}`, { cause: error });
  });
  (status === 200 ? console.log : console.error)(json ? printableJson(text) : text);
  if (status !== 200) process.exitCode = 1;
}

/** Maximum number of suggested libraries. */
const maxNamed = 2;

/** Maximum number of pages of the list to read, of a hundred libraries each. */
const maxPages = 20;

/** Suggestions for a misspelt library ID, nearest first: IDs with few edits, and IDs with the same name. */
async function nearestLibraries(client: ServerClient, library: string): Promise<readonly string[]> {
  const [id = ""] = library.toLowerCase().split("@");
  const wanted = id.startsWith("/") ? id : `/${id}`;
  const name = wanted.slice(wanted.lastIndexOf("/") + 1);
  const candidates = new Set([
    ...(await listedIds(client)),
    ...(await findLibraries(client, name)).map(({ id }) => id),
  ]);
  return [...candidates]
    .map((id) => {
      const hasSameName = id.toLowerCase().endsWith(`/${name}`);
      return { id, edits: Math.min(distance(wanted, id.toLowerCase()), hasSameName ? 1.5 : Infinity) };
    })
    .filter(({ id, edits }) => edits <= Math.max(2, id.length / 4))
    .toSorted((a, b) => a.edits - b.edits)
    .slice(0, maxNamed)
    .map(({ id }) => id);
}

/** The IDs that the key can list; empty if it may not list. */
async function listedIds(client: ServerClient): Promise<readonly string[]> {
  const ids: string[] = [];
  let pages = 0;
  try {
    for await (const page of pagesOf<{ libraryId: string }>(client, "/v2/libs", "libraries", { limit: "100" })) {
      ids.push(...page.map(({ libraryId }) => libraryId));
      pages += 1;
      if (pages === maxPages) break;
    }
  } catch (error) {
    // Callers without a key may search and ask, but not list.
    if (!(error instanceof Failure && ["invalid_api_key", "forbidden"].includes(error.code))) throw error;
  }
  return ids;
}

/** Edit distance with transpositions (optimal string alignment). */
function distance(one: string, other: string): number {
  let [before, last] = [[] as number[], Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const same = one[i - 1] === other[j - 1] ? 0 : 1;
      const steps = [(last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same];
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        steps.push((before[j - 2] ?? 0) + 1);
      row.push(Math.min(...steps));
    }
    [before, last] = [last, row];
  }
  return last[other.length] ?? 0;
}
