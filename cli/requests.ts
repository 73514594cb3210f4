import type { Query } from "../api/request.ts";
import { createServerClient, pagesOf, type ServerClient } from "./client.ts";
import { yes, type Command, type Given } from "./command.ts";
import {
  exitCodes,
  forPeople,
  numberOf,
  printAnswer,
  printJson,
  printRows,
  printText,
  removeConfirmed,
} from "./output.ts";

/** An answer of the server. */
export type Answer = Readonly<Record<string, unknown>>;

/** A list of the server: a table for people, else a line of JSON for each row, as it arrives. */
interface List<Row> {
  readonly path: string;
  /** Member of the answer that has the rows. */
  readonly member: string;
  /** Parameters besides the teamspace. */
  query?(given: Given): Query;
  columns(row: Row): readonly string[];
  /** Sentence without rows. */
  readonly none: string;
  /** Lines below the table. */
  below?(rows: readonly Row[]): readonly string[];
}

/** Prints a list, and returns its number of rows; the option `--limit` ends it. */
export async function printList<Row extends object>(
  given: Given,
  { path, member, query, columns, none, below }: List<Row>,
): Promise<number> {
  const limit = numberOf(given, "limit") ?? Infinity;
  let count = 0;
  const all: Row[] = [];
  const sent = { teamspace: given.text("teamspace"), ...query?.(given) };
  for await (const page of pagesOf<Row>(createServerClient(), path, member, sent)) {
    const rows = page.slice(0, limit - count);
    if (forPeople(given)) all.push(...rows);
    else for (const row of rows) printJson(row);
    count += rows.length;
    if (count === limit) break;
  }
  if (forPeople(given)) {
    printRows(given, all, columns, none);
    for (const line of below?.(all) ?? []) console.log(line);
  }
  return count;
}

/** A command that prints a list. */
export function lists<Row extends object>(list: List<Row>): Command["load"] {
  return runs(async (given) => void (await printList(given, list)));
}

/** A request: its method, path below /api, and body. */
export type Sent = readonly [method: Parameters<ServerClient["json"]>[0], path: string, body?: unknown];

/** A command that sends a request, and prints the answer, for people as `text`. It fails if the answer is not `ok`. */
export function sends(
  request: (given: Given) => Sent | Promise<Sent>,
  text?: (answer: Answer, given: Given) => string,
): Command["load"] {
  return runs(async (given) => {
    const answer = await createServerClient().json(...(await request(given)));
    printAnswer(given, answer, text?.(answer, given));
    if (answer["ok"] === false) process.exitCode = exitCodes.failed;
  });
}

/** A command that prints a text of the server. */
export function prints(path: (given: Given) => string): Command["load"] {
  return runs((given) => printText(given, createServerClient().text(path(given))));
}

/** A command that asks, then sends a DELETE request, and prints the server's message. */
export function removes(of: (given: Given) => { readonly question: string; readonly path: string }): Command["load"] {
  return runs(async (given) => {
    const { question, path } = of(given);
    await removeConfirmed(given, question, path);
  });
}

/** The command that deletes one of a resource, by its ID. */
export function deletes(one: string, summary: string): Command {
  return {
    takes: "<id>",
    summary,
    example: `lectern ${one}s delete ID, with an ID from lectern ${one}s`,
    options: [yes],
    load: removes(({ words: [id = ""] }) => ({
      question: `Delete the ${one} ${id}?`,
      path: `/v2/${one}s/${encodeURIComponent(id)}`,
    })),
  };
}

function runs(run: (given: Given) => Promise<void>): Command["load"] {
  return async () => ({ run });
}
