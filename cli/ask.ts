import { parseArgs } from "node:util";
import { loadConfig } from "../config.ts";
import { Failure } from "../domain/failures.ts";
import { createServerClient } from "./client.ts";

/** `lectern ask`: prints the answer of a running server. */
export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { tokens: { type: "string" }, json: { type: "boolean", default: false } },
  });
  const [library, ...words] = positionals;
  if (library === undefined || words.length === 0)
    throw new Failure(
      "validation_error",
      'Name a library and ask a question: lectern ask /docs/lectern "How do I add a repository?"',
    );
  const config = loadConfig(process.env);
  const query = new URLSearchParams({ libraryId: library, query: words.join(" "), type: values.json ? "json" : "txt" });
  if (values.tokens !== undefined) query.set("tokens", values.tokens);
  const { status, text } = await createServerClient(config, config.adminKey).text(`/v2/context?${query.toString()}`);
  (status === 200 ? console.log : console.error)(text);
  if (status !== 200) process.exitCode = 1;
}
