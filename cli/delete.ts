import { withQuery } from "./client.ts";
import type { Given } from "./command.ts";
import { removeConfirmed } from "./output.ts";

/** `lectern delete`: deletes a library, after confirmation. */
export async function run(given: Given): Promise<void> {
  const [library = ""] = given.words;
  const path = withQuery("/v2/libs", { libraryId: library });
  await removeConfirmed(given, `Delete ${library} with all that was read of it?`, path);
}
