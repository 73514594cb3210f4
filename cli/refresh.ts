import { createServerClient } from "./client.ts";
import type { Given } from "./command.ts";
import { secretFields } from "./secret-input.ts";
import { followSubmitted } from "./watching.ts";

/** `lectern refresh`: reads a library's source again, and waits for it. */
export async function run(given: Given): Promise<void> {
  const client = createServerClient();
  // The server refuses what the kind of the library does not take. A token of the environment is for submissions only.
  const taken = { token: "gitToken", headers: "headers", credential: "credential" };
  const body = {
    libraryName: given.words[0],
    branch: given.text("branch"),
    ...(await secretFields(given, null, taken)),
  };
  await followSubmitted(client, given, await client.json("POST", "/v1/refresh", body));
}
