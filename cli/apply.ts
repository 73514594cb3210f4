import { readFile } from "node:fs/promises";
import { text as textOf } from "node:stream/consumers";
import type * as z from "zod";
import type { appliedSchema, manifestRecordSchema } from "../api/routes/manifests.ts";
import { withQuery } from "../api/request.ts";
import { Failure } from "../domain/failures.ts";
import { createServerClient, patiently } from "./client.ts";
import type { Given } from "./command.ts";
import { exitCodes, forPeople, printJson, printRows } from "./output.ts";

type Applied = z.infer<typeof appliedSchema>;
type AppliedLibrary = Applied["libraries"][number];
type Record = z.infer<typeof manifestRecordSchema>;

/** `lectern apply`: brings libraries to what a manifest declares; without a file, the one that the server watches. */
export async function run(given: Given): Promise<void> {
  const [file] = given.words;
  const how = { prune: given.given("prune"), overwrite: given.given("overwrite"), confirm: given.given("yes") };
  const dryRun = given.given("dry-run");
  // A manifest has the fields of the API.
  const client = createServerClient(undefined, { fields: true });
  if (file === undefined && dryRun)
    throw new Failure(
      "validation_error",
      "Name the file for a dry run: the server reads its own manifest only to apply it.",
    );
  const [path, body] =
    file === undefined
      ? ["/v2/manifests/reconcile", { ...how, prune: how.prune || undefined }]
      : ["/v2/manifests/apply", { manifest: await read(file), dryRun, ...how }];
  const applied = (await patiently(() => client.json("POST", path, body))) as Applied;
  if (forPeople(given)) {
    const shown = applied.libraries.filter(
      ({ action, drift, problem }) => action !== "keep" || drift.length > 0 || problem,
    );
    if (shown.length > 0) printRows(given, shown, columns, "");
    for (const problem of applied.problems) console.log(problem);
    console.log(applied.message);
  } else printJson(applied);
  const failed = applied.problems.length > 0 || applied.libraries.some(({ problem }) => problem !== undefined);
  if (failed) process.exitCode = exitCodes.failed;
}

/** `lectern manifests`: the manifests that were applied, and what has drifted from them. */
export async function list(given: Given): Promise<void> {
  const answer = await createServerClient().json(
    "GET",
    withQuery("/v2/manifests", { teamspace: given.text("teamspace") }),
  );
  const manifests = answer["manifests"] as readonly Record[];
  printRows(
    given,
    manifests,
    ({ name, libraries, appliedAt, message, problems }) => [
      name,
      String(libraries),
      appliedAt,
      [message, ...problems].join(" "),
    ],
    "No manifest was applied.",
  );
  if (!forPeople(given)) return;
  for (const { name, drift, waiting } of manifests) {
    for (const { libraryId, field, declared, present } of drift)
      console.log(`${name}: ${libraryId} has ${field} ${show(present)}, and the manifest ${show(declared)}.`);
    for (const { libraryId, versions } of waiting)
      console.log(`${name}: ${libraryId} waits for ${versions.join(", ")}.`);
  }
}

async function read(file: string): Promise<string> {
  if (file === "-") return textOf(process.stdin);
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw new Failure("validation_error", `${file} cannot be read. Name a manifest, or - for standard input.`, {
      cause,
    });
  }
}

function columns({
  libraryId,
  teamspace,
  action,
  changes,
  versions,
  drift,
  problem,
}: AppliedLibrary): readonly string[] {
  const details = [
    ...changes.map(({ field, present, declared }) => `${field}: ${show(present)} → ${show(declared)}`),
    ...(versions.length > 0 ? [`versions: ${versions.join(", ")}`] : []),
    ...drift.map(
      ({ field, present, declared }) => `${field} was changed to ${show(present)} (manifest: ${show(declared)})`,
    ),
    ...(problem === undefined ? [] : [problem]),
  ];
  return [
    problem === undefined ? action : "failed",
    libraryId,
    teamspace === "" ? "public" : teamspace,
    details.join("; "),
  ];
}

function show(value: unknown): string {
  if (value === null) return "the default";
  return typeof value === "string" ? value : JSON.stringify(value);
}
