import { loadConfig } from "../config.ts";
import { createServerClient } from "./client.ts";
import type { Given } from "./command.ts";
import { confirmed } from "./output.ts";

/** `lectern delete`: deletes a library, after confirmation. */
export async function run(given: Given): Promise<void> {
  const [library = ""] = given.words;
  const config = loadConfig(process.env);
  const client = createServerClient(config, config.adminKey);
  if (!(await confirmed(given, `Delete ${library} with all that was read of it?`))) return;
  const query = new URLSearchParams({ libraryId: library }).toString();
  console.log(String((await client.json("DELETE", `/v2/libs?${query}`))["message"]));
}
