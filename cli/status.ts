import { loadConfig } from "../config.ts";
import { showLibrary } from "../domain/library.ts";
import { createServerClient } from "./client.ts";
import type { ServerClient } from "./client.ts";
import type { Given } from "./command.ts";
import { count, forPeople, printable, printJson, printRows } from "./output.ts";
import { progressLine } from "./progress.ts";
import { attention, figuresOf } from "./summary.ts";
import { follow, readStatus } from "./watching.ts";
import type { Watched } from "./watching.ts";

/** Further displayed members of a status. */
interface Shown extends Watched {
  readonly title: string;
  readonly source: string;
  readonly openRun: { readonly id: string; readonly failure: { readonly message: string } | null } | null;
  readonly held: object | null;
  readonly refreshAt: string | null;
  readonly notes: readonly string[];
  readonly linked: readonly { readonly libraryId: string; readonly relation: string }[];
}

/** `lectern status`: the status of a library. */
export async function run(given: Given): Promise<void> {
  const config = loadConfig(process.env);
  const client = createServerClient(config, config.adminKey);
  const [library = ""] = given.words;
  if (given.given("failed")) return listPages(client, given, library, "failed");
  if (given.given("skipped")) return listPages(client, given, library, "skipped");
  if (given.given("held-back")) return listHeldBack(client, given, library);
  const status = (await readStatus(client, library)) as Shown;
  const { openRun } = status;
  if (given.given("watch") && openRun?.failure === null) return follow(client, given, library, openRun.id);
  if (!forPeople(given)) printJson(status);
  else for (const line of toLines(status)) console.log(printable(line));
}

function toLines(status: Shown): readonly string[] {
  const { libraryId, version, title, source, state, redirectUrl, openRun, live, held, refreshAt, runs } = status;
  const { notes, linked } = status;
  const library = showLibrary(libraryId, version);
  const day = (time: string): string => time.slice(0, 16).replace("T", " ");
  const [last] = runs;
  return [
    `${library}  ${title}`,
    `  source   ${source}`,
    `  state    ${redirectUrl === null ? state : `moved to ${redirectUrl}`}`,
    ...(live ? [`  live     ${figuresOf(live.counts)}, read ${day(live.createdAt)} at ${live.revision}`] : []),
    ...(openRun ? [`  run      ${openRun.failure?.message ?? progressLine(status)}`] : []),
    ...(!openRun && last?.failure ? [`  failed   ${last.failure.message}`] : []),
    ...(held ? ["  held     A refresh that would lose too much; publish or drop it: docs/operations.md"] : []),
    ...(refreshAt === null ? [] : [`  next     ${day(refreshAt)}`]),
    ...(live ? attention(library, live.counts).map((line) => `  look at  ${line}`) : []),
    ...linked.map((one) => `  ${one.relation === "package" ? "package " : "repo    "} ${one.libraryId}`),
    ...notes.map((note) => `  note     ${note}`),
  ];
}

async function listPages(
  client: ServerClient,
  given: Given,
  library: string,
  outcome: "failed" | "skipped",
): Promise<void> {
  const pages = await everything(
    client,
    "/v2/libs/status/pages",
    { libraryId: library, outcome, limit: "1000" },
    "pages",
  );
  printRows(
    given,
    pages as readonly { readonly path: string; readonly reason?: string }[],
    ({ path, reason = "" }) => [path, reason],
    `No page was ${outcome === "failed" ? "found that failed" : "left out"}.`,
  );
}

async function listHeldBack(client: ServerClient, given: Given, library: string): Promise<void> {
  const query = { libraryId: library, limit: "100" };
  const passages = await everything(client, "/v2/libs/status/quarantine", query, "passages");
  type Passage = { readonly title: string; readonly url: string; readonly findings: readonly { meaning: string }[] };
  printRows(
    given,
    passages as readonly Passage[],
    ({ title, url, findings }) => [title, url, `It ${findings.map(({ meaning }) => meaning).join(", and ")}.`],
    "No passage is held back.",
  );
  if (forPeople(given) && passages.length > 0)
    console.log(`\n${count(passages.length, "passage")}. How to release what is harmless: docs/screening.md`);
}

async function everything(
  client: ServerClient,
  path: string,
  query: Readonly<Record<string, string>>,
  field: string,
): Promise<readonly object[]> {
  const all: object[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const asked = new URLSearchParams({ ...query, ...(cursor !== "" && { cursor }) });
    const answer = await client.json("GET", `${path}?${asked.toString()}`);
    all.push(...(answer[field] as object[]));
    cursor = answer["next"] as string | null;
  }
  return all;
}
