import { createInterface } from "node:readline/promises";
import { Failure } from "../domain/failures.ts";
import { createServerClient, isUnavailable } from "./client.ts";
import type { Given } from "./command.ts";
import { printable, printableJson, rawOf } from "./terminal.ts";

/** Whether the output is for people: on a terminal, without --json. */
export function forPeople(given: Given): boolean {
  return process.stdout.isTTY && !given.given("json");
}

/** Prints JSON, on one line unless it is indented. */
export function printJson(value: unknown, indent = 0): void {
  console.log(printableJson(JSON.stringify(value, null, indent)));
}

/** Prints a response of the server: for people a sentence, by default its message; else JSON. */
export function printAnswer(
  given: Given,
  answer: Readonly<Record<string, unknown>>,
  sentence = String(answer["message"]),
): void {
  if (forPeople(given)) console.log(sentence);
  else printJson(answer);
}

/** Prints a table for people, else NDJSON. */
export function printRows<Row extends object>(
  given: Given,
  rows: readonly Row[],
  columns: (row: Row) => readonly string[],
  none: string,
): void {
  if (!forPeople(given)) {
    for (const row of rows) printJson(row);
    return;
  }
  if (rows.length === 0) console.log(none);
  const cells = rows.map((row) => columns(row).map(printable));
  const widths = (cells[0] ?? []).map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)));
  for (const line of cells)
    console.log(
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}

/**
 * Sends a DELETE request after confirmation, and prints the message of the response.
 * @throws Failure validation_error without a terminal and `--yes`
 */
export async function removeConfirmed(given: Given, question: string, path: string): Promise<void> {
  const client = createServerClient();
  if (await confirmed(given, question)) console.log(String((await client.json("DELETE", path))["message"]));
}

/** Asks for confirmation; `--yes` confirms. */
async function confirmed(given: Given, question: string): Promise<boolean> {
  if (given.given("yes")) return true;
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new Failure("validation_error", `${question} There is no terminal to ask on: confirm with --yes.`);
  const prompt = createInterface({ input: process.stdin, output: rawOf(process.stdout) });
  try {
    const answer = await prompt.question(`${printable(question)} [y/N] `);
    if (/^y(?:es)?$/i.test(answer.trim())) return true;
  } finally {
    prompt.close();
  }
  console.log("Nothing was changed.");
  process.exitCode = exitCodes.failed;
  return false;
}

/** Exit codes. docs/reference/cli.md explains the same ones. */
export const exitCodes = {
  done: 0,
  failed: 1,
  wrongUse: 2,
  nothingFound: 3,
  partlyRead: 4,
  noServer: 5,
  interrupted: 130,
} as const;

/** The exit code for an error. */
export function exitCodeOf(error: Error): number {
  if (isUnavailable(error)) return exitCodes.noServer;
  const isTyped = error instanceof Failure && ["validation_error", "invalid_library_id"].includes(error.code);
  return isTyped ? exitCodes.wrongUse : exitCodes.failed;
}
