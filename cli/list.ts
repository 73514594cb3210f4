import type { Summary } from "../api/answer-types.ts";
import { quantity } from "../domain/quantity.ts";
import { createServerClient } from "./client.ts";
import { withQuery } from "../api/request.ts";
import type { Given } from "./command.ts";
import { forPeople } from "./output.ts";
import { programName } from "./program-name.ts";
import { printList } from "./requests.ts";

/** `lectern list`: the libraries of a running server. */
export async function run(given: Given): Promise<void> {
  const excluded = given.given("excluded") ? "true" : undefined;
  const filters = { search: given.text("search"), state: given.text("state"), excluded };
  const none = Object.values(filters).some((value) => value !== undefined)
    ? "There is no such library."
    : `There is no library yet. Add one: ${programName()} add https://…`;
  await printList<Summary>(given, {
    path: "/v2/libs",
    member: "libraries",
    query: () => ({ ...filters, limit: 100 }),
    columns,
    none,
  });
  if (!forPeople(given) || filters.state !== undefined) return;
  const path = withQuery("/v2/libs", { ...filters, limit: 1 });
  const unserved = Number((await createServerClient().json("GET", path))["unserved"]);
  if (unserved > 0) console.log(`\n${unserved} more, whose first run failed: ${programName()} list --state unserved`);
}

function columns({ libraryId, state, phase, totalTokens, lastUpdateDate, versions, redirectUrl }: Summary) {
  return [
    libraryId,
    redirectUrl === null ? (phase === null ? state : `${state}, ${phase}`) : `moved to ${redirectUrl}`,
    quantity(totalTokens, "token"),
    lastUpdateDate?.slice(0, 10) ?? "",
    versions.length > 0 ? quantity(versions.length, "version") : "",
  ];
}
