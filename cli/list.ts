import type { Summary } from "../api/answer-types.ts";
import { counted } from "../domain/counted.ts";
import { createServerClient, pagesOf, withQuery } from "./client.ts";
import type { Given } from "./command.ts";
import { forPeople, printRows } from "./output.ts";

/** `lectern list`: the libraries of a running server. */
export async function run(given: Given): Promise<void> {
  const excluded = given.given("excluded") ? "true" : undefined;
  const asked = { search: given.text("search"), state: given.text("state"), excluded };
  const client = createServerClient();
  const pages = pagesOf<Summary>(client, "/v2/libs", "libraries", { ...asked, limit: "100" });
  const libraries = (await Array.fromAsync(pages)).flat();
  const none = Object.values(asked).some((value) => value !== undefined)
    ? "There is no such library."
    : "There is no library yet. Add one: lectern add https://…";
  printRows(given, libraries, columns, none);
  if (!forPeople(given) || asked.state !== undefined) return;
  const unserved = Number((await client.json("GET", withQuery("/v2/libs", { ...asked, limit: "1" })))["unserved"]);
  if (unserved > 0) console.log(`\nThe first run failed of ${unserved} more: lectern list --state unserved`);
}

function columns({ libraryId, state, phase, totalSnippets, lastUpdateDate, versions, redirectUrl }: Summary) {
  return [
    libraryId,
    redirectUrl === null ? (phase === null ? state : `${state}, ${phase}`) : `moved to ${redirectUrl}`,
    counted(totalSnippets, "snippet"),
    lastUpdateDate?.slice(0, 10) ?? "",
    versions.length > 0 ? counted(versions.length, "version") : "",
  ];
}
