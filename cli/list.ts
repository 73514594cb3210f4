import { loadConfig } from "../config.ts";
import { createServerClient } from "./client.ts";
import type { ServerClient } from "./client.ts";
import type { Given } from "./command.ts";
import { count, printRows } from "./output.ts";

/** The displayed members of a library. */
interface Listed {
  readonly libraryId: string;
  readonly state: string;
  readonly phase: string | null;
  readonly totalSnippets: number;
  readonly lastUpdateDate: string | null;
  readonly versions: readonly string[];
  readonly redirectUrl: string | null;
}

/** `lectern list`: the libraries of a running server. */
export async function run(given: Given): Promise<void> {
  const config = loadConfig(process.env);
  const client = createServerClient(config, config.adminKey);
  const excluded = given.given("excluded") ? "true" : undefined;
  const asked = Object.entries({ search: given.text("search"), state: given.text("state"), excluded });
  const query = asked.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as [string, string]]));
  const libraries = await allLibraries(client, query);
  const none =
    query.length > 0 ? "There is no such library." : "There is no library yet. Add one: lectern add https://…";
  printRows(given, libraries, columns, none);
}

/** All libraries that the key can see. */
async function allLibraries(client: ServerClient, query: readonly [string, string][]): Promise<readonly Listed[]> {
  const libraries: Listed[] = [];
  let cursor: string | null = null;
  do {
    const asked: URLSearchParams = new URLSearchParams({
      ...Object.fromEntries(query),
      limit: "100",
      ...(cursor !== null && { cursor }),
    });
    const page = await client.json("GET", `/v2/libs?${asked.toString()}`);
    libraries.push(...(page["libraries"] as Listed[]));
    cursor = page["next"] as string | null;
  } while (cursor !== null);
  return libraries;
}

function columns({ libraryId, state, phase, totalSnippets, lastUpdateDate, versions, redirectUrl }: Listed) {
  return [
    libraryId,
    redirectUrl === null ? (phase === null ? state : `${state}, ${phase}`) : `moved to ${redirectUrl}`,
    count(totalSnippets, "snippet"),
    lastUpdateDate?.slice(0, 10) ?? "",
    versions.length > 0 ? count(versions.length, "version") : "",
  ];
}
