import type * as z from "zod";
import { likelyAddress, typedAddress } from "../api/forms/index.ts";
import { withQuery } from "../api/request.ts";
import type { listedSchema } from "../api/routes/repositories.ts";
import { matchesLibrary } from "../domain/access.ts";
import { Failure } from "../domain/failures.ts";
import { createServerClient, patiently } from "./client.ts";
import type { Given } from "./command.ts";
import { exitCodes, forPeople, printRows } from "./output.ts";
import { paint } from "./terminal.ts";

/** A listed repository; with `--add`, and what became of it. */
interface Row extends z.infer<typeof listedSchema> {
  readonly state?: "submitted" | "failed";
  readonly message?: string;
}

/** `lectern repositories`: the repositories of an owner; with `--add` those with some names are submitted, and only they are printed. */
export async function run(given: Given): Promise<void> {
  const [typed = ""] = given.words;
  const client = createServerClient();
  const credential = given.text("credential");
  const owner = likelyAddress(typed) ?? typed;
  const answer = await client.json("GET", withQuery("/v2/repositories", { owner, credential }));
  const listed = answer["repositories"] as readonly Row[];
  const names = given.texts("add");
  const isPrivate = given.given("private") || undefined;
  const rows: Row[] = names.length === 0 ? [...listed] : [];
  for (const repository of names.length === 0 ? [] : listed.filter((one) => isWanted(one, names))) {
    const { path, body } = typedAddress(repository.address, "git") ?? {};
    if (path === undefined) continue;
    try {
      await patiently(() => client.json("POST", path, { ...body, credential, private: isPrivate }));
      rows.push({ ...repository, state: "submitted" });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      rows.push({ ...repository, state: "failed", message: error.message });
      process.exitCode = exitCodes.failed;
    }
  }
  const none = names.length === 0 ? "No repositories." : "No repository that is not read yet has this name.";
  printRows(given, rows, columns, none);
  if (answer["complete"] === false && forPeople(given)) console.log(`The first ${listed.length}; the owner has more.`);
}

/** Whether a repository that is not read yet has one of the names. */
function isWanted({ libraryName, library, archived, fork }: Row, names: readonly string[]): boolean {
  const name = libraryName.slice(libraryName.lastIndexOf("/") + 1);
  const isOdd = archived === true || fork === true;
  return library === null && matchesLibrary(isOdd ? names.filter((one) => !one.includes("*")) : names, name);
}

function columns({ address, library, bytes, licence, state, message, ...is }: Row): readonly string[] {
  const marks = [is.private && "private", is.archived && "archived", is.fork && "fork"].filter((one) => one);
  const size = bytes === null ? "" : `${(bytes / 1e6).toFixed(1)} MB`;
  const outcome = state === undefined ? (library ?? "") : paint(state === "failed" ? "red" : "green", state);
  return [address, size, licence ?? "", marks.join(", "), outcome, message ?? ""];
}
