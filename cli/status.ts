import type { PageOutcomes, Quarantine, Status } from "../api/answer-types.ts";
import { quantity } from "../domain/quantity.ts";
import { showLibrary } from "../domain/library.ts";
import { createServerClient } from "./client.ts";
import type { Given } from "./command.ts";
import { forPeople, printJson } from "./output.ts";
import { printList } from "./requests.ts";
import { progressLine, follow, readStatus, problemLines, countsText } from "./watching.ts";

/** `lectern status`: the status of a library. */
export async function run(given: Given): Promise<void> {
  const client = createServerClient();
  const [library = ""] = given.words;
  if (given.given("failed")) return listPages(given, library, "failed");
  if (given.given("skipped")) return listPages(given, library, "skipped");
  if (given.given("held-back")) return listQuarantined(given, library);
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

async function listPages(given: Given, libraryId: string, outcome: "failed" | "skipped"): Promise<void> {
  await printList<PageOutcomes["pages"][number]>(given, {
    path: "/v2/libs/status/pages",
    member: "pages",
    query: () => ({ libraryId, outcome, limit: 1000 }),
    columns: ({ path, reason = "" }) => [path, reason],
    none: outcome === "failed" ? "No page failed." : "No page was left out.",
  });
}

async function listQuarantined(given: Given, libraryId: string): Promise<void> {
  const release = "docs/explanation/screening.md explains how to release harmless ones.";
  await printList<Quarantine["passages"][number]>(given, {
    path: "/v2/libs/status/quarantine",
    member: "passages",
    query: () => ({ libraryId, limit: 100 }),
    columns: ({ title, url, findings }) => [title, url, `It ${findings.map(({ meaning }) => meaning).join(", and ")}.`],
    none: "No passage is quarantined.",
    below: ({ length }) => (length === 0 ? [] : [`\n${quantity(length, "passage")}. ${release}`]),
  });
}
