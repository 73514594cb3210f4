import { Failure } from "../domain/failures.ts";
import { withQuery } from "../api/request.ts";
import type { Given } from "./command.ts";
import { removeConfirmed } from "./output.ts";

/** `lectern delete`: deletes a library, or all that were never served, after confirmation. */
export async function run(given: Given): Promise<void> {
  const [library] = given.words;
  if ((library === undefined) !== given.given("unserved"))
    throw new Failure(
      "validation_error",
      "Name the library to delete, or give --unserved for all whose first run failed.",
    );
  if (library === undefined)
    return removeConfirmed(given, "Delete all libraries whose first run failed?", "/v2/libs/unserved");
  const path = withQuery("/v2/libs", { libraryId: library });
  await removeConfirmed(given, `Delete ${library} with all its versions?`, path);
}
