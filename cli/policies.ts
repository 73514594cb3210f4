import { readFile } from "node:fs/promises";
import { text as readAll } from "node:stream/consumers";
import { Failure } from "../domain/failures.ts";
import { createServerClient } from "./client.ts";
import { withQuery } from "../api/request.ts";
import type { Given } from "./command.ts";
import { forPeople, printJson } from "./output.ts";

/** `lectern policies`: the policy of the teamspace. */
export async function show(given: Given): Promise<void> {
  print(given, await createServerClient().json("GET", pathOf(given)));
}

/** `lectern policies change`: changes the policy with a JSON file, which is sent to the API. @throws Failure validation_error for other files */
export async function change(given: Given): Promise<void> {
  const [file = ""] = given.words;
  print(given, await createServerClient().json("PATCH", pathOf(given), parse(await textOfFile(file))));
}

/** The text of a file; `-` is standard input. @throws Failure validation_error if it cannot be read */
export async function textOfFile(file: string): Promise<string> {
  return file === "-" ? readAll(process.stdin) : readFile(file, "utf8").catch(notReadable(file));
}

function parse(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === "object" && body !== null && !Array.isArray(body)) return { ...body };
  } catch (cause) {
    throw notJson(cause);
  }
  throw notJson();
}

function notReadable(file: string): (cause: unknown) => never {
  return (cause) => {
    throw new Failure("validation_error", `${file} cannot be read. Give the path of a file, or - for standard input.`, {
      cause,
    });
  };
}

function notJson(cause?: unknown): Failure {
  const message =
    'The file is not a JSON object. Write the change in the form of the API, such as {"sourceTypes": {"disable": ["websites"]}}.';
  return new Failure("validation_error", message, { cause });
}

function print(given: Given, policy: Record<string, unknown>): void {
  if (!forPeople(given)) return printJson(policy);
  printJson({ ...policy, accessibleLibraryCount: undefined }, 2);
  console.log(`Readable public libraries: ${String(policy["accessibleLibraryCount"])}.`);
}

function pathOf(given: Given): string {
  return withQuery("/v2/policies", { teamspace: given.text("teamspace") });
}
