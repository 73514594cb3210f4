import { createServerClient } from "./client.ts";
import type { Given } from "./command.ts";
import { secretFields } from "./secret-input.ts";
import { followSubmitted } from "./watching.ts";

/** `lectern refresh`: reads a library's source again, and waits for it. */
export async function run(given: Given): Promise<void> {
  const client = createServerClient();
  // The server refuses fields that the kind of the library lacks. A token in the environment is for submissions only.
  const fields = { token: "gitToken", headers: "headers", credential: "credential" };
  const body = {
    libraryName: given.words[0],
    branch: given.text("branch"),
    ...(await secretFields(given, null, fields)),
  };
  await followSubmitted(client, given, await client.json("POST", "/v1/refresh", body));
}
