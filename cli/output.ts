import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline/promises";
import { text as readAll } from "node:stream/consumers";
import { Failure } from "../domain/failures.ts";
import { createServerClient, Unavailable } from "./client.ts";
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
  if (forPeople(given)) console.log(rows.length === 0 ? none : tableOf(rows.map(columns)));
  else for (const row of rows) printJson(row);
}

/** Rows with aligned columns. */
export function tableOf(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(printable));
  const widths = (cells[0] ?? []).map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)));
  return cells
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** A value of a library manifest. */
export function showValue(value: unknown): string {
  if (value === null) return "the default";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Prints the body of a response: to stdout for 200, else to stderr with exit code 1, as for 202. */
export async function printText(given: Given, answer: Promise<{ status: number; text: string }>): Promise<void> {
  const { status, text } = await answer;
  (status === 200 ? console.log : console.error)(given.given("json") ? printableJson(text) : text);
  if (status !== 200) process.exitCode = exitCodes.failed;
}

/** The number in an option. @throws Failure validation_error unless it is a whole number from 1 */
export function numberOf(given: Given, option: string): number | undefined {
  const text = given.text(option);
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new Failure("validation_error", `--${option} must be a whole number of at least 1.`);
}

/** The text of a file; `-` is standard input. @throws Failure validation_error if it cannot be read */
export async function textOfFile(file = ""): Promise<string> {
  if (file === "-") return readAll(process.stdin);
  return readFile(file, "utf8").catch((cause: unknown) => {
    const message = `${file} cannot be read. Give the path of a file, or - for standard input.`;
    throw new Failure("validation_error", message, { cause });
  });
}

/** Parses a file as a JSON object. @throws Failure validation_error for any other content */
export async function jsonOfFile(file?: string): Promise<object> {
  const text = await textOfFile(file);
  let body: unknown;
  let cause: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    cause = error;
  }
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body;
  const message =
    'The file is not a JSON object. Write the change in the form of the API, such as {"sourceTypes": {"disable": ["websites"]}}.';
  throw new Failure("validation_error", message, { cause });
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
  if (error instanceof Unavailable) return exitCodes.noServer;
  const isTyped = error instanceof Failure && ["validation_error", "invalid_library_id"].includes(error.code);
  return isTyped ? exitCodes.wrongUse : exitCodes.failed;
}
