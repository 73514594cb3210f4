import type { PageOutcomes, Quarantine, Status } from "../api/answer-types.ts";
import { quantity } from "../domain/quantity.ts";
import { showLibrary } from "../domain/library.ts";
import { allOf, createServerClient, type ServerClient } from "./client.ts";
import type { Given } from "./command.ts";
import { forPeople, printJson, printRows } from "./output.ts";
import { progressLine, follow, readStatus, problemLines, countsText } from "./watching.ts";

/** `lectern status`: the status of a library. */
export async function run(given: Given): Promise<void> {
  const client = createServerClient();
  const [library = ""] = given.words;
  if (given.given("failed")) return listPages(client, given, library, "failed");
  if (given.given("skipped")) return listPages(client, given, library, "skipped");
  if (given.given("held-back")) return listQuarantined(client, given, library);
  const status = await readStatus(client, library);
  const { openRun } = status;
  if (given.given("watch") && openRun?.failure === null) return follow(client, given, library, openRun.id);
  if (!forPeople(given)) printJson(status);
  else for (const line of toLines(status)) console.log(line);
}

function toLines(status: Status): readonly string[] {
  const { libraryId, version, title, source, state, redirectUrl, openRun, live, held, refreshAt, retryAt } = status;
  const { runs, notes, linked } = status;
  const library = showLibrary(libraryId, version);
  const day = (time: string): string => time.slice(0, 16).replace("T", " ");
  const [last] = runs;
  return [
    `${library}  ${title}`,
    `  source   ${source}`,
    `  state    ${redirectUrl === null ? state : `moved to ${redirectUrl}`}`,
    ...(live ? [`  live     ${countsText(live.counts)}, read ${day(live.createdAt)} at ${live.revision}`] : []),
    ...(live?.unindexedSince ? ["  index    Lost this library; it is loaded again automatically"] : []),
    ...(live?.damage ? [`  damaged  ${live.damage}`] : []),
    ...(openRun ? [`  run      ${openRun.failure?.message ?? progressLine(status)}`] : []),
    ...(!openRun && last?.failure ? [`  failed   ${last.failure.message}`] : []),
    ...(held
      ? ["  held     A refresh that would lose too many passages; publish or drop it: docs/guides/manage-libraries.md"]
      : []),
    ...(retryAt === null ? [] : [`  retry    ${day(retryAt)}, automatic`]),
    ...(refreshAt === null ? [] : [`  next     ${day(refreshAt)}`]),
    ...(live ? problemLines(library, live.counts, status.unread).map((line) => `  look at  ${line}`) : []),
    ...linked.map(({ relation, libraryId: id }) => `  ${relation === "package" ? "package " : "repo    "} ${id}`),
    ...notes.map((note) => `  note     ${note}`),
  ];
}

async function listPages(
  client: ServerClient,
  given: Given,
  library: string,
  outcome: "failed" | "skipped",
): Promise<void> {
  type Page = PageOutcomes["pages"][number];
  const query = { libraryId: library, outcome, limit: "1000" };
  printRows(
    given,
    await allOf<Page>(client, "/v2/libs/status/pages", "pages", query),
    ({ path, reason = "" }) => [path, reason],
    outcome === "failed" ? "No page failed." : "No page was left out.",
  );
}

async function listQuarantined(client: ServerClient, given: Given, library: string): Promise<void> {
  type Passage = Quarantine["passages"][number];
  const query = { libraryId: library, limit: "100" };
  const passages = await allOf<Passage>(client, "/v2/libs/status/quarantine", "passages", query);
  printRows(
    given,
    passages,
    ({ title, url, findings }) => [title, url, `It ${findings.map(({ meaning }) => meaning).join(", and ")}.`],
    "No passage is quarantined.",
  );
  if (forPeople(given) && passages.length > 0)
    console.log(
      `\n${quantity(passages.length, "passage")}. docs/explanation/screening.md explains how to release harmless ones.`,
    );
}
