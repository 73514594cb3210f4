import type * as z from "zod";
import type { appliedSchema } from "../api/routes/manifests.ts";
import { Failure } from "../domain/failures.ts";
import { createServerClient, patiently } from "./client.ts";
import type { Given } from "./command.ts";
import { exitCodes, forPeople, printJson, printRows, showValue, textOfFile } from "./output.ts";

type Applied = z.infer<typeof appliedSchema>;
type AppliedLibrary = Applied["libraries"][number];

/** `lectern apply`: brings libraries to what a manifest declares; without a file, the one that the server watches. */
export async function run(given: Given): Promise<void> {
  const [file] = given.words;
  const how = { prune: given.given("prune"), overwrite: given.given("overwrite"), confirm: given.given("yes") };
  const dryRun = given.given("dry-run");
  const client = createServerClient();
  if (file === undefined && dryRun)
    throw new Failure(
      "validation_error",
      "Name the file for a dry run: the server reads its own manifest only to apply it.",
    );
  const [path, body] =
    file === undefined
      ? ["/v2/manifests/reconcile", { ...how, prune: how.prune || undefined }]
      : ["/v2/manifests/apply", { manifest: await textOfFile(file), dryRun, ...how }];
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
    ...changes.map(({ field, present, declared }) => `${field}: ${showValue(present)} → ${showValue(declared)}`),
    ...(versions.length > 0 ? [`versions: ${versions.join(", ")}`] : []),
    ...drift.map(
      ({ field, present, declared }) =>
        `${field} was changed to ${showValue(present)} (manifest: ${showValue(declared)})`,
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
