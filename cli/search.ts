import { loadConfig } from "../config.ts";
import { createServerClient } from "./client.ts";
import type { ServerClient } from "./client.ts";
import type { Given } from "./command.ts";
import { count, printRows } from "./output.ts";

/** The displayed members of a found library. */
interface Found {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly totalSnippets: number;
}

/** `lectern search`: finds libraries by name, best for a question first. */
export async function run(given: Given): Promise<void> {
  const config = loadConfig(process.env);
  const client = createServerClient(config, config.adminKey);
  const [name = "", ...question] = given.words;
  const found = await findLibraries(client, name, question.join(" "));
  const none = "No library was found. lectern list shows all, and lectern add adds one.";
  printRows(
    given,
    found,
    ({ id, title, description, totalSnippets }) => [id, title, count(totalSnippets, "snippet"), shortened(description)],
    none,
  );
}

/** Finds libraries by name, best first. */
export async function findLibraries(client: ServerClient, name: string, question = ""): Promise<readonly Found[]> {
  const query = new URLSearchParams({ libraryName: name, query: question === "" ? name : question });
  return (await client.json("GET", `/v2/libs/search?${query.toString()}`))["results"] as Found[];
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
